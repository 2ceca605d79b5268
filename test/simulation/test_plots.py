"""Plots: what stands in the panels, in which units, and what is said without matplotlib."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import robot_dynamics as rd
from robot_dynamics.cli.main import main
from robot_dynamics.simulation import plots
from robot_dynamics.simulation.joint_facts import unit

TIMES = np.linspace(0, 0.2, 21)


def lines(axis, label):
    return [line for line in axis.lines if line.get_label() == label]


def at_samples(line):
    t, y = line.get_data()
    return y[np.isin(t, TIMES)]


def test_a_panel_for_each_joint_with_its_own_unit():
    robot = rd.load('rp')
    figure = rd.simulate(robot, [0.1, 0.2], [0, 0], None, TIMES).plot(
        what=('q', 'qd', 'qdd', 'tau', 'energy', 'power'))
    labels = [axis.get_ylabel() for axis in figure.axes]
    names = robot.joint_names
    slides = [row.joint == 'prismatic' for row in robot.dh.rows]
    assert slides == [False, True]
    assert labels == [
        f'{names[0]}\n[rad]', f'{names[1]}\n[m]', '[rad/s]', '[m/s]', '[rad/s²]', '[m/s²]',
        '[N m]', '[N]', 'energy [J]', 'power [W]']
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()][:1] == ['motion']
    assert all(axis.get_legend() is None for axis in figure.axes)


def test_reference_and_error_under_control():
    robot = rd.load('panda_like')
    start = np.array([0, -0.8, 0, -2.3, 0, 1.6, 0.8])
    motion = rd.cycloidal(start, start + 0.1, 0.2)
    run = rd.simulate(robot, start, np.zeros(7), rd.ComputedTorque(robot, motion, 5.0), TIMES,
                      method='rk4')
    assert np.array_equal(run.reference, motion(TIMES)[0])
    figure = run.plot(what=('q',))
    q, error = figure.axes[:7], figure.axes[7:14]
    for k in range(7):
        (reference,) = lines(q[k], 'reference')
        assert at_samples(reference) == pytest.approx(motion(TIMES)[0][:, k], abs=1e-12)
        (off,) = lines(error[k], 'error')
        assert at_samples(off) == pytest.approx((run.q - motion(TIMES)[0])[:, k], abs=1e-15)


def test_near_limits_are_drawn_and_far_ones_said():
    robot = rd.load('panda_like')
    q = np.array([2.8, 0, 0, -1.5, 0, 1.5, 0])
    run = rd.simulate(robot, q, [0.5, 0, 0, 0, 0, 0, 0], None, TIMES, method='rk4')
    figure = run.plot(what=('q', 'qd', 'tau'))
    first = figure.axes[0]
    assert [line.get_ydata()[0] for line in lines(first, 'limit')] == [robot.limits.upper[0]]
    assert [text.get_text() for text in first.texts] == ['other limit -2.897']
    assert not lines(figure.axes[14], 'limit')  # no torque acts, 87 N m are far away
    assert [text.get_text() for text in figure.axes[14].texts] == ['limits ±87']


def free_fall():
    robot = rd.load('humanoid', base='floating')
    return rd.simulate(robot, robot.neutral, np.zeros(robot.n), None, TIMES)


def under_control():
    robot, start = rd.load('panda_like'), np.array([0, -0.8, 0, -2.3, 0, 1.6, 0.8])
    law = rd.ComputedTorque(robot, rd.cycloidal(start, start + 0.1, 0.2), 5.0)
    return rd.simulate(robot, start, np.zeros(7), law, TIMES)


def ended():
    five_bar = rd.load('five_bar')
    with pytest.warns(rd.RobotDynamicsWarning, match='the loops are singular'):
        return rd.simulate(five_bar, five_bar.neutral, [0, 0], [40, -40], 2.0)


class Compared:
    """A motion with a payload, drawn beside that without."""

    def plot(self):
        loaded, bare = by_hand()
        return loaded.plot(robot=rd.load('panda_like'), other=bare, labels=('3 kg', 'without'))


def by_hand():
    """Return a motion with a payload and the same one without, of which no robot is known."""
    arm, start = rd.load('panda_like'), np.array([0, -0.8, 0, -2.3, 0, 1.6, 0.8])
    q, qd, qdd = rd.cycloidal(start, start + 0.1, 0.2)(TIMES)
    return [rd.Trajectory(
        arm.joint_names, TIMES, q, qd, qdd, robot.inverse_dynamics(q, qd, qdd),
        robot.kinetic_energy(q, qd), robot.potential_energy(q))
        for robot in (arm.with_payload('flange', 3.0), arm)]


def test_one_quantity_takes_the_whole_width():
    loaded, _ = by_hand()
    width = [axis.get_position().x1 - axis.get_position().x0 for axis in loaded.plot(
        what=('tau',)).axes + loaded.plot(what=('energy',)).axes]
    assert min(width) > 0.8
    for what in (('tau',), ('q', 'tau'), ('energy',)):
        figure = loaded.plot(what=what)
        (time,) = [text for text in figure.texts if text.get_text() == 'time [s]']
        panels = [axis.get_position() for axis in figure.axes]
        middle = (min(box.x0 for box in panels) + max(box.x1 for box in panels)) / 2
        assert time.get_position()[0] == pytest.approx(middle)


def test_a_motion_made_by_hand_learns_of_its_robot():
    loaded, _ = by_hand()
    assert loaded.plot(what=('tau',)).axes[0].get_ylabel() == 'joint_1\n[N m or N]'
    figure = loaded.plot(what=('tau',), robot=rd.load('panda_like'))
    assert figure.axes[0].get_ylabel() == 'joint_1\n[N m]'
    assert all(lines(axis, 'limit') or axis.texts for axis in figure.axes)
    assert loaded.joints is None
    assert figure.texts[0].get_text() == 'panda_like: 7 joints, 0 to 0.2 s'
    for wrong in (rd.load('puma560'), 3):
        with pytest.raises(rd.InputError, match='robot: expected the one of this motion'):
            loaded.plot(robot=wrong)


def test_two_motions_in_one_plot():
    loaded, bare = by_hand()
    figure = loaded.plot(what=('tau', 'power', 'energy'), other=bare, labels=('3 kg', 'empty'))
    for k in range(7):
        axis = figure.axes[k]
        for run, label in ((loaded, '3 kg'), (bare, 'empty')):
            (line,) = lines(axis, label)
            assert at_samples(line) == pytest.approx(run.tau[:, k])
        assert lines(axis, '3 kg')[0].get_color() != lines(axis, 'empty')[0].get_color()
        assert lines(axis, '3 kg')[0].zorder > lines(axis, 'empty')[0].zorder
    assert at_samples(lines(figure.axes[7], 'empty')[0]) == pytest.approx(bare.power)
    assert at_samples(lines(figure.axes[8], 'energies empty')[0]) == pytest.approx(bare.energy)
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words == ['3 kg', 'empty', 'kinetic', 'potential', 'total', 'energies empty']
    assert lines(loaded.plot(other=bare).axes[0], 'other')


def test_what_cannot_be_compared():
    loaded, bare = by_hand()
    for other in (rd.simulate(rd.load('rp'), [0.1, 0.2], [0, 0], None, TIMES), 3):
        with pytest.raises(rd.InputError, match='other: expected a Trajectory of the same joints'):
            loaded.plot(other=other)
    for labels in ('ab', ('a',)):
        with pytest.raises(rd.InputError, match='labels=.* expected two'):
            loaded.plot(other=bare, labels=labels)


def test_torques_with_and_without_a_payload(tmp_path, monkeypatch, capsys):
    drawn = []
    monkeypatch.setattr(plots, 'save_figure', lambda figure, file: drawn.append(figure))
    begin = ['torque', 'panda_like', '--from', '0,-0.8,0,-2.3,0,1.6,0.8', '--to',
             '1,0,0,-1.5,0,2,0', '--plot', str(tmp_path / 'x.png')]
    assert main([*begin, '--payload', 'flange=2']) == 0
    assert main(begin) == 0
    with_payload, without = drawn
    axis = with_payload.axes[15]
    (heavy,), (light,) = lines(axis, 'with flange=2 kg'), lines(axis, 'without')
    assert np.abs(heavy.get_ydata()).max() > np.abs(light.get_ydata()).max()
    np.testing.assert_allclose(light.get_ydata(), lines(without.axes[15], 'motion')[0].get_ydata())
    assert not lines(without.axes[15], 'without')


@pytest.mark.parametrize('run', [
    under_control, ended, Compared, pytest.param(free_fall, marks=pytest.mark.slow)])
def test_no_text_lies_over_another_or_over_a_curve(run):
    """Limits stand above their panel, units beside the numbers, the end of a run in its line."""
    figure = run().plot()
    figure.canvas.draw()
    page = figure.bbox
    for text in figure.texts:
        assert page.containsx(text.get_window_extent().x1), text.get_text()
    for axis in figure.axes:
        panel, label = axis.get_window_extent(), axis.yaxis.label.get_window_extent()
        assert all(text.get_window_extent().y0 >= panel.y1 for text in axis.texts)
        assert axis.yaxis.get_offset_text().get_window_extent().height < 10
        assert not any(tick.get_window_extent().overlaps(label)
                       for tick in axis.yaxis.get_ticklabels())
        assert not any(other is not axis and other.get_window_extent().overlaps(label)
                       for other in figure.axes)


def test_joints_of_a_floating_robot_are_level_and_have_their_limits():
    robot = rd.load('humanoid', base='floating')
    q = robot.neutral.copy()
    run = rd.simulate(robot, q, np.zeros(robot.n), None, TIMES[:3])
    figure = run.plot(what=('q', 'qd'))
    many = robot.nq
    values, rates = figure.axes[:many], figure.axes[many:]
    floor = {name: axis.get_position().y0
             for name, axis in zip(run.value_names, values, strict=True)}
    for name, axis in zip(run.joint_names, rates, strict=True):
        beside = {'v': name.replace('/v', '/'), 'w': name.replace('/w', '/q')}
        level = beside[name.partition('/')[2][0]] if '/' in name else name
        assert axis.get_position().y0 == pytest.approx(floor[level])
    for j in range(6, robot.n):
        if np.isfinite(robot.limits.upper[j]):
            panel = values[j + 1]
            assert lines(panel, 'limit') or panel.texts
            assert lines(rates[j], 'limit') or rates[j].texts


def test_one_joint_is_one():
    four_bar = rd.load('four_bar')
    run = rd.simulate(four_bar, four_bar.neutral, [0.0], None, TIMES)
    assert '1 joint,' in run.plot(what=('q',)).texts[0].get_text()
    assert repr(run).endswith('of 1 joint)')
    assert ': 1 joint (' in repr(four_bar)


def test_rounding_is_drawn_as_a_line():
    robot = rd.load('rp')
    run = rd.simulate(robot, [0.1, 0.2], [0, 0], None, TIMES)
    noise = replace(run, q=np.stack([1e-16 * np.sin(50 * TIMES), run.q[:, 1]], 1))
    low, high = noise.plot(what=('q',)).axes[0].get_ylim()
    assert (low, high) == pytest.approx((-0.05, 0.05))


def test_a_loop_has_a_reference_too():
    mechanism = rd.load('four_bar')
    q = np.zeros(1)
    law = rd.PDGravity(mechanism, q, 10.0, 1.0)
    run = rd.simulate(mechanism, q, [0.0], law, TIMES)
    assert np.array_equal(run.reference, np.broadcast_to(q, (len(TIMES), 1)))


def test_quaternions_have_no_unit():
    assert unit('q', 'base/qx', None) == '1'
    assert unit('q', 'base/x', None) == 'm'
    assert unit('qd', 'base/wx', None) == 'rad/s'
    assert unit('tau', 'base/vx', None) == 'N'
    assert unit('tau', 'elbow', None) == 'N m or N'


def test_dark_paper_is_dark(tmp_path):
    run = rd.simulate(rd.load('rp'), [0.1, 0.2], [0, 0], None, TIMES)
    light, dark = (sum(run.plot(what=('q',), theme=theme).get_facecolor()[:3])
                   for theme in ('light', 'dark'))
    assert light == 3.0 and dark < 0.5
    with pytest.raises(rd.InputError, match="theme='blue': expected one of 'light', 'dark'"):
        run.plot(theme='blue')


@pytest.mark.parametrize('code', [
    "rd.simulate(rd.load('rp'), [0.1, 0.2], [0, 0], None, 0.1).plot()",
    "from robot_dynamics.cli.main import main; raise SystemExit(main("
    "['info', 'rp', '--plot', 'a.png']))"])
def test_without_matplotlib_it_is_said_what_to_install(code, tmp_path):
    (tmp_path / 'matplotlib.py').write_text(
        'raise ModuleNotFoundError("No module named \'matplotlib\'", name="matplotlib")\n')
    done = subprocess.run(
        [sys.executable, '-W', 'ignore', '-c', f'import robot_dynamics as rd; {code}'],
        cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install 'robot-dynamics[plot]'" in done.stderr.splitlines()[-1]
