"""All robots below a folder beside Pinocchio: `python test/model/robot_folder.py FOLDER`.

Each .urdf and .xacro is loaded in a process of its own, within a minute; its inverse dynamics,
inertia matrix and forward dynamics (of the inverse's torques) are compared at random states.
Printed is what does not agree to 1e-9, and a count of each outcome.
"""

import collections
import multiprocessing
import re
import sys
import warnings
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])]

import numpy as np  # noqa: E402  (the paths above come first)
import pinocchio as pin  # noqa: E402
from floating_oracle import FreeOracle, random_states  # noqa: E402
from oracle import Oracle, random_state  # noqa: E402

import robot_dynamics as rd  # noqa: E402
from robot_dynamics.description.decoding import as_text  # noqa: E402
from robot_dynamics.description.packages import Packages  # noqa: E402
from robot_dynamics.description.xacro_files import expand_xacro  # noqa: E402

TOLERANCE = 1e-9
STATES = 3
PATIENCE = 60  # [s] for one robot
WHOLE = re.compile(rb'<robot\b[^>]*\bname\s*=')  # a .xacro without it holds macros for others


def judge(path: Path) -> tuple[str, str]:
    """Return how a robot fares, in a word, and the details."""
    try:
        robot = rd.load(path, friction=False)
    except rd.RobotDynamicsError as error:
        kind = 'without inertials' if 'neither mass nor inertia' in str(error) else 'refused'
        return kind, str(error)
    if not robot.n:
        return 'without joints', ''
    try:
        floats = robot.nq != robot.nv  # on one floating joint, at the root
        oracle = (FreeOracle if floats else Oracle)(
            path, robot, pin.buildModelFromXML(_urdf(path)))
        if oracle.model.nv != len(robot.model.tree_joint_names):
            return 'read otherwise', f'Pinocchio has {oracle.model.nv} joints'
    except (ValueError, IndexError) as error:  # its own reader, floating and planar joints
        return 'not judged', str(error)
    worst = compare(robot, oracle)
    return ('agree' if max(worst.values()) < TOLERANCE else 'differ',
            ', '.join(f'{what} {error:.1e}' for what, error in worst.items()))


def _urdf(path: Path) -> str:
    """Return the URDF for Pinocchio, which does not read numbers with spaces around them."""
    text = as_text(path.read_bytes(), str(path))
    if path.suffix == '.xacro':
        text = expand_xacro(text, path, {}, Packages({}, path), str(path))
    return re.sub(r'="\s*([^"<>]*?)\s*"', r'="\1"', text)


def compare(robot: rd.Robot, oracle: Oracle | FreeOracle) -> dict[str, float]:
    """Return the largest differences, each relative to the largest number of its kind."""
    worst = dict.fromkeys(('inverse', 'inertia', 'forward'), 0.0)
    states = random_states if isinstance(oracle, FreeOracle) else random_state
    for q, qd, qdd, _ in zip(*states(robot, np.random.default_rng(7), STATES), strict=True):
        tau = oracle.inverse_dynamics(q, qd, qdd)
        inverse = robot.inverse_dynamics(q, qd, qdd, algorithm='newton_euler')
        inertia = robot.inertia_matrix(q, algorithm='composite_body')
        forward = robot.forward_dynamics(q, qd, tau, algorithm='denoc')
        for what, ours, theirs in (('inverse', inverse, tau), ('forward', forward, qdd),
                                   ('inertia', inertia, oracle.inertia_matrix(q))):
            size = max(np.abs(theirs).max(), np.finfo(float).tiny)
            worst[what] = max(worst[what], float(np.abs(ours - theirs).max() / size))
    return worst


def _answer(path: Path, pipe) -> None:
    warnings.simplefilter('ignore')
    try:
        pipe.send(judge(path))
    except rd.SingularityError as error:
        pipe.send(('singular', str(error)))
    except Exception as error:  # what is looked for here
        pipe.send(('crash', repr(error)))


def in_a_process(path: Path) -> tuple[str, str]:
    """Return what `judge` says, also when it never comes back."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_answer, args=(path, there))
    process.start()
    there.close()
    try:
        return here.recv() if here.poll(PATIENCE) else ('crash', f'no answer in {PATIENCE} s')
    except EOFError:
        process.join()
        return 'crash', f'the process ended with {process.exitcode}'
    finally:
        process.kill()
        process.join()


def main(folder: Path) -> None:
    """Print what does not agree, and the count."""
    count: collections.Counter[str] = collections.Counter()
    for path in sorted(path for kind in ('urdf', 'xacro') for path in folder.rglob(f'*.{kind}')):
        if path.suffix == '.xacro' and not WHOLE.search(path.read_bytes()):
            continue
        kind, details = in_a_process(path)
        count[kind] += 1
        if kind not in ('agree', 'without joints'):
            print(f'{path.relative_to(folder)}: {kind}: {details[:300]}', flush=True)
    print(', '.join(f'{number} {kind}' for kind, number in count.most_common()))


if __name__ == '__main__':
    main(Path(sys.argv[1]))
