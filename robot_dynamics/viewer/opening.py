"""view: open a page with what the user has: robots, their files, runs, bags."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlparse

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError, RobotDynamicsError, warn
from robot_dynamics.inputs import user_path
from robot_dynamics.loading import load
from robot_dynamics.words import counted

if TYPE_CHECKING:
    from robot_dynamics.viewer.page import Page

RUNS = ('.npz', '.csv', '.mcap', '.db3')
Report = Callable[[RobotDynamicsError], None]


def make_page(host: str, port: int) -> Page:
    """Return an empty page; `InputError`: viser is not installed, an address that is taken."""
    try:
        from robot_dynamics.viewer.page import Page
    except ImportError as error:
        if error.name != 'viser':
            raise
        raise InputError('the viewer needs the package viser: install the extra viewer, in '
                         "a clone by pip install '.[viewer]'") from None
    return Page(host, port)


def view(*things: Any, host: str = '127.0.0.1', port: int = 8080, browser: bool = True,
         packages: Mapping[str, Any] | None = None) -> Page:
    """Open a page with robots side by side, and the runs that they play.

    things: robots, or files that `load` reads; trajectories, or their files and bags: the first
        run is played by the first robot that has its joints, further ones by copies beside it;
        {name: thing} names them: `view(select(...).robots())` compares candidates
    host, port: where the page is served; a port that is taken gives way to the next, 0 is any
    browser: whether to open it; packages: as in `load`
    Returns the page: `page.show` moves a robot, `page.address` says where it is, `page.record`
    writes a web page, `page.close` ends it.
    `InputError`: names, an address that cannot be had, viser not installed

    >>> page = rd.view(arm, browser=False, port=0)
    >>> page.show('arm', [0.1, 0.2])
    >>> page.close()
    """
    def refuse(error: RobotDynamicsError) -> None:
        raise error
    page = make_page(host, port)
    try:
        fill(page, things, packages, refuse)
    except Exception:
        page.close()
        raise
    if browser:
        webbrowser.open(page.address)
    return page


def fill(page: Page, things: Any, packages: Mapping[str, Any] | None, report: Report,
         **options: Any) -> None:
    """Put robots, then runs, on a page; what cannot be shown goes to `report`.

    options: of `load`, for files
    """
    named = [pair for thing in things for pair in (
        thing.items() if isinstance(thing, Mapping) else [(None, thing)])]
    runs = [(name, thing) for name, thing in named if is_run(thing)]
    for name, thing in named:
        if not is_run(thing):
            guarded(report, add_robot, page, thing, packages, options, name)
    if runs and not page.robots:
        guarded(report, add_recorded_robot, page, [run for _, run in runs], packages, options)
    for name, thing in runs:
        guarded(report, add_run, page, thing, name)


def guarded(report: Report, action: Callable[..., None], *arguments: Any) -> None:
    """Call an action; its errors go to `report`."""
    try:
        action(*arguments)
    except RobotDynamicsError as error:
        report(error)


def is_run(thing: Any) -> bool:
    """Tell whether a thing is a motion, or names the file of one."""
    if hasattr(thing, 'joint_names'):
        return hasattr(thing, 'q')
    try:
        path = user_path('file', thing)
    except RobotDynamicsError:
        return False
    return path.suffix.lower() in RUNS or path.is_dir()


def add_robot(page: Page, thing: Any, packages: Mapping[str, Any] | None,
              options: Mapping[str, Any], name: str | None = None) -> None:
    """Put a robot, or that of a file, on the page; a name that is taken gets a number."""
    robot: Dynamics = thing if hasattr(thing, 'joint_names') else load(
        thing, packages=packages, **options)
    page.add_robot(robot, free_name(page, robot.name if name is None else str(name)))
    if said := without_meshes(robot):
        warn(said)


def without_meshes(robot: Dynamics) -> str:
    """Return a sentence on mesh files that are missing, empty where none are."""
    from robot_dynamics.viewer.bodies import missing_meshes
    missing = missing_meshes(robot)
    if not missing:
        return ''
    packages = sorted({urlparse(name).netloc for name in missing
                       if urlparse(name).scheme in ('package', 'model')})
    one = len(missing) == 1
    return (f'{robot.name}: {counted(len(missing), "mesh file")} {"is" if one else "are"} missing '
            f'or no mesh{"" if one else ", the first"}: {missing[0]}; plain solids are drawn' + (
                ': ' + ' '.join(f'--package {name}=FOLDER' for name in packages)
                + f' (packages={{{packages[0]!r}: folder}}) says where to look' if packages
                else ''))


def add_recorded_robot(page: Page, runs: list[Any], packages: Mapping[str, Any] | None,
                       options: Mapping[str, Any]) -> None:
    """Put the robot on the page whose description one of the bags holds."""
    from robot_dynamics.simulation.bags import recorded_description
    for thing in runs:
        path = None if hasattr(thing, 'q') else user_path('file', thing)
        if path is not None and (path.is_dir() or path.suffix.lower() in ('.mcap', '.db3')):
            text = recorded_description(path)
            if text is not None:
                add_robot(page, text.encode(), packages, options)
                return
    named = ', '.join('a trajectory' if hasattr(thing, 'q') else str(thing) for thing in runs)
    raise InputError(f'{named}: of which robot? Expected its file as well, or a bag with '
                     'robot_description')


def add_run(page: Page, thing: Any, name: str | None = None) -> None:
    """Have a robot play a run, a copy of it where all play already."""
    from robot_dynamics.simulation.trajectory import Trajectory
    from robot_dynamics.viewer.runs import run_of
    title = str(name) if name else 'run' if hasattr(thing, 'q') else Path(thing).name
    trajectory = thing if hasattr(thing, 'q') else Trajectory.load(thing)
    why: RobotDynamicsError | None = None
    fitting = []
    for player, robot in page.robots.items():
        try:
            fitting.append((player, run_of(trajectory, robot.original, title)))
        except RobotDynamicsError as error:
            why = why or error
    if not fitting:
        raise why or InputError(f'{title}: there is no robot to play it')
    idle = [pair for pair in fitting if pair[0] not in page.player.runs]
    player, run = (idle or fitting)[0]
    if not idle:
        copy = free_name(page, f'{player}, {title}')
        page.add_robot(page.robots[player].original, copy)
        player = copy
    page.play_run(player, run)


def free_name(page: Page, name: str) -> str:
    """Return a name that no robot on the page has."""
    names = [name, *(f'{name} ({k})' for k in range(2, len(page.robots) + 3))]
    return next(word for word in names if word not in page.robots)
