"""Finds ROS packages by name, with or without ROS.

In this order: those the user names, ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, then package.xml files
above and beside the robot's own file: its checkout is searched from the file outwards.
"""

import os
import re
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path

from robot_dynamics.errors import DescriptionError, InputError

MANIFESTS = ('package.xml', 'manifest.xml')  # the latter is rosbuild's, and has no name in it
CHECKOUTS = ('.git', '.hg', '.svn')
IGNORED = ('COLCON_IGNORE', 'AMENT_IGNORE', 'CATKIN_IGNORE')
MAX_UP = 12  # folders above the file
MAX_DOWN = 8  # folders below each of them
MAX_FOLDERS = 20_000  # looked into for one robot
MAX_MANIFEST = 100_000  # bytes
_NAMES = re.compile(r'\w[\w.-]*')  # what packages are called: '' and '..' are folders of others
_NAME = re.compile(rb'<name>\s*([\w.-]+)\s*</name>')


class Packages:
    """The packages that the files of one robot may name.

    given: {name: folder}; file: the robot's own, None for text
    """

    def __init__(self, given: Mapping[str, str | os.PathLike[str]] | None = None,
                 file: Path | None = None):
        self._given = {name: _folder(name, path) for name, path in (given or {}).items()}
        self._above = _above(file.absolute()) if file is not None else []
        self._ros = _Crawl(_entries('ROS_PACKAGE_PATH'))
        self._around = _Crawl(self._above)
        self._asked: dict[str, Path] = {}
        self._moved: dict[str, Path] = {}

    def find(self, name: str) -> str:
        """Return the package's folder, or raise a DescriptionError that says where was looked."""
        folder = (self._moved.get(name) or self._given.get(name) or self._ros.find(name)
                  or _installed(name) or self._around.find(name))
        if folder is None:
            beside = (f', nor is there a package.xml of it below {self._above[-1]}'
                      if self._above else '')
            raise DescriptionError(
                f'package {name!r} is not found: it is not in packages={{...}} (--package '
                f'{name}=FOLDER), ROS_PACKAGE_PATH ({_count("ROS_PACKAGE_PATH")}) or '
                f'AMENT_PREFIX_PATH ({_count("AMENT_PREFIX_PATH")}){beside}')
        self._asked[name] = folder
        return str(folder)

    def holding(self, name: str, rest: str) -> str:
        """Return the folder of a package that a file `rest` is looked for in.

        Before the rest of the world: a folder above the robot's file that is called so and has
        the file, whatever its manifest says.
        """
        if name not in self._given:
            for folder in self._above:
                if folder.name == name and (folder / rest).is_file():
                    return str(folder)
        return self.find(name)

    def near(self, name: str, beside: str) -> str:
        """Return the file of a relative name: beside the one that names it, else further up.

        Some checkouts are written for xacro run at their root.
        """
        if os.path.isabs(name) or os.path.exists(beside):
            return beside
        found = (folder / name for folder in self._above if (folder / name).is_file())
        return str(next(found, beside))

    def move(self, missing: Path) -> bool:
        """Take a package for one of its own folders, if that has a file the package lacks.

        Packages may keep under description/ what they install at their root, as those of
        ros2_control's demonstrations do. Return whether it is worth asking again.
        """
        for name, folder in self._asked.items():
            if name in self._moved or not missing.is_relative_to(folder):
                continue
            rest = missing.relative_to(folder)
            holders = [child for child in _listed(folder)[1] if (child / rest).is_file()]
            if len(holders) == 1:
                self._moved[name] = holders[0]
                return True
        return False


class _Crawl:
    """The packages below some folders, looked for no farther than was asked."""

    def __init__(self, tops: list[Path]):
        self._found = _packages_below(tops)
        self._known: dict[str, Path] = {}
        self._named: dict[str, Path] = {}  # folders of a name that have no manifest

    def find(self, name: str) -> Path | None:
        while name not in self._known:
            found = next(self._found, None)
            if found is None:
                return self._named.get(name)
            package, folder = found
            if package is None:
                self._named.setdefault(folder.name, folder)
            else:
                self._known.setdefault(package, folder)
        return self._known[name]


def _packages_below(tops: list[Path]) -> Iterator[tuple[str | None, Path]]:
    """Yield the package, or None, in each folder below the tops, each top breadth first."""
    seen: set[str] = set()
    for top in tops:
        waiting = deque([(top, 0)])
        while waiting and len(seen) < MAX_FOLDERS:
            folder, depth = waiting.popleft()
            real = os.path.realpath(folder)
            if real in seen:
                continue
            names, folders = _listed(folder)
            if depth and names.intersection(IGNORED):
                continue
            seen.add(real)
            yield _package(folder, names), folder
            if depth < MAX_DOWN:
                waiting += [(child, depth + 1) for child in folders]


def _listed(folder: Path) -> tuple[set[str], list[Path]]:
    """Return the names of the files, and the folders that are not hidden."""
    try:
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
            folders = [Path(entry.path) for entry in listed
                       if not entry.name.startswith('.') and entry.is_dir()]
            return {entry.name for entry in listed}, folders
    except OSError:
        return set(), []


def _package(folder: Path, names: set[str]) -> str | None:
    """Return the name of the package in this folder, None if it is none."""
    manifest = next((name for name in MANIFESTS if name in names), None)
    if manifest is None:
        return None
    try:
        with (folder / manifest).open('rb') as file:
            found = _NAME.search(file.read(MAX_MANIFEST))
    except OSError:
        return None
    return found.group(1).decode() if found else folder.name


def _above(file: Path) -> list[Path]:
    """Return the folders above a file to search, the nearest first.

    They end with its checkout, or the src folder of a workspace that the checkout is in; without
    a checkout, two above the outermost package. Home and the file system's root are not searched.
    """
    above = list(file.parents)[:MAX_UP]
    last = 1
    for k, folder in enumerate(above):
        names, _ = _listed(folder)
        if names.intersection(MANIFESTS):
            last = k + 2
        if names.intersection(CHECKOUTS):
            last = k + (folder.parent.name == 'src')
            break
    return [folder for folder in above[:last + 1]
            if folder not in (Path.home(), Path(folder.anchor))] or above[:1]


def _installed(name: str) -> Path | None:
    if not _NAMES.fullmatch(name):
        return None
    folders = [prefix / 'share' / name for prefix in _entries('AMENT_PREFIX_PATH')]
    return next((folder for folder in folders if folder.is_dir()), None)


def _entries(variable: str) -> list[Path]:
    return [Path(entry) for entry in os.environ.get(variable, '').split(os.pathsep) if entry]


def _count(variable: str) -> str:
    return f'{count} folders' if (count := len(_entries(variable))) else 'not set'


def _folder(name: str, path: str | os.PathLike[str]) -> Path:
    folder = Path(path).expanduser()
    if not folder.is_dir():
        raise InputError(f'packages: {name!r}: {str(path)!r} is no folder')
    return folder.absolute()
