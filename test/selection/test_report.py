"""The report and the command: what they hold, names that are escaped, files that fail."""

import json
import re
from pathlib import Path

import pytest
from selection import arms

import robot_dynamics as rd
from robot_dynamics.cli.main import main
from robot_dynamics.errors import InputError
from robot_dynamics.selection.drawings import draw_front

URDF = Path(__file__).parents[2] / 'urdf'
QUICK = ['gim_operations', 'condition', 'coupling']


def test_the_report_is_one_file_and_safe(tmp_path):
    name = '<script>alert("$x_{")</script>'
    found = rd.select({name: arms.two_r(), 'other': arms.rp(), 'lost': tmp_path / '<b>.urdf'},
                      criteria=QUICK, samples=64, task={'to': 1.0})
    found.report(tmp_path / 'report.html')
    page = (tmp_path / 'report.html').read_text()
    assert '<script' not in page and '&lt;script&gt;' in page and '<b>.urdf' not in page
    assert not re.findall(r'(?:src|href)="(?!data:)', page)
    assert page.count('<img') >= 5  # the front, each arm drawn and its map
    assert 'bearing force' in page and 'Chosen' in page
    with pytest.raises(InputError, match='cannot be written'):
        found.report(tmp_path / 'no' / 'report.html')


def test_the_front_of_many(tmp_path):
    stack = arms.two_r().variants(a=[[1.0, 0.1 * k] for k in range(1, 20)])
    found = rd.select(stack, criteria=['condition', 'workspace'], samples=64)
    draw_front(found).savefig(tmp_path / 'front.png')
    assert (tmp_path / 'front.png').stat().st_size > 10_000
    assert 1 <= len(found.front) <= 19


def test_the_command(tmp_path, capsys):
    files = [str(URDF / 'rp.urdf'), str(URDF / 'pr.urdf'), str(tmp_path / 'gone.urdf')]
    options = ['--criteria', 'gim_operations,mci_operations,condition', '--samples', '64']
    assert main(['select', *files, *options]) == 0
    shown = capsys.readouterr().out
    assert 'Chosen: rp' in shown and 'gone' in shown and '4 M 2 A 0 T' in shown
    assert main(['select', *files, *options, '--json', '--report', str(tmp_path / 'a.html'),
                 '--plot', str(tmp_path / 'a.png')]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found['chosen'] == 'rp' and found['table']['gone']['reason']
    assert found['better']['gim_operations'] == ['rp']
    assert (tmp_path / 'a.html').is_file() and (tmp_path / 'a.png').is_file()


def test_the_command_with_a_template_and_a_task(tmp_path, capsys):
    (tmp_path / 'arm.yaml').write_text(arms.two_r(effort=80.0).dh.to_yaml())
    (tmp_path / 'template.yaml').write_text(
        'base: arm.yaml\nsamples: 16\nranges: {a.joint_1: [0.5, 1.0]}\n')
    (tmp_path / 'task.yaml').write_text('to: 0.5\nduration: 1\npayloads: [1.0]\n')
    command = ['select', '--template', str(tmp_path / 'template.yaml'), '--task',
               str(tmp_path / 'task.yaml'), '--criteria', 'condition,payload,energy',
               '--weights', 'payload=2,condition']
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert '16 arms' in shown and 'carries' in shown and 'a.joint_1' in shown
    assert main([*command, '--json']) == 0
    found = json.loads(capsys.readouterr().out)
    assert found['weights'] == {'payload': 2.0, 'condition': 1.0}
    assert len(found['sizing']['template'][0]['largest_payload']) == 16


@pytest.mark.parametrize(('words', 'said'), [
    (['select'], 'FILES'), (['select', 'x.urdf', '--weights', 'condition=a'], 'NAME=NUMBER'),
    (['select', 'x.urdf', '--criteria', 'beauty'], 'gim_operations'),
    (['select', 'gone.urdf', '--criteria', 'condition'], 'none can be loaded'),
    (['select', 'gone.urdf', '--report', '/nowhere/x.html'], 'no folder')])
def test_wrong_commands(words, said, capsys):
    assert main(words) == 1
    assert said in capsys.readouterr().err
