"""Where implicit solvers look to learn how forces change, and what that does not say."""

import numpy as np
import pytest
import yaml

import robot_dynamics as rd

LINK = """<link name="l{}"><inertial><mass value="1"/><origin xyz="{} {} {}"/>
<inertia ixx=".02" iyy=".03" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="j{0}" type="continuous"><parent link="l{0}"/><child link="l{1}"/>
<origin xyz="{2} {3} {4}" rpy="{5} {6} {7}"/><axis xyz="0 0 1"/></joint>"""


def welded_loop(folder, seed):
    """Return eight joints in space whose last link is welded to the ground: two freedoms."""
    rng = np.random.default_rng(seed)
    text = '<robot name="welded"><link name="l0"/>' + ''.join(
        JOINT.format(k, k + 1, *rng.uniform(-0.4, 0.4, 3), *rng.uniform(-1.5, 1.5, 3))
        + LINK.format(k + 1, *rng.uniform(-0.2, 0.2, 3)) for k in range(8)) + '</robot>'
    start = rng.uniform(-0.6, 0.6, 8)
    T = rd.load(text).pose(start, 'l8')
    pitch = -np.arcsin(T[2, 0])
    rpy = [np.arctan2(T[2, 1], T[2, 2]), pitch, np.arctan2(T[1, 0], T[0, 0])]
    (folder / 'welded.urdf').write_text(text)
    (folder / 'welded.yaml').write_text(yaml.safe_dump({
        'robot': 'welded.urdf', 'actuated': ['j0', 'j4'],
        'start': {f'j{k}': float(x) for k, x in enumerate(start)},
        'loops': [{'name': 'weld', 'joint': 'fixed', 'between': ['l8', 'world'], 'at': [
            {}, {'xyz': T[:3, 3].tolist(), 'rpy': [float(x) for x in rpy]}]}]}))
    return rd.load_mechanism(folder / 'welded.yaml')


@pytest.mark.filterwarnings('ignore:the simulation stopped')
@pytest.mark.parametrize('seed', [0, 5, 12, 14])
def test_radau_goes_as_far_as_others(tmp_path, seed):
    """States beside the motion that cannot be assembled do not end it: singular loops do."""
    loop = welded_loop(tmp_path, seed)
    found, other = (rd.simulate(loop, loop.neutral, [0.2, -0.1], [0.0, 0.0], 0.6, method=method,
                                limits=False) for method in ('Radau', 'DOP853'))
    assert found.t[-1] == pytest.approx(other.t[-1], abs=1e-4)
    if not other.stopped:
        np.testing.assert_allclose(found.q[-1], other.q[-1], atol=1e-4)
    assert np.ptp(found.energy) < 1e-3


def test_probes_stay_near():
    """A joint that matters to nothing is not tried ever farther away."""
    cart = rd.load(
        '<robot name="cart"><link name="rail"/>'
        '<link name="cart"><inertial><mass value="1"/>{0}</inertial></link>'
        '<link name="rod"><inertial><mass value="1"/><origin xyz="0.3 0 0"/>{0}</inertial></link>'
        '<joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/>'
        '<axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="0" velocity="0"/></joint>'
        '<joint name="swing" type="continuous"><parent link="cart"/><child link="rod"/>'
        '<axis xyz="0 1 0"/></joint></robot>'.format(
            '<inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/>'))
    seen = []

    def law(t, q, qd):
        seen.append(q[0])
        return np.array([0.0, -50.0 * qd[1]])
    found = rd.simulate(cart, [0.1, 0.2], [0.0, 1.0], law, 5.0, method='Radau', limits=False)
    assert np.abs(seen).max() < np.abs(found.q[:, 0]).max() + 0.1
