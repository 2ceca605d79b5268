"""The page without a browser: robots, runs, simulations, files, recordings."""

import asyncio
import re
import subprocess
import sys
import time
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('viser', reason='needs viser: the extra viewer brings it')

from page_client import PageClient

import robot_dynamics as rd
from robot_dynamics.cli.main import main
from robot_dynamics.errors import InputError
from robot_dynamics.viewer.layers import LAYERS
from robot_dynamics.viewer.motors import motors_of
from robot_dynamics.viewer.opening import fill
from robot_dynamics.viewer.page import opened
from robot_dynamics.viewer.panels.inertia_map import inertia_html
from robot_dynamics.viewer.panels.side import freedoms
from robot_dynamics.viewer.shown_robot import SEEN_THROUGH, STALE
from robot_dynamics.viewer.state import Carried

URDF = Path(__file__).parents[2] / 'urdf'
ROD = rd.DHRow(1, 0, 0, 0, mass=1, com=(-0.5, 0, 0), inertia=np.eye(3) / 12, effort=50)


@pytest.fixture
def page():
    with opened(port=0) as found:
        yield found


@pytest.fixture
def arm():
    return rd.Robot.from_dh([ROD, ROD], gravity=(0, -9.81, 0), name='arm')


def refuse(error):
    raise error


