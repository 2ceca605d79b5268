"""The nodes' executables: --help, one line where ROS is missing, else the node itself."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

HELP = {'-h', '--help'}
PAGE = {'viser', 'websockets', 'zstandard', 'trimesh'}  # modules of the extra viewer
NODES_PAGE = 'https://robot-dynamics.github.io/robot_dynamics/reference/nodes.html'
USAGE = ('usage: {name} {options}[--ros-args -p PARAMETER:=VALUE -r FROM:=TO ...]: {does}; its '
         f'topics, services and parameters: {NODES_PAGE}')


@contextmanager
def starting(name: str, does: str, options: str = '') -> Iterator[None]:
    """Answer --help, and say in one line what is missing when the imports inside fail."""
    if HELP & set(sys.argv[1:]):
        print(USAGE.format(name=name, does=does, options=options))
        with suppress(ImportError):  # without ROS nobody knows the parameters
            from robot_dynamics.nodes.parameters import parameter_help
            print(parameter_help(name))
        sys.exit(0)
    try:
        yield
    except ImportError as error:
        if error.name in PAGE:
            sys.exit(f'{name}: {error}: it needs the extra viewer: pip install '
                     "'robot_dynamics[viewer]', or make view")
        sys.exit(f'{name}: {error}: it needs ROS 2; source a ROS distribution and this '
                 'workspace, or use the .venv that make demo sets up')


def simulator() -> None:
    """Run the simulator."""
    with starting('simulator', 'moves a robot under efforts, in real time'):
        from robot_dynamics.nodes.simulator.node import main
    main()


def inverse_dynamics() -> None:
    """Run the inverse_dynamics node."""
    with starting('inverse_dynamics', 'answers joint states with efforts'):
        from robot_dynamics.nodes.inverse_dynamics.node import main
    main()


def gim_diagnostics() -> None:
    """Run the gim_diagnostics node."""
    with starting('gim_diagnostics', 'judges and draws the inertia matrix'):
        from robot_dynamics.nodes.gim_diagnostics.node import main
    main()


def dynamics_stack() -> None:
    """Run the nodes in one process."""
    with starting('dynamics_stack', 'simulator, inverse_dynamics and gim_diagnostics in one'):
        from robot_dynamics.nodes.dynamics_stack.node import main
    main()


def viewer() -> None:
    """Run the viewer."""
    with starting('viewer', 'shows a live robot on a page', '[--host HOST] [--port PORT] '
                  '[--no-open] [--allow-commands] [--namespace NAME ...] [--package NAME=FOLDER '
                  '...] [--simulate [FILE]] '):
        from robot_dynamics.nodes.viewer.running import main
    main()
