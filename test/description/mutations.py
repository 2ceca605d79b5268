"""Mutates URDF text, for the fuzz test. `python test/description/mutations.py 100000` runs long.

Whatever the mutant, loading either works or raises one RobotDynamicsError; and what loads gives
finite numbers.
"""

import re
import sys
import time
import warnings
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])]

import numpy as np  # noqa: E402  (the paths above come first)
from oracle import ROBOTS  # noqa: E402

import robot_dynamics as rd  # noqa: E402

SEEDS = ('double_pendulum_description/urdf/double_pendulum.urdf',
         'ur_description/urdf/ur5_robot.urdf', 'panda_description/urdf/panda.urdf',
         'finger_edu_description/robots/finger_edu.urdf', 'bolt_description/robots/bolt.urdf')
NUMBERS = ['nan', 'inf', '-1', '0', '1e308', '1e-320', '-0.0', '', 'x', '1 2', '1,5', '0x10',
           '9' * 400, '1.5707963267948966', '1e5', '٣', '1_0']
NUMBER = re.compile(r'-?\d+\.?\d*(?:e-?\d+)?')
TAG = re.compile(r'<[^<>]*>')
NAME = re.compile(r'"[A-Za-z_]\w*"')
_JUNK = re.compile(r'<(visual|collision|transmission|gazebo)\b.*?</\1>|<!--.*?-->', re.DOTALL)


def seeds() -> list[str]:
    """Return real URDFs without their meshes: dynamics is what is fuzzed."""
    return [_JUNK.sub('', (ROBOTS / name).read_text()) for name in SEEDS]


def mutate(text: str, generator: np.random.Generator) -> str:
    """Return the text with one to three things changed."""
    for _ in range(generator.integers(1, 4)):
        text = _MUTATIONS[generator.integers(len(_MUTATIONS))](text, generator)
    return text


def _span(pattern, text, generator):
    found = list(pattern.finditer(text))
    return found[generator.integers(len(found))].span() if found else (0, 0)


def _number(text, generator):
    start, end = _span(NUMBER, text, generator)
    return text[:start] + NUMBERS[generator.integers(len(NUMBERS))] + text[end:]


def _scale(text, generator):
    start, end = _span(NUMBER, text, generator)
    factor = 10.0 ** generator.integers(-30, 30) * generator.choice([-1.0, 1.0])
    return text[:start] + repr(float(text[start:end] or 0) * factor) + text[end:]


def _drop_tag(text, generator):
    start, end = _span(TAG, text, generator)
    return text[:start] + text[end:]


def _swap_names(text, generator):
    a, b = sorted([_span(NAME, text, generator), _span(NAME, text, generator)])
    if a[1] > b[0]:
        return text
    return text[:a[0]] + text[b[0]:b[1]] + text[a[1]:b[0]] + text[a[0]:a[1]] + text[b[1]:]


def _copy_tag(text, generator):
    start, end = _span(TAG, text, generator)
    at = _span(TAG, text, generator)[1]
    return text[:at] + text[start:end] + text[at:]


def _cut(text, generator):
    start = generator.integers(len(text) + 1)
    return text[:start] + text[start + generator.integers(200):]


def _byte(text, generator):
    at = generator.integers(len(text) + 1)
    return text[:at] + chr(int(generator.choice([0, 9, 34, 38, 60, 62, 233, 0xFFFE, 0x1F600]))) \
        + text[at + 1:]


def _type(text, generator):
    kinds = ['revolute', 'continuous', 'prismatic', 'fixed', 'floating', 'planar', 'ball', '']
    start, end = _span(re.compile(r'type="\w*"'), text, generator)
    return text[:start] + f'type="{kinds[generator.integers(len(kinds))]}"' + text[end:]


_MUTATIONS = [_number, _scale, _drop_tag, _swap_names, _copy_tag, _cut, _byte, _type]


def run(cases: int, seed: int, progress: bool = False) -> dict[str, int]:
    """Load mutants; return how many loaded and how many were refused."""
    generator = np.random.default_rng(seed)
    originals = seeds()
    outcome = {'loaded': 0, 'refused': 0}
    start = time.monotonic()
    for k in range(cases):
        text = mutate(originals[k % len(originals)], generator)
        outcome['loaded' if _survives(text) else 'refused'] += 1
        if progress and k % 500 == 499:
            print(f'\r{k + 1}/{cases} cases, {outcome}, {time.monotonic() - start:.0f} s', end='',
                  flush=True)
    return outcome


def _survives(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', rd.RobotDynamicsWarning)
        robot, message = _load(text)
    if robot is None:
        assert len(message.splitlines()) == 1, f'not one clear line: {message!r}'
        return False
    model = robot.model
    linear = getattr(model.coordinates, 'linear', model.coordinates)
    for array in (*model.geometry, *model.inertials, linear.G, linear.q0, robot.parameters):
        assert np.isfinite(array).all(), f'not finite in a model that loaded from {text!r}'
    return True


def _load(text: str):
    try:
        return rd.load(text, missing_inertia='zero'), ''
    except rd.RobotDynamicsError as error:
        return None, str(error)


if __name__ == '__main__':
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    print('\n', run(count, seed=int(time.time()), progress=True))
