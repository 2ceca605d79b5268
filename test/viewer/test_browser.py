"""The page in a real Chromium: what is shown is what the model says, and hands move the robot."""

import asyncio
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('viser', reason='needs viser: the extra viewer brings it')

from page_client import PageClient

import robot_dynamics as rd
from robot_dynamics.viewer.page import opened

URDF = Path(__file__).parents[2] / 'urdf'
PATIENCE = 120_000  # [ms]: software graphics on a busy machine take their time
OVERTAKEN = 'Tried to update non-existent component'  # of a plot that was replaced meanwhile
SIZE = {'width': 860, 'height': 420}  # little of it is the scene: it is drawn by software


@pytest.fixture(scope='module')
def robot():
    return rd.load(URDF / 'panda_like.urdf.xacro')


@pytest.fixture(scope='module')
def page(robot):
    with opened(port=0) as found:
        found.add_robot(robot, 'arm')
        yield found


@pytest.fixture(scope='module')
def tab(browser, page):
    """A tab with the page; `tab.said` has what its console and scripts said was wrong."""
    found = opened_tab(browser, page)
    yield found
    found.close()


def opened_tab(browser, page):
    """Return a browser of its own, with its own cookies, that looks at the page."""
    found = browser.new_page(viewport=SIZE)
    found.set_default_timeout(PATIENCE)
    found.said = []
    found.on('console', lambda message: found.said.append(message.text)
             if message.type == 'error' and OVERTAKEN not in message.text else None)
    found.on('pageerror', lambda error: found.said.append(str(error)))
    found.goto(page.address)
    found.locator('.rd-torque').first.wait_for()
    warning = found.locator('.mantine-Notification-closeButton')
    warning.first.wait_for()  # that the graphics are software: it covers the tabs
    warning.first.dispatch_event('click')
    warning.first.wait_for(state='detached')
    return found


def torques(tab):
    return [float(text) for text in tab.locator('.rd-torque').all_inner_texts()]


def digits(values):
    """Return numbers as the page shows them, to four digits; rounding about zero is nothing."""
    return pytest.approx(list(values), rel=6e-4, abs=1e-9)


def until(tab, condition, seconds=PATIENCE / 1000):
    """Wait for something that happens on the page or behind it."""
    for _ in range(int(seconds / 0.1)):
        if condition():
            return
        tab.wait_for_timeout(100)
    assert condition()


def open_tab(tab, name):
    tab.get_by_role('tab', name=name).click()


def move_joint(tab, k, value):
    """Write a value into the box of a joint's slider."""
    box = tab.get_by_role('textbox').nth(k)
    box.fill(str(value))
    box.press('Enter')


def test_the_page_loads_without_errors_and_has_a_scene(tab):
    tab.locator('canvas').first.wait_for()
    assert tab.locator('.rd-torques').count() == 1
    assert tab.said == []


def test_sliders_move_the_robot_and_its_torques_are_those_of_gravity(tab, page, robot):
    shown = page.robots['arm']
    exact = shown.state.q + 1e-5 / 3  # sliders show fewer digits
    page.show('arm', exact)
    before = shown.frames[-1].position.copy()
    move_joint(tab, 1, 0.6)
    until(tab, lambda: shown.state.q[1] == pytest.approx(0.6, abs=1e-3))
    q = shown.state.q.copy()
    assert q[1] != 0 and np.array_equal(np.delete(q, 1), np.delete(exact, 1))
    until(tab, lambda: not np.allclose(shown.frames[-1].position, before))
    tip = shown.link_pose(robot.tip_names[0])
    assert np.allclose(tip, robot.pose(q), atol=1e-12)
    until(tab, lambda: torques(tab) == digits(robot.gravity_torque(q)))
    assert any(torques(tab))


def test_the_map_has_a_cell_for_each_entry(tab, page, robot):
    assert tab.locator('.rd-inertia .rd-cell').count() == robot.n ** 2
    q = page.robots['arm'].state.q
    cells = [float(text) for text in tab.locator('.rd-cell text').all_text_contents()]
    wanted = robot.inertia_matrix(q).ravel()
    assert cells == pytest.approx(wanted, rel=6e-3, abs=1e-9)  # three digits are shown
    condition = float(tab.locator('.rd-condition').inner_text())
    assert condition == pytest.approx(np.linalg.cond(robot.inertia_matrix(q)), rel=6e-4)


