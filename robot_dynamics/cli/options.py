"""What options of several sub-commands have in common: paths, and those that would not be used."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from robot_dynamics.errors import InputError
from robot_dynamics.inputs import user_path
from robot_dynamics.simulation.plots import no_matplotlib

NAMES = {'start': '--from', 'closed_at': '--start',
         'no_limits': '--no-limits'}  # where dest says something else


def path(text: str) -> Path:
    """Return a path, ~ at its beginning the user's home."""
    return user_path('path', text)


def refuse(args: argparse.Namespace, because: str, *names: str) -> None:
    """Refuse options that were given and will not be used."""
    for name in names:
        if getattr(args, name) not in (None, False, []):
            option = NAMES.get(name, '--' + name.replace('_', '-'))
            raise InputError(f'{option}: {because}')


def defaults(args: argparse.Namespace, values: Mapping[str, object]) -> None:
    """Set what was not given."""
    for name, value in values.items():
        if getattr(args, name) is None:
            setattr(args, name, value)


def check_files(*files: Path | None) -> None:
    """Refuse files that cannot be written, before the work and not after it."""
    for file in files:
        if file is None:
            continue
        if not file.parent.is_dir():
            raise InputError(f'{file}: cannot be written: there is no folder {file.parent}')
        if file.is_dir():
            raise InputError(f'{file}: cannot be written: it is a folder')


def add_plot_arguments(parser: argparse.ArgumentParser, does: str) -> None:
    """Declare --plot and how it looks."""
    parser.add_argument('--plot', type=path, metavar='FILE', help=does)
    parser.add_argument('--theme', choices=('light', 'dark'), default='light',
                        help='of the plot (default: %(default)s)')


def check_plot(file: Path | None) -> None:
    """Refuse a plot that cannot be written, before the work and not after it."""
    check_files(file)
    if file is not None:
        try:
            from matplotlib.backend_bases import FigureCanvasBase
        except ModuleNotFoundError as error:
            raise no_matplotlib(error) from None
        known = FigureCanvasBase.get_supported_filetypes()
        if file.suffix[1:].lower() not in known:
            raise InputError(f'--plot {file}: cannot be written: the name must end in .'
                             + ', .'.join(sorted(known)))
