"""Where the package's own files (urdf/, config/, ...) are, installed or in a clone."""

from pathlib import Path

from robot_dynamics.errors import InputError

PACKAGE = Path(__file__).resolve().parent


def shared_folder(name: str) -> Path | None:
    """Return the path of a folder such as 'urdf', None where it was not installed."""
    # The folder with package.xml: site-packages may well have a config/ of somebody else.
    for folder in (PACKAGE.parent, *(up / 'share' / 'robot_dynamics' for up in PACKAGE.parents)):
        if (folder / 'package.xml').is_file():
            return folder / name
    return None


def shared_file(name: str) -> Path:
    """Return the path of a file such as 'urdf/puma560.urdf'."""
    file = shared_folder(name)
    if file is not None and file.is_file():
        return file
    raise InputError(f'{name}: not found beside the package {PACKAGE}')
