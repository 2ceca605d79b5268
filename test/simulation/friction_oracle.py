"""Set-valued Coulomb friction without our code: Pinocchio, scipy's DOP853, events.

I(q) a + h(q, v) + B v + f = tau, where f_i = F_i sign(v_i) for a joint that slides, and any
|f_i| <= F_i keeps a joint at rest. A mode gives each joint 0 (at rest) or the sign in which it
slides. Where joints are at rest, the mode is found by trying all of them: one alone is consistent.
"""

import itertools
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp

LONGEST_STEP = 2e-3  # so that no event is passed and left within a step [s]
MOST_EVENTS = 1000


class FrictionOracle:
    """A URDF whose joints all turn or slide by one value, without stops."""

    def __init__(self, urdf: str):
        text = urdf if urdf.lstrip().startswith('<') else Path(urdf).read_text()
        self.model = pin.buildModelFromXML(text)
        assert self.model.nq == self.model.nv, 'continuous joints take two values in Pinocchio'
        self.data = self.model.createData()
        self.joint_names = [str(name) for name in self.model.names][1:]
        dynamics = {joint.get('name'): joint.find('dynamics')
                    for joint in ET.fromstring(text).findall('joint')}

        def values(what: str) -> np.ndarray:
            return np.array([0.0 if dynamics[name] is None else
                             float(dynamics[name].get(what, 0.0)) for name in self.joint_names])
        self.damping, self.friction = values('damping'), values('friction')

    def fall(self, q, v, tau, times, rtol: float = 1e-9):
        """Return joint values and rates (K, n) at times under constant torques (n,).

        q, v: initial joint values and rates, (n,); the first of the times is the beginning
        """
        q, v, n = np.array(q, float), np.array(v, float), len(q)
        tau, times = np.asarray(tau, float), np.asarray(times, float)
        mode = self.choose(q, v, tau, np.sign(v))
        t, rows = times[0], [np.concatenate([q, v])]
        for _ in range(MOST_EVENTS):
            motion = solve_ivp(
                lambda t, x, mode=mode: np.concatenate(
                    [x[n:], self.balance(x[:n], x[n:], tau, mode)[0]]),
                (t, times[-1]), np.concatenate([q, v]), method='DOP853', rtol=rtol,
                atol=1e-3 * rtol, max_step=LONGEST_STEP, dense_output=True,
                events=[self.event(i, mode, tau) for i in range(n)])
            wanted = times[(times > t) & (times <= motion.t[-1])]
            rows += [motion.sol(x) for x in wanted]
            if motion.status == 0:
                return np.array(rows)[:, :n], np.array(rows)[:, n:]
            assert motion.status == 1, motion.message
            t, (q, v) = motion.t[-1], np.split(motion.y[:, -1], 2)
            mode, v = self.after(q, v, tau, mode, next(
                i for i, found in enumerate(motion.t_events) if len(found)))
        raise AssertionError('events without end')

    def balance(self, q, v, tau, mode):
        """Return accelerations, and the friction that each joint at rest needs."""
        rest = np.flatnonzero(mode == 0)
        free = np.flatnonzero(mode)
        I = pin.crba(self.model, self.data, q)
        I = np.triu(I) + np.triu(I, 1).T
        b = tau - pin.nonLinearEffects(self.model, self.data, q, v) - self.damping * v
        a, needed = np.zeros_like(q), np.zeros_like(q)
        a[free] = np.linalg.solve(I[np.ix_(free, free)], (b - self.friction * mode)[free])
        needed[rest] = (b - I @ a)[rest]
        return a, needed

    def choose(self, q, v, tau, mode):
        """Return the consistent mode of a state; joints with a mode other than 0 keep it."""
        open_joints = np.flatnonzero(mode == 0)
        best, least = mode, np.inf
        for signs in itertools.product((0, 1, -1), repeat=len(open_joints)):
            trial = mode.copy()
            trial[open_joints] = signs
            a, needed = self.balance(q, v, tau, trial)
            wrong = np.where(trial[open_joints] == 0,
                             np.abs(needed)[open_joints] - self.friction[open_joints],
                             -(trial * a)[open_joints]).max(initial=0.0)
            if wrong < least:
                best, least = trial, wrong
            if least <= 0:
                break
        assert least < 1e-6, 'no mode is consistent'
        return best

    def event(self, i, mode, tau):
        """Return the function whose zero ends joint i's mode."""
        n = len(mode)

        def slides(t, x):
            return mode[i] * x[n + i]

        def rests(t, x):
            return self.friction[i] - abs(self.balance(x[:n], x[n:], tau, mode)[1][i])
        found = slides if mode[i] else rests
        found.terminal, found.direction = True, -1
        return found

    def after(self, q, v, tau, mode, i):
        """Return mode and rates after joint i came to rest, or broke loose."""
        mode, v = mode.copy(), v.copy()
        if mode[i] == 0:
            mode[i] = np.sign(self.balance(q, v, tau, mode)[1][i])
        else:
            mode[i], v[i] = 0, 0.0
        return self.choose(q, v, tau, mode), v
