"""The pictures of the page in the documentation, by the real browser: docs/figures/view_*.png.

    python tools/gallery.py [NAME ...] [--output FOLDER]

Each is a screenshot of the page that `robot-dynamics view` opens. Panda and Talos are the models
of the package example-robot-data (extra test), which is not part of this repository.
"""

import argparse
import sys
import sysconfig
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image
from scipy.spatial import cKDTree

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from browser import chromium, missing  # noqa: E402

import robot_dynamics as rd  # noqa: E402
from robot_dynamics.viewer.page import Page, opened  # noqa: E402

OWN, OTHERS = ROOT / 'urdf', (Path(sysconfig.get_path('purelib')) / 'cmeel.prefix' / 'share'
                              / 'example-robot-data' / 'robots')
SIZE = {'width': 1360, 'height': 765}
PATIENCE = 600_000  # [ms] for a picture: software graphics on a busy machine take their time
ZOOM = 0.7  # how far away the camera is, of the robot's size
COVERING = 160  # colours of a picture that are chosen without regard to their areas
SETTLED = 3  # screenshots in a row that are the same


class Picture(NamedTuple):
    """What is shown: a file, joint values by name (others as they begin), layers, a view.

    view: from where the robot is looked at, of its size; options: of `load`
    """

    file: Path
    joints: dict[str, float]
    layers: tuple[str, ...]
    view: tuple[float, float, float] = (1.0, -0.95, 0.55)
    options: dict[str, Any] = {}  # noqa: RUF012
    rates: float = 0.0  # [rad/s or m/s] of all joints


PICTURES = {
    'panda_like': Picture(  # of the viewer's tutorial: where its motion ends
        OWN / 'panda_like.urdf.xacro',
        {'joint_1': 1.2, 'joint_2': -0.185, 'joint_4': -1.556, 'joint_6': 2.171,
         'joint_7': 1.785}, ('torque arcs',)),
    'puma': Picture(OWN / 'puma560.urdf', {'joint_2': -0.6, 'joint_3': 0.4, 'joint_5': 0.8},
                    ('torque arcs', 'DH frames and common normals'), rates=0.6),
    'panda': Picture(
        OTHERS / 'panda_description' / 'urdf' / 'panda.urdf',
        {'panda_joint1': 0.3, 'panda_joint2': 0.4, 'panda_joint4': -1.9, 'panda_joint6': 2.2,
         'panda_joint7': 0.8}, ('torque arcs', 'manipulability'), rates=0.4),
    'five_bar': Picture(OWN / 'five_bar.yaml', {}, ('torque arcs', 'constraint forces'),
                        (0.3, -1.0, 0.9), rates=0.5),
    'stewart': Picture(OWN / 'stewart.yaml', {}, ('torque arcs', 'constraint forces'), rates=0.2),
    'humanoid': Picture(
        OTHERS / 'talos_data' / 'robots' / 'talos_reduced.urdf',
        {'leg_left_3_joint': -0.4, 'leg_left_4_joint': 0.8, 'leg_left_5_joint': -0.4,
         'leg_right_3_joint': -0.4, 'leg_right_4_joint': 0.8, 'leg_right_5_joint': -0.4,
         'arm_left_2_joint': 0.35, 'arm_left_4_joint': -1.1, 'arm_right_2_joint': -0.35,
         'arm_right_4_joint': -1.1, 'torso_2_joint': 0.1},
        ('torque arcs', 'mass centre'), (1.0, -0.55, 0.25)),
}


def show(page: Any, picture: Picture) -> None:
    """Put the robot on the page, in its pose."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        robot = rd.load(picture.file, **picture.options)
    shown = page.add_robot(robot)
    q = np.array(shown.state.q)
    first = len(q) - robot.n  # values of a free base come first
    for name, value in picture.joints.items():
        q[first + robot.joint_names.index(name)] = value
    rates = picture.rates * np.cos(np.arange(robot.n))
    page.show(shown.name, q, rates)
    for title, box in page.drawing.boxes.items():
        box.value = title in picture.layers
        page.drawing.apply(title)
    low, high = shown.bounds
    size, middle = float(np.linalg.norm(high - low)), (low + high) / 2
    page.server.initial_camera.look_at = tuple(middle)
    page.server.initial_camera.position = tuple(middle + ZOOM * size * np.array(picture.view))
    rd.wait_for_kernels(300)
    page.show(shown.name, q, rates)


def photograph(browser: Any, page: Page, file: Path) -> None:
    """Write a screenshot, once the page stands still."""
    tab = browser.new_page(viewport=SIZE)
    tab.set_default_timeout(PATIENCE)
    tab.goto(page.address)
    tab.get_by_text('Energies').first.wait_for()
    for note in tab.locator('.mantine-Notification-closeButton').all():
        note.click()  # that the graphics are software
    seen: list[bytes] = []
    until = time.monotonic() + PATIENCE / 1e3
    while len(seen) < SETTLED or len(set(seen[-SETTLED:])) > 1:
        if time.monotonic() > until:
            break
        tab.wait_for_timeout(1000)
        seen.append(tab.screenshot(animations='disabled'))
    tab.close()
    file.write_bytes(seen[-1])
    shrink(file)


def shrink(file: Path) -> None:
    """Write a picture with 256 colours: a third of the bytes, and nobody sees it.

    Most are those that cover all there are, whatever their areas: legends and thin lines keep
    theirs. The others are the commonest, so that no grey gets a tint.
    """
    picture = Image.open(file).convert('RGB')
    kinds = ((COVERING, Image.Quantize.MAXCOVERAGE), (256 - COVERING, Image.Quantize.MEDIANCUT))
    palette = np.unique(np.vstack([
        np.reshape(picture.quantize(count, method).getpalette() or [], (-1, 3))[:count]
        for count, method in kinds]), axis=0).astype(np.uint8)
    points = np.asarray(picture)
    colors, index = np.unique(points.reshape(-1, 3), axis=0, return_inverse=True)
    nearest = cKDTree(palette).query(colors)[1].astype(np.uint8)
    drawn = Image.fromarray(nearest[index.ravel()].reshape(points.shape[:2]))
    drawn.putpalette(palette.tobytes())
    drawn.save(file, optimize=True)


def main() -> int:
    """Make the pictures that are asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or '').splitlines()[0])
    parser.add_argument('names', nargs='*', metavar='NAME', help=', '.join(PICTURES))
    parser.add_argument('--output', type=Path, default=ROOT / 'docs' / 'figures')
    args = parser.parse_args()
    if why := missing():
        sys.exit(f'gallery: {why}')
    if unknown := set(args.names) - set(PICTURES):
        sys.exit(f'gallery: {", ".join(unknown)}: expected some of {", ".join(PICTURES)}')
    args.output.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for name in args.names or PICTURES:
            file = args.output / f'view_{name}.png'
            with opened(port=0) as page:
                show(page, PICTURES[name])
                photograph(browser, page, file)
            print(f'{file}: {file.stat().st_size / 1024:.0f} kB', flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