def until(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize(('file', 'options'), [
    ('puma560.urdf', {}), ('stanford.urdf', {}), ('five_bar.yaml', {}), ('stewart.yaml', {}),
    ('quadruped.yaml', {}), ('humanoid.urdf', {'base': 'floating'})])
def test_every_kind_has_a_body_and_all_layers(page, file, options):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        robot = rd.load(URDF / file, **options)
    shown = page.add_robot(robot)
    assert shown.parts and {part.source for part in shown.parts} <= {'visual', 'collision'}
    for title in LAYERS:
        page.drawing.boxes[title].value = True
    assert all(layer.on for layer in shown.layers.values())
    names = [node.name for layer in shown.layers.values() for node in layer.nodes]
    assert len(set(names)) == len(names)
    assert not [name for name in names if any(name.startswith(f'{other}/') for other in names)]
    motors = motors_of(shown)
    rest = np.zeros(robot.nv)
    wanted = robot.inverse_dynamics(shown.start, rest, rest)
    if len(wanted) == len(motors.names):
        assert np.allclose(motors.torque, wanted)
    else:
        assert np.allclose(motors.torque, wanted[len(wanted) - len(motors.names):])


def test_a_dh_table_is_a_body(page, arm):
    shown = page.add_robot(arm)
    assert {part.source for part in shown.parts} == {'DH table'}
    assert {part.body for part in shown.parts} == {0, 1}
    low, high = shown.bounds
    assert high[0] - low[0] == pytest.approx(2.0, abs=0.5)


def test_show_gravity_and_payload(page, arm):
    shown = page.add_robot(arm)
    page.show('arm', [0.3, -0.4], [1.0, 2.0])
    assert np.allclose(shown.link_pose('link_2'), arm.pose([0.3, -0.4]))
    assert np.allclose(shown.torque, arm.inverse_dynamics([0.3, -0.4], [1, 2], [0, 0]))
    page.show('arm', [0.3, -0.4], tau=[5.0, 6.0])
    assert np.allclose(shown.torque, [5, 6])
    page.show('arm', [0.3, -0.4])
    shown.change(gravity=np.array([0, -1.62, 0]),
                 payload=Carried('link_2', 2.0, np.array([0.1, 0, 0])))
    moon = arm.with_gravity((0, -1.62, 0)).with_payload('link_2', 2.0, (0.1, 0, 0))
    assert np.allclose(shown.torque, moon.gravity_torque([0.3, -0.4]))
    for wrong in ([1.0], [np.nan, 0.0]):
        with pytest.raises(InputError, match='q'):
            page.show('arm', wrong)
    with pytest.raises(InputError, match='on the page already'):
        page.add_robot(arm)


def test_bodies_are_seen_through_while_they_hide_something(page, arm):
    shown = page.add_robot(arm)
    assert {mesh.opacity for mesh in shown.meshes} == {None}
    page.drawing.boxes['link frames'].value = True
    assert {mesh.opacity for mesh in shown.meshes} == {SEEN_THROUGH}
    page.show('arm', [0.0, 0.0], stale=True)
    assert {mesh.opacity for mesh in shown.meshes} == {STALE}
    page.drawing.boxes['link frames'].value = False
    page.show('arm', [0.0, 0.0])
    page.drawing.solid.value = 0.7
    assert {mesh.opacity for mesh in shown.meshes} == {0.7}


def test_limits_that_mean_none_leave_sliders_of_use(page):
    shown = page.add_robot(rd.load(URDF / 'stanford.urdf'))
    assert shown.dynamics.limits.upper[2] == 1e9
    ranges = [(slider.min, slider.max) for _, slider in page.hands['stanford'].pose.sliders]
    assert ranges == [(-np.pi, np.pi), (-np.pi, np.pi), (-1.0, 1.0)]


def test_what_moves_is_counted(page, arm):
    free = rd.load(URDF / 'humanoid.urdf', base='floating')
    for robot, said in ((arm, '2 joints'), (rd.load(URDF / 'five_bar.yaml'),
                                               '2 freedoms, 2 motors'),
                        (rd.load(URDF / 'quadruped.yaml'), '6 freedoms, 12 motors'),
                        (free, '22 joints and a free base')):
        assert freedoms(page.add_robot(robot)) == said


@pytest.mark.parametrize('phone', [False, True])
def test_who_looks_already_is_turned_to_a_robot_that_comes(page, arm, phone):
    aimed = {}

    def seen(message, now):
        if message['type'].startswith('SetCamera') and not message['initial']:
            aimed[message['type']] = np.array(message.get('position', message.get('look_at')))

    async def look():
        client = PageClient(seen)
        await client.open(page.address, {'image_height': 844, 'image_width': 390} if phone else {})
        while not page.server.get_clients():
            await client.listen(time.monotonic() + 0.05)
        page.add_robot(arm)
        while len(aimed) < 2:
            await client.listen(time.monotonic() + 0.05)
        await client.listen(time.monotonic() + 0.2)
        await client.close()
    asyncio.run(asyncio.wait_for(look(), 60))
    low, high = page.robots['arm'].bounds
    size = np.linalg.norm(high - low)
    at, eye = aimed['SetCameraLookAtMessage'], aimed['SetCameraPositionMessage']
    assert np.allclose(at, (low + high) / 2 - [0, 0, 0.3 * size * phone], atol=1e-6)
    assert (np.linalg.norm(eye - at) > 2 * size) == phone


def test_passive_joints_follow(page):
    mechanism = rd.load(URDF / 'five_bar.yaml')
    shown = page.add_robot(mechanism)
    q = mechanism.neutral + np.array([0.1, -0.1])
    page.show(shown.name, q)
    assert np.allclose(shown.values, mechanism.assemble(q), atol=1e-9)
    assert len(page.hands[shown.name].pose.sliders) == 2


def test_a_simulation_is_played_and_is_that_of_simulate(page, arm):
    shown = page.add_robot(arm)
    page.simulate('let it fall', 0.4)
    until(lambda: not page.player.simulations)
    run = page.player.runs['arm']
    truth = rd.simulate(arm, shown.start, [0, 0], None, 0.4)
    assert np.allclose(run.q[-1], truth.q[-1], atol=1e-4)
    page.player.scrub(0.2)
    assert np.allclose(shown.state.q, truth.at(0.2)[0], atol=1e-2)
    page.show('arm', [0.5, 0.5])
    page.simulate('PD hold', 0.2)
    until(lambda: not page.player.simulations)
    assert np.allclose(page.player.runs['arm'].q, [0.5, 0.5], atol=1e-3)
    page.simulate('computed torque', 0.5, {'arm': np.array([0.8, 0.2])})
    until(lambda: not page.player.simulations)
    assert np.allclose(page.player.runs['arm'].q[-1], [0.8, 0.2], atol=1e-2)
    with pytest.raises(InputError, match='law'):
        page.simulate('fly')


def test_runs_side_by_side_and_a_recording(page, arm, tmp_path):
    fall = rd.simulate(arm, [0, 0], [0, 0], None, 0.3)
    other = rd.simulate(arm, [1, 0], [0, 0], None, 0.2)
    other.save(tmp_path / 'other.npz')
    fill(page, [arm, fall, tmp_path / 'other.npz'], None, refuse)
    assert list(page.robots) == ['arm', 'arm, other.npz']
    assert page.player.duration == pytest.approx(0.3)
    page.player.scrub(0.3)
    first, second = page.robots.values()
    assert np.allclose(first.state.q, fall.q[-1]) and np.allclose(second.state.q, other.q[-1])
    assert first.bounds[1][1] < second.bounds[0][1]  # beside, not inside
    page.record(tmp_path / 'run.html')
    text = (tmp_path / 'run.html').read_text(encoding='utf-8')
    assert text.lstrip().lower().startswith('<!doctype html') and '__VISER_EMBED_DATA__' in text
    with pytest.raises(InputError, match='cannot be written'):
        page.record(tmp_path / 'no' / 'run.html')


def test_candidates_of_select_stand_side_by_side(page, arm):
    stack = arm.variants(a=[[2.0, 1.0], [0.5, 1.0]])
    found = rd.select({'arm': arm, 'other': stack}, criteria=['condition', 'workspace'],
                      weights={'workspace': 1}, samples=16)
    assert found.chosen == 'other[0]'  # the longest
    fill(page, [found.robots()], None, refuse)
    assert next(iter(page.robots)) == found.chosen
    assert set(page.robots) == {'arm', 'other[0]', 'other[1]'}
    for name, robot in {'arm': arm, 'other[0]': stack[0], 'other[1]': stack[1]}.items():
        shown = page.robots[name]
        assert shown.title.visible and shown.title.text == name
        assert np.allclose(shown.torque, robot.gravity_torque(shown.state.q))
    boxes = [shown.bounds for shown in page.robots.values()]
    assert all(before[1][1] < after[0][1] for before, after in pairwise(boxes))
    assert list(found.robots(most=1)) == ['other[0]']
    with pytest.raises(InputError, match='most'):
        found.robots(0)


def test_select_opens_the_page():
    process = subprocess.Popen(
        [sys.executable, '-m', 'robot_dynamics.cli.main', 'select', str(URDF / 'puma560.urdf'),
         str(URDF / 'stanford.urdf'), '--criteria', 'condition', '--weights', 'condition',
         '--samples', '16', '--view', '--no-open', '--port', '0'],
        stdout=subprocess.PIPE, text=True)
    labels = {}

    def seen(message, now):
        if message['type'] == 'LabelMessage':
            labels[message['name']] = message['props']['text']

    async def look(address):
        client = PageClient(seen)
        await client.open(address)
        while len(labels) < 2:
            await client.listen(time.monotonic() + 0.2)
        await client.close()
    try:
        said = iter(process.stdout.readline, '')
        address = next(filter(None, (re.search(r'http://\S+', line) for line in said))).group()
        asyncio.run(asyncio.wait_for(look(address), 60))
        assert sorted(text.removesuffix(', chosen') for text in labels.values()) == [
            'puma560', 'stanford']
        assert sum(text.endswith(', chosen') for text in labels.values()) == 1
    finally:
        process.terminate()
        process.communicate()


def test_variants_of_other_lengths_are_drawn_from_their_tables():
    robot = rd.load(URDF / 'puma560.urdf')
    lengths = [row.a + 0.1 for row in robot.dh.rows]
    assert robot.dh.drawing is not None
    assert robot.variants(a=[lengths])[0].dh.drawing is None
    assert robot.variants(mass=[[1.0] * 6])[0].dh.drawing is robot.dh.drawing


def test_bags_bring_their_robot(page, arm, tmp_path):
    rosbags = pytest.importorskip('rosbags.rosbag2')
    from rosbags.typesys import Stores, get_typestore
    fall = rd.simulate(arm, [0, 0], [0, 0], None, 0.2)
    fall.save(tmp_path / 'bag')
    fill(page, [arm, tmp_path / 'bag'], None, refuse)
    assert page.player.duration == pytest.approx(0.2)
    types, kind = get_typestore(Stores.ROS2_HUMBLE), 'std_msgs/msg/String'
    with rosbags.Writer(tmp_path / 'described', version=9) as bag:
        topic = bag.add_connection('/robot_description', kind, typestore=types)
        bag.write(topic, 0, types.serialize_cdr(types.types[kind](data=arm.to_urdf()), kind))
        state = 'sensor_msgs/msg/JointState'
        topic = bag.add_connection('/joint_states', state, typestore=types)
        make = types.types
        for k in range(5):
            header = make['std_msgs/msg/Header'](make['builtin_interfaces/msg/Time'](0, k * 1000),
                                                 '')
            bag.write(topic, k, types.serialize_cdr(make[state](
                header, list(arm.joint_names), np.array([0.1 * k, 0.0]), np.zeros(0),
                np.zeros(0)), state))
    with opened(port=0) as empty:
        fill(empty, [tmp_path / 'described'], None, refuse)
        assert list(empty.robots) == ['arm'] and len(empty.player.runs['arm'].t) == 5
        with pytest.raises(InputError, match='of which robot'), opened(port=0) as none:
            fill(none, [fall], None, refuse)


def test_the_command_records_and_says_what_is_wrong(tmp_path, capsys):
    file = tmp_path / 'puma.html'
    assert main(['view', str(URDF / 'puma560.urdf'), '--port', '0', '--record', str(file)]) == 0
    assert file.stat().st_size > 500_000
    assert main(['view', str(tmp_path / 'none.urdf'), '--port', '0', '--record', str(file)]) == 1
    said = capsys.readouterr().err
    assert 'none.urdf' in said and said.count(f'wrote {file}') == 1  # by the first


def test_constraint_forces_have_their_numbers(page):
    mechanism = rd.load(URDF / 'five_bar.yaml')
    shown = page.add_robot(mechanism)
    page.drawing.boxes['constraint forces'].value = True
    rest = np.zeros(2)
    (force,) = mechanism.constraint_wrenches(mechanism.neutral, rest, rest)[:, 3:]
    arrow, label = shown.layers['constraint forces'].nodes
    size = np.linalg.norm(force)
    assert label.text.endswith(' N')
    assert float(label.text[:-2]) == pytest.approx(size, rel=6e-3)
    drawn = arrow.points[0, 1] - arrow.points[0, 0]
    assert np.allclose(drawn / np.linalg.norm(drawn), force / size, atol=1e-5)
    assert 0.12 <= np.linalg.norm(drawn) / shown.size <= 0.3 + 1e-6


@pytest.mark.parametrize('n', [3, 12, 40])
def test_the_map_says_its_units(n):
    I = np.diag(np.arange(2.0, n + 2))
    names, turns = tuple('j' * n), [False] * n
    html = inertia_html(I, np.ones(n), 2.0, names, turns)
    assert 'in kg m²<' in html
    assert (f'diagonal 2 to {n + 1} kg m²<' in html) == (n > 8)  # else the cells have numbers
    mixed = inertia_html(I, np.ones(n), 2.0, names, [*turns[1:], True])
    assert 'kg m², kg m with one slide, kg with two' in mixed
    assert (f'diagonal 2 to {n} kg m², {n + 1} to {n + 1} kg<' in mixed) == (n > 8)


def test_large_maps_are_pictures_of_as_many_points():
    import base64
    import io

    from PIL import Image
    I = np.diag(np.arange(1.0, 41)) + 0.1
    html = inertia_html(I, np.ones(40), 2.0, tuple('j' * 40), [False] * 40)
    data = html.split('base64,')[1].split('"')[0]
    picture = np.asarray(Image.open(io.BytesIO(base64.b64decode(data))))
    assert picture.shape == (40, 40, 3)
    assert (np.abs(picture.astype(int)[range(40), range(40)] - [178, 40, 44]) <= 1).all()