@pytest.mark.slow  # both are drawn by software
def test_two_browsers_at_once_see_the_same(tab, browser, page, robot):
    other, shown = opened_tab(browser, page), page.robots['arm']
    for hand, value in ((other, -0.4), (tab, -1.6)):
        move_joint(hand, 3, value)
        until(hand, lambda value=value: shown.state.q[3] == pytest.approx(value, abs=2e-3))
        wanted = digits(robot.gravity_torque(shown.state.q))
        for eye in (tab, other):
            until(eye, lambda eye=eye, wanted=wanted: torques(eye) == wanted)
    assert not other.said and not tab.said
    other.close()
    until(tab, lambda: len(page.server.get_clients()) == 1)  # the tests below go on with it


@pytest.mark.slow
def test_a_pull_changes_the_torques(tab, page, robot):
    open_tab(tab, 'Loads')
    tab.get_by_label('Pull with a spring').click(force=True)
    loads = page.hands['arm'].loads
    until(tab, lambda: loads.pulling.value)
    shown = page.robots['arm']
    place = shown.link_pose(robot.tip_names[0])[:3, 3] + [0.1, -0.2, 0.3]

    async def drag():  # what a browser sends while somebody drags the gizmo
        client = PageClient(lambda message, now: None)
        await client.open(page.address)
        await client.send({'type': 'TransformControlsUpdateMessage', 'name': loads.handle.name,
                           'wxyz': (1.0, 0.0, 0.0, 0.0), 'position': place.tolist()})
        await asyncio.sleep(0.5)
        await client.close()
    run_apart(drag)
    until(tab, lambda: shown.state.external is not None
          and np.linalg.norm(shown.state.external[robot.tip_names[0]]) > 1)
    q, rest = shown.state.q, np.zeros(robot.n)
    force = np.array([0.1, -0.2, 0.3]) * loads.stiffness.value
    wrench = np.concatenate([np.zeros(3), force])
    wanted = robot.inverse_dynamics(q, rest, rest, external={robot.tip_names[0]: wrench})
    until(tab, lambda: torques(tab) == digits(wanted))
    assert torques(tab) != digits(robot.gravity_torque(q))
    assert float(tab.locator('.rd-pull').inner_text()) == pytest.approx(
        np.linalg.norm(force), rel=1e-3)
    tab.get_by_label('Pull with a spring').click(force=True)
    until(tab, lambda: torques(tab) == digits(robot.gravity_torque(q)))


def run_apart(work):
    """Run a coroutine in a thread of its own: in this one Playwright's loop runs."""
    thread = threading.Thread(target=lambda: asyncio.run(work()))
    thread.start()
    thread.join()


def test_a_fall_is_played(tab, page, robot):
    open_tab(tab, 'Play')
    start = page.robots['arm'].state.q.copy()
    page.playing.span.value = 0.3
    tab.get_by_role('button', name='Start').click()
    until(tab, lambda: float(tab.locator('.rd-kinetic').inner_text()) > 0)
    until(tab, lambda: 'arm' in page.player.runs and not page.player.simulations)
    run = page.player.runs['arm']
    truth = rd.simulate(robot, start, np.zeros(robot.n), None, 0.3)
    assert np.allclose(run.q[0], start) and np.allclose(run.q[-1], truth.q[-1], atol=1e-3)
    assert not np.allclose(run.q[-1], start, atol=0.05)
    tab.get_by_role('button', name='Play', exact=True).click()
    until(tab, lambda: not page.player.playing and page.player.time == pytest.approx(0.3))
    assert tab.locator('.uplot').count() == 2  # energies, and the plot that follows
    assert tab.said == []


def test_a_broken_file_gives_a_message(browser, tmp_path):
    file = tmp_path / 'broken.urdf'
    file.write_text('<robot name="x"><link name="a"/><joint name="j" type="revolute"/></robot>')
    process = subprocess.Popen(
        [sys.executable, '-m', 'robot_dynamics.cli.main', 'view', str(file), '--no-open',
         '--port', '0'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        address = re.search(r'http://\S+', process.stdout.readline()).group()
        said = process.stderr.readline()
        assert str(file) in said and "joint 'j'" in said
        found = browser.new_page(viewport={'width': 500, 'height': 400})
        found.set_default_timeout(PATIENCE)
        found.goto(address)
        found.get_by_text("joint 'j'").first.wait_for()
        found.close()
    finally:
        process.terminate()
        process.communicate()
