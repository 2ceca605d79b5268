"""Where the package's own files (urdf/, config/, ...) are, installed or in a clone."""

from pathlib import Path

from robot_dynamics.errors import InputError

PACKAGE = Path(__file__).resolve().parent


def shared_file(name: str) -> Path:
    """Return the path of a file such as 'urdf/puma560.urdf'."""
    folders = [PACKAGE.parent, *(up / 'share' / 'robot_dynamics' for up in PACKAGE.parents)]
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    raise InputError(f'{name}: not found beside the package {PACKAGE}')
