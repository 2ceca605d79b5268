"""Pinocchio as the independent judge of the algorithms, built from the same arrays."""

import numpy as np
import pinocchio as pin


class Oracle:
    """A Pinocchio model of a tree: joints about or along z, placed as Geometry says."""

    def __init__(self, geometry, inertials):
        self.model = pin.Model()
        self.model.gravity.linear = np.array(inertials.base.gravity, float)
        for i in range(len(geometry.parent)):
            kind = pin.JointModelPZ() if geometry.prismatic[i] else pin.JointModelRZ()
            joint = self.model.addJoint(
                int(geometry.parent[i]) + 1, kind, placement(geometry, i), f'joint_{i}')
            self.model.appendBodyToJoint(joint, inertia(inertials, i), pin.SE3.Identity())
        self.model.armature = np.array(inertials.armature, float)
        self.data = self.model.createData()

    def inverse_dynamics(self, q, qd, qdd, external=None):
        """Return tau; external: wrenches [n, f] on the links, as `joint_wrenches` takes them."""
        if external is None:
            return pin.rnea(self.model, self.data, q, qd, qdd).copy()
        forces = [pin.Force.Zero(), *(pin.Force(w[3:], w[:3]) for w in external)]
        return pin.rnea(self.model, self.data, q, qd, qdd, forces).copy()

    def forward_dynamics(self, q, qd, tau):
        return pin.aba(self.model, self.data, q, qd, tau).copy()

    def inertia_matrix(self, q):
        upper = np.triu(pin.crba(self.model, self.data, q))
        return upper + np.triu(upper, 1).T

    def joint_wrenches(self, q, qd, qdd):
        """Return [n, f] about O'_i in link frame i of every joint, (L, 6)."""
        pin.rnea(self.model, self.data, q, qd, qdd)
        return np.array([np.r_[f.angular, f.linear] for f in list(self.data.f)[1:]])

    def energy(self, q, qd):
        """Return the total energy, rotors included."""
        kinetic = qd @ self.inertia_matrix(q) @ qd / 2
        return kinetic + pin.computePotentialEnergy(self.model, self.data, q)


def placement(geometry, i):
    rotation = (turn(geometry.cg[i], geometry.sg[i], 2) @ turn(geometry.ca[i], geometry.sa[i], 0)
                @ turn(geometry.c0[i], geometry.s0[i], 2))
    return pin.SE3(rotation, np.array(geometry.d[i], float))


def turn(c, s, about):
    if about == 2:
        return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    return np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]])


def inertia(inertials, i):
    """Pinocchio wants the centre of mass (of a massless link: O'_i) and the inertia about it.

    Set part by part: its constructor refuses the papers' bodies that are not physical.
    """
    mass, about_origin = float(inertials.mass[i]), np.array(inertials.inertia[i], float)
    com = inertials.moment[i] / mass if mass else np.zeros(3)
    result = pin.Inertia.Zero()
    result.mass, result.lever = mass, com
    result.inertia = about_origin - mass * (com @ com * np.eye(3) - np.outer(com, com))
    return result
