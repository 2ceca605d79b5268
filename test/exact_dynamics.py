"""Dynamics of a URDF in long double, from the file itself: the judge of digits, not of equations.

Neither our model nor Pinocchio's is asked: the tree is read with xml.etree, every link keeps the
frame the file gives it, and the recursion of Newton and Euler runs in root axes. What the file
says is taken as doubles, as both readers do; all that follows has 64 bits of fraction.
"""

import xml.etree.ElementTree as ElementTree
from typing import NamedTuple

import numpy as np

Real = np.longdouble
DIGITS = np.finfo(Real).eps < 1e-18  # where long double is double there is nothing to judge with
EYE = np.eye(3, dtype=Real)


class ExactJoint(NamedTuple):
    """A joint of the tree; `column` is its place among the moving ones, -1 where it is fixed."""

    kind: str
    parent: str
    child: str
    R: np.ndarray
    p: np.ndarray
    axis: np.ndarray
    column: int


class ExactTree:
    """A robot of revolute, continuous, prismatic and fixed joints; mimics are free."""

    def __init__(self, text: str, joint_names, gravity=(0.0, 0.0, -9.81)):
        root = ElementTree.fromstring(text)
        self.gravity = _vector(gravity)
        self.n = len(joint_names)
        self.bodies = {link.get('name'): _inertial(link) for link in root.iter('link')
                       if link in list(root)}
        hanging: dict[str, list] = {name: [] for name in self.bodies}
        children = set()
        for joint in root.findall('joint'):
            hanging[joint.find('parent').get('link')].append(joint)
            children.add(joint.find('child').get('link'))
        self.root = next(name for name in self.bodies if name not in children)
        self.joints, waiting = [], [self.root]
        while waiting:
            for joint in hanging[waiting.pop()]:
                self.joints.append(_joint(joint, list(joint_names)))
                waiting.append(self.joints[-1].child)

    def inverse_dynamics(self, q, qd, qdd):
        """Return the torques, (n,) long doubles."""
        q, qd, qdd = _vector(q), _vector(qd), _vector(qdd)
        zero = np.zeros(3, Real)
        # link -> axes, origin, angular velocity and acceleration, acceleration of the origin
        state = {self.root: (EYE, zero, zero, zero, -self.gravity)}
        for joint in self.joints:
            state[joint.child] = self._outward(joint, state[joint.parent], q, qd, qdd)
        force = {name: self._wrench(name, *state[name]) for name in self.bodies if name in state}
        tau = np.zeros(self.n, Real)
        for joint in reversed(self.joints):  # n about the root frame's origin, f
            n, f = force[joint.child]
            n_parent, f_parent = force[joint.parent]
            force[joint.parent] = n_parent + n, f_parent + f
            if joint.column >= 0:
                R, p = state[joint.child][:2]
                z = R @ joint.axis
                tau[joint.column] = z @ f if joint.kind == 'prismatic' else z @ (
                    n - np.cross(p, f))
        return tau

    def inertia_matrix(self, q):
        """Return the GIM column by column, (n, n)."""
        still, gravity = np.zeros(self.n), self.gravity
        self.gravity = np.zeros(3, Real)
        columns = [self.inverse_dynamics(q, still, unit) for unit in np.eye(self.n)]
        self.gravity = gravity
        return np.array(columns).T

    def forward_dynamics(self, q, qd, tau):
        """Return the accelerations by Cholesky, (n,)."""
        return solve(self.inertia_matrix(q),
                     _vector(tau) - self.inverse_dynamics(q, qd, np.zeros(self.n)))

    def _outward(self, joint, before, q, qd, qdd):
        R, p, w, wd, a = before
        r = R @ joint.p
        a = a + np.cross(wd, r) + np.cross(w, np.cross(w, r))
        p, R = p + r, R @ joint.R
        if joint.column < 0:
            return R, p, w, wd, a
        z = R @ joint.axis
        value, rate, acceleration = (x[joint.column] for x in (q, qd, qdd))
        if joint.kind == 'prismatic':
            r = z * value
            a = (a + np.cross(wd, r) + np.cross(w, np.cross(w, r)) + z * acceleration
                 + 2 * rate * np.cross(w, z))
            return R, p + r, w, wd, a
        return (R @ about(joint.axis, value), p, w + z * rate,
                wd + z * acceleration + rate * np.cross(w, z), a)

    def _wrench(self, name, R, p, w, wd, a):
        m, com, inertia = self.bodies[name]
        c = R @ com
        f = m * (a + np.cross(wd, c) + np.cross(w, np.cross(w, c)))
        inertia = R @ inertia @ R.T
        n = inertia @ wd + np.cross(w, inertia @ w)
        return n + np.cross(p + c, f), f


def about(axis, angle):
    """Return the rotation about a unit vector (Rodrigues)."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], Real)
    return EYE + np.sin(angle) * K + 2 * np.sin(angle / 2)**2 * (K @ K)


def solve(I, b):
    """Solve I x = b by Cholesky in long double (numpy's own is in double)."""
    n = len(b)
    L = np.zeros((n, n), Real)
    for j in range(n):
        L[j, j] = np.sqrt(I[j, j] - L[j, :j] @ L[j, :j])
        for i in range(j + 1, n):
            L[i, j] = (I[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
    y, x = np.zeros(n, Real), np.zeros(n, Real)
    for i in range(n):
        y[i] = (b[i] - L[i, :i] @ y[:i]) / L[i, i]
    for i in reversed(range(n)):
        x[i] = (y[i] - L[i + 1:, i] @ x[i + 1:]) / L[i, i]
    return x


def _vector(values):
    return np.array([float(value) for value in values]).astype(Real)


def _numbers(element, key, default):
    return _vector((element.get(key, default) if element is not None else default).split())


def _origin(element):
    origin = element.find('origin')
    roll, pitch, yaw = _numbers(origin, 'rpy', '0 0 0')
    R = about(EYE[2], yaw) @ about(EYE[1], pitch) @ about(EYE[0], roll)
    return R, _numbers(origin, 'xyz', '0 0 0')


def _inertial(link):
    inertial = link.find('inertial')
    if inertial is None:
        return Real(0), np.zeros(3, Real), np.zeros((3, 3), Real)
    R, com = _origin(inertial)
    xx, xy, xz, yy, yz, zz = (Real(float(inertial.find('inertia').get(key)))
                              for key in ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'))
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], Real)
    return Real(float(inertial.find('mass').get('value'))), com, R @ inertia @ R.T


def _joint(joint, names):
    kind, name = joint.get('type'), joint.get('name')
    axis = EYE[0] if kind == 'fixed' else _numbers(joint.find('axis'), 'xyz', '1 0 0')
    if kind not in ('revolute', 'continuous', 'prismatic', 'fixed'):
        raise ValueError(f'{name}: {kind} joints are not judged here')
    return ExactJoint(kind, joint.find('parent').get('link'), joint.find('child').get('link'),
                      *_origin(joint), axis / np.sqrt(axis @ axis),
                      names.index(name) if kind != 'fixed' else -1)
