"""The papers' arms as DH rows. `python -m robot_dynamics.studies.arms FOLDER` writes their URDFs.

What the papers leave open is said at each arm.
"""

import sys
import warnings
from pathlib import Path

import numpy as np

from robot_dynamics.errors import RobotDynamicsWarning
from robot_dynamics.loading import from_dh
from robot_dynamics.model.dh.table import DHRow, step
from robot_dynamics.model.slender_rod import slender_rod
from robot_dynamics.model.transforms import inverse, pose
from robot_dynamics.robot import Robot

RIGHT = np.pi / 2


def puma560() -> Robot:
    """MohanSaha2007 Table 2: bent slender rods, and a wrist of hub inertias without mass."""
    table = [(0.0, 0.2, -RIGHT, 10.521, 0.0), (0.432, 0.149, 0.0, 15.7612, 0.0),
             (0.02, 0.0, RIGHT, 8.767, 0.0), (0.0, 0.432, -RIGHT, 0.0, 0.181),
             (0.0, 0.0, RIGHT, 0.0, 0.0735), (0.0, 0.056, 0.0, 0.0, 0.0141)]
    return _arm('puma560', [_rod(a, b, alpha, mass, hub) for a, b, alpha, mass, hub in table])


def _rod(a: float, b: float, alpha: float, mass: float, hub: float) -> DHRow:
    """Return a row whose link is the bent rod of MohanSaha2007 with this mass."""
    row = DHRow(a, b, alpha, 0.0, hub_inertia=hub)
    if not mass:
        return row
    rod = slender_rod(a, b, mass / (a + b))
    return row.with_body(rod.in_frame(inverse(step(a, alpha))))  # link frame i to frame i+1


def rtx() -> Robot:
    """Bhangale2004 Table IV (a), PRR. Its r_i points from the mass centre to O_{i+1}."""
    return _arm('rtx', [
        DHRow(0.0, 0.0, 0.0, 0.0, 'prismatic', mass=9.0, com=(0, 0, -0.054),
              inertia=np.diag([0.1, 0.02, 0.1])),
        DHRow(0.432, 0.01, 0.0, 0.0, mass=6.0, com=(-0.292, 0, 0),
              inertia=np.diag([0.5, 0.6, 0.01])),
        DHRow(0.2, 0.01, 0.0, 0.0, mass=4.0, com=(0.02, 0, 0),
              inertia=np.diag([0.4, 0.4, 0.1]))])


def stanford() -> Robot:
    """Bhangale2004 Table IV (b), RRP."""
    return _arm('stanford', [
        DHRow(0.0, 0.1, -RIGHT, 0.0, mass=9.0, com=(0.1, 0, -0.1),
              inertia=np.diag([0.1, 0.02, 0.1])),
        DHRow(0.0, 0.1, -RIGHT, 0.0, mass=6.0, com=(0, 0, -0.5),
              inertia=np.diag([0.5, 0.6, 0.01])),
        DHRow(0.0, 0.0, 0.0, 0.0, 'prismatic', mass=4.0, com=(0, 0, -0.4),
              inertia=np.diag([0.4, 0.4, 0.1]))])


def rp() -> Robot:
    """Bhangale2004 (19), a slide on a turning link, a_1 = 0, in a horizontal plane.

    The paper gives masses alone: they are taken as points at O_{i+1}.
    """
    return _arm('rp', [DHRow(0.0, 0.0, RIGHT, RIGHT, mass=12.25),
                       DHRow(0.0, 0.0, 0.0, 0.0, 'prismatic', mass=2.45)])


def pr() -> Robot:
    """Bhangale2004 (20), a link turning on a slide along X, in a horizontal plane.

    The paper gives masses and a_2 alone: the masses are taken as points at O_{i+1}.
    """
    slide_along_x = pose(np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    return _arm('pr', [
        DHRow(0.0, 0.0, -RIGHT, 0.0, 'prismatic', mass=12.25, base=slide_along_x),
        DHRow(0.8584, 0.0, 0.0, -RIGHT, mass=2.45)])


ARMS = {'puma560': puma560, 'rtx': rtx, 'stanford': stanford, 'rp': rp, 'pr': pr}


def _arm(name: str, rows: list[DHRow]) -> Robot:
    """Make the robot without a word: that link 2 of two arms is no rigid body is in the papers."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', RobotDynamicsWarning)
        return from_dh(rows, name=name)


def write(folder: Path) -> None:
    """Write the URDF of every arm."""
    for name, arm in ARMS.items():
        (folder / f'{name}.urdf').write_text(arm().to_urdf())


if __name__ == '__main__':
    write(Path(sys.argv[1]))
