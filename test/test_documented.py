"""Every snippet and command of README, docs and examples runs, or is checked word by word."""

import ast
import configparser
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from documented import PAGES, ROOT, blocks, compiled

sys.path.insert(0, str(ROOT / 'tools'))
from tutorials import KEPT, difference, printed

from robot_dynamics.cli.main import joined, make_parser

EXAMPLES = sorted((ROOT / 'examples').glob('*.py'))
# Files that a reader would have: a robot's log, another URDF.
OF_READERS = ('my.urdf', 'arm.urdf', 'ur3.urdf', 'ur5.urdf', 'log.mcap', 'log.db3', 'FILE',
              'linkage.yaml')
OTHERS = {'dask', 'rosdep', 'colcon', '.', 'source', 'git', 'cd', 'sudo', 'apt'}  # not ours


def commands():
    """Yield page and command line of all shell blocks, continued lines joined."""
    for page in PAGES:
        line = ''
        for piece in ''.join(blocks(page, 'sh')).replace('\\\n', ' ').splitlines():
            line += f'{piece}\n'
            try:
                words = shlex.split(line, comments=True)
            except ValueError:  # a quotation goes on
                continue
            line = ''
            while words and '=' in words[0]:
                words.pop(0)  # variables of the environment
            if words:
                yield page.relative_to(ROOT).as_posix(), words
        assert not line, page


COMMANDS = list(commands())
OURS = [(page, words) for page, words in COMMANDS
        if words[0] == 'robot-dynamics' and words[1] != 'view'  # a page stays until it is closed
        and not any(word in OF_READERS for word in words)]


def run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False,
                          timeout=600,  # what waits for ever is a failure, not a hang
                          env={**os.environ, 'PYTHONWARNINGS': 'ignore', 'PYTHONPATH':
                               os.pathsep.join([str(ROOT), os.environ.get('PYTHONPATH', '')])})
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize('page', [
    pytest.param(page, marks=pytest.mark.slow if page.stem == 'selection' else ())
    for page in PAGES if any('rclpy' not in block for block in blocks(page, 'python'))],
    ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_python_of_a_page_runs_in_an_empty_folder(page, tmp_path):
    code = '\n'.join(block for block in blocks(page, 'python') if 'rclpy' not in block)
    run(sys.executable, '-c', code, cwd=tmp_path)


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_python_for_ros_is_python(page):
    """So is what needs files of the reader's, fenced as `py`."""
    for block in (*blocks(page, 'python'), *blocks(page, 'py')):
        ast.parse(block)


@pytest.mark.parametrize('page', [page for page in PAGES if blocks(page, 'cpp')],
                         ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_cpp_of_a_page_compiles(page, tmp_path):
    for number, block in enumerate(blocks(page, 'cpp')):
        folder = tmp_path / str(number)
        folder.mkdir()
        compiled(block, folder)


def test_commands_on_files_of_readers_are_understood():
    for page, words in COMMANDS:
        if words[0] == 'robot-dynamics' and (page, words) not in OURS:
            make_parser(words[1:]).parse_args(joined(words[1:]))


@pytest.mark.parametrize('page', sorted({page for page, _ in OURS}))
def test_the_commands_of_a_page_run_in_an_empty_folder(page, tmp_path):
    for other, words in OURS:
        if other == page:
            run(sys.executable, '-m', 'robot_dynamics.cli.main', *words[1:], cwd=tmp_path)


@pytest.mark.parametrize('example', [pytest.param(file, marks=pytest.mark.slow if file.stem in (
    '08_humanoid', '09_choosing_an_arm') else ()) for file in EXAMPLES],
    ids=[file.stem for file in EXAMPLES])
def test_an_example_runs_prints_and_draws(example, tmp_path):
    lines = example.read_text(encoding='utf-8').split('\n"""\n', 1)[1].splitlines()
    code = [line for line in lines if line.strip()]
    assert 10 <= len(code) <= 40
    name = example.stem.split('_', 1)[1]
    kept = (KEPT / f'{name}.txt').read_text(encoding='utf-8')
    assert not difference(kept, printed(example, tmp_path)), f'python tools/tutorials.py {name}'
    if name == 'viewer':  # its page shows the page
        assert (ROOT / 'docs' / 'figures' / 'view_panda_like.png').is_file()
        return
    assert (tmp_path / f'{name}.png').read_bytes().startswith(b'\x89PNG')
    assert (KEPT / f'{name}.png').is_file()


def test_there_is_an_example_for_every_topic():
    stems = ' '.join(file.stem for file in EXAMPLES)
    for topic in ('gravity_compensation', 'tracking', 'lqr', 'dh_table', 'torques_from_a_log',
                  'nodes_without_ros', 'five_bar', 'humanoid', 'choosing_an_arm', 'sweep',
                  'viewer'):
        assert topic in stems


def test_programs_of_others_are_called_as_we_have_them():
    """Launch files and their arguments, executables, make's targets, extras."""
    makefile = (ROOT / 'Makefile').read_text(encoding='utf-8')
    setup = configparser.ConfigParser()
    setup.read(ROOT / 'setup.cfg')
    seen = set()
    for page, words in COMMANDS:
        program = words[0]
        seen.add(program)
        if program == 'make':
            for target in [word for word in words[1:] if '=' not in word]:
                assert re.search(rf'^{target}:', makefile, re.MULTILINE), (page, target)
        elif words[:3] == ['ros2', 'launch', 'robot_dynamics']:
            text = (ROOT / 'launch' / words[3]).read_text(encoding='utf-8')
            for argument in [word.split(':=')[0] for word in words[4:] if ':=' in word]:
                assert re.search(rf"""['"]{argument}['"]""", text), (page, words)
        elif words[:3] == ['ros2', 'run', 'robot_dynamics']:
            assert (ROOT / 'scripts' / words[3]).is_file(), (page, words)
        elif program == 'pip':
            for extra in re.findall(r'\[(\w+)\]', ' '.join(words)):
                assert extra in setup['options.extras_require'], (page, extra)
        elif words[:2] == ['python', '-m']:
            assert (ROOT / words[2].replace('.', '/') / '__main__.py').is_file(), (page, words)
        elif program not in ('ros2', 'robot-dynamics'):
            assert program in OTHERS, (page, words)
    assert {'make', 'ros2', 'pip', 'robot-dynamics'} <= seen


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    text = re.sub(r'```.*?```', '', page.read_text(encoding='utf-8'), flags=re.DOTALL)
    for link in re.findall(r'\]\(([^)#]+)', text):
        if link.startswith(('https://', 'http://')):
            continue
        file = Path(os.path.normpath(page.parent / link))
        if 'reference' in file.parts:  # made by make docs
            continue
        if file.parent.name == 'tutorials':
            file = ROOT / 'examples' / f'{file.stem}.py'
        assert file.exists(), link


@pytest.mark.parametrize('page', [page for page in PAGES if page.parent != ROOT],
                         ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_have_titles_for_texts(page):
    text = re.sub(r'```.*?```', '', page.read_text(encoding='utf-8'), flags=re.DOTALL)
    assert not re.findall(r'\[[\w/]+\.md\]\(', text)


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_code_has_no_more_columns_than_the_site(page):
    for kind in ('python', 'py', 'sh', 'cpp', 'yaml'):
        for line in ''.join(blocks(page, kind)).splitlines():
            assert len(line) <= 100, line
