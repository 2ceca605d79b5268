"""Robots by name: those of this package, of example-robot-data and of robot_descriptions.

The packages of others are looked for, never required. example-robot-data is found by its files
alone: importing its Python part would bring Pinocchio. robot_descriptions fetches the files of a
robot when its module is imported; that happens when the robot is asked for by name, not before.
"""

import importlib
import importlib.util
import os
import re
import sys
from collections import Counter
from pathlib import Path

from robot_dynamics.errors import DescriptionError
from robot_dynamics.share import shared_folder

NAME = re.compile(r'[A-Za-z0-9][\w.-]*')
ENDINGS = ('.yaml', '.urdf.xacro', '.urdf')  # of our own, the mechanism before its open tree
OURS, EXAMPLES, DESCRIPTIONS = 'robot_dynamics', 'example-robot-data', 'robot_descriptions'


def robots() -> dict[str, str]:
    """Return the names that `load` takes in place of a file, each with the package it is from.

    >>> rd.robots()['panda_like']
    'robot_dynamics'
    """
    names = {name: OURS for name in sorted(_shipped())}
    for package, others in ((EXAMPLES, _examples()), (DESCRIPTIONS, _described())):
        names |= {name: package for name in sorted(others) if name not in names}
    return names


def named_file(name: str) -> Path | None:
    """Return the file of a robot that goes by this name, None where it cannot be a name."""
    if not NAME.fullmatch(name):
        return None
    for files in (_shipped(), _examples()):
        if name in files:
            return files[name]
    if name in _described():
        return _fetch(name)
    return None


def advice(name: str) -> str:
    """Return what else to try where neither a file nor a robot has this name."""
    if not NAME.fullmatch(name):
        return ''
    import difflib  # for those who mistype
    names = {known.lower(): known for known in robots()}
    word = name.lower()
    near = difflib.get_close_matches(word, names, n=3) or sorted(
        (known for known in names if word in known), key=len)[:3]
    return ', nor is it the name of a robot' + (
        f': did you mean {" or ".join(repr(names[known]) for known in near)}?' if near
        else f'; those here are {", ".join(sorted(_shipped()))}, and rd.robots() lists all')


def example_folder() -> Path | None:
    """Return where example-robot-data keeps its robots, None where it is not installed."""
    prefixes = [*(Path(entry) / 'cmeel.prefix' for entry in sys.path), Path(sys.prefix),
                *map(Path, filter(None, os.environ.get('AMENT_PREFIX_PATH', '').split(':')))]
    for prefix in prefixes:
        folder = prefix / 'share' / EXAMPLES / 'robots'
        if folder.is_dir():
            return folder
    return None


def _shipped() -> dict[str, Path]:
    folder = shared_folder('urdf')
    files = sorted(folder.iterdir()) if folder else []
    return {file.name.removesuffix(ending): file for ending in reversed(ENDINGS)
            for file in files if file.name.endswith(ending)}


def _examples() -> dict[str, Path]:
    """Return files by their names; `ur5` stands for `ur5_robot` too."""
    folder = example_folder()
    if folder is None:
        return {}
    files = sorted(folder.glob('*/*/*.urdf'))
    count = Counter(file.stem for file in files)
    named = {file.stem if count[file.stem] == 1
             else file.relative_to(folder).parts[0].removesuffix('_description'): file
             for file in files}
    return {**{name.removesuffix('_robot'): file for name, file in named.items()}, **named}


def _described() -> frozenset[str]:
    """Return the names of robot_descriptions that are URDFs, without their ending too."""
    if importlib.util.find_spec(DESCRIPTIONS) is None:
        return frozenset()
    table = importlib.import_module(DESCRIPTIONS).DESCRIPTIONS
    names = {name for name, record in table.items() if record.has_urdf}
    return frozenset(names | {name.removesuffix('_description') for name in names})


def _fetch(name: str) -> Path:
    """Return the file of a robot of robot_descriptions, which fetches what is not there yet."""
    module = f'{DESCRIPTIONS}.{name.removesuffix("_description")}_description'
    try:
        robot = importlib.import_module(module)
    except Exception as error:  # no git, no network, no disk: its own message says which
        raise DescriptionError(f'{name}: {module} cannot be imported: {error}') from error
    if hasattr(robot, 'URDF_PATH'):
        return Path(robot.URDF_PATH)
    arguments, packages = (getattr(robot, key, {}) for key in ('XACRO_ARGS',
                                                               'XACRO_PACKAGE_PATHS'))
    if arguments or packages:
        raise DescriptionError(
            f'{name}: is xacro with arguments: rd.load({str(robot.XACRO_PATH)!r}, '
            f'xacro_args={dict(arguments)}, packages={dict(packages)})')
    return Path(robot.XACRO_PATH)
