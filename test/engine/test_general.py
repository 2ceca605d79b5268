"""The general recursion of large robots: the same numbers, in the user's coordinates."""

import numpy as np
import pytest
from engine.engine_robots import CASES, states, tree

from robot_dynamics.algorithms.joints import cosines_sines
from robot_dynamics.engine import general, store
from robot_dynamics.engine.general import BEHIND, RECURSIONS, General


@pytest.mark.parametrize('name', BEHIND)
@pytest.mark.parametrize('robot', ['chain', 'signs', 'tree', 'mimic'])
def test_agrees_with_the_reference(robot, name):
    """Run as it stands, not compiled: what is compiled is the same code."""
    case = CASES[robot]
    kernels = case.kernels()
    recursion = General(kernels.spec, case.inertials, np.zeros(len(case.offset)))
    if not recursion.answers(name):
        assert (robot, name) == ('mimic', 'forward_dynamics')
        return
    arrays = list(states(case.n, 3))[:{'inertia_matrix': 1, 'gravity_torque': 1, 'bias': 2}.get(
        name, 3)]
    rest = np.zeros((3, case.n))
    friction = rest if len(arrays) < 2 else kernels._fallback.numbers.friction_torque(arrays[1])
    found = np.empty((3, case.n ** 2 if name == 'inertia_matrix' else case.n))
    assert not recursion.run(RECURSIONS[BEHIND[name]][0], name, arrays, friction, found)
    for k in range(3):
        expected, _ = kernels._fallback.reference(name, (), [x[k] for x in arrays])
        np.testing.assert_allclose(found[k], expected, rtol=1e-9, atol=1e-10)


def test_a_singular_robot_is_seen():
    case = CASES['chain']
    spec = case.kernels().spec
    recursion = General(spec, case.inertials, np.full(4, 1e9))
    out = np.empty((1, 4))
    assert recursion.run(general.forward_states, 'forward_dynamics',
                         list(states(4, 1)), np.zeros((1, 4)), out)


def test_large_robots_ask_for_it(monkeypatch):
    """A long chain is answered at once, by the algorithms, and has the recursion compiled."""
    asked = []
    monkeypatch.setattr(store.background.BACKGROUND, 'submit',
                        lambda job, done, wanted: asked.append((job[2:], done)))
    monkeypatch.setitem(store.LARGEST, 'inverse_dynamics', 100)
    monkeypatch.setattr(store.general, 'compiled', lambda kind, folder: RECURSIONS[kind][0])
    n = 150
    case = tree(np.arange(n) - 1, [False] * n, seed=8)
    kernels, (q, qd, qdd) = case.kernels(), states(n) / 10
    first = kernels.inverse_dynamics(q, qd, qdd, None)
    assert [job for job, _ in asked] == [('general', ('inverse',))]
    asked[0][1]('ok')
    np.testing.assert_allclose(kernels.inverse_dynamics(q, qd, qdd, None), first, rtol=1e-10)
    T, _ = kernels.evaluate('energies', (q, qd))  # too large to trace, no recursion of its own
    assert T > 0


def angle_states(geometry, inertials, q, out):
    """Stand for a recursion that numba compiles in no time."""
    for k in range(len(q)):
        c, s = cosines_sines(geometry, q[k])
        out[k] = c * inertials.mass + s


def test_compiled_once_for_all_robots_and_processes(tmp_path, monkeypatch):
    """What one process has compiled, the next one loads; users' own numba cache is left alone."""
    numba = pytest.importorskip('numba')
    before = numba.config.CACHE_DIR
    monkeypatch.setitem(RECURSIONS, 'angles', (angle_states, (2, 2)))
    for hits in (0, 1):
        recursion = general.compiled.__wrapped__('angles', tmp_path)
        assert len(recursion.stats.cache_hits) == hits
    case = CASES['chain']
    model = general.thawed(case.geometry), general.thawed(case.inertials)
    q, *_ = states(4, 3)
    found, expected = np.empty_like(q), np.empty_like(q)
    recursion(*model, q, found)
    angle_states(*model, q, expected)
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    assert numba.config.CACHE_DIR == before
