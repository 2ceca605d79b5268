"""Pinocchio's open tree of a description: every joint of one degree, locked ones fixed."""

import numpy as np
import pinocchio as pin

STEPS = {
    'planar': [('x', 'prismatic', 0), ('y', 'prismatic', 1), ('yaw', 'revolute', 2)],
    'floating': [('x', 'prismatic', 0), ('y', 'prismatic', 1), ('z', 'prismatic', 2),
                 ('yaw', 'revolute', 2), ('pitch', 'revolute', 1), ('roll', 'revolute', 0)]}


class Tree:
    """`model`, `names` of its joints in order, `mimics`, and `home`: link -> (joint, SE3)."""

    def __init__(self, description, gravity, locked=None):
        self.model, self.names, self.mimics = pin.Model(), [], {}
        self.model.gravity.linear = np.array(gravity, float)
        self.damping, self.friction = [], []
        self.home = {description.root: (0, pin.SE3.Identity())}
        self._armature = []
        for joint in description.joints:
            self._add(joint, (locked or {}).get(joint.name))
            self._load(description.links[joint.child])
        self.model.armature = np.array(self._armature)
        self.damping, self.friction = np.array(self.damping), np.array(self.friction)

    def _add(self, joint, locked):
        parent, T = self.home[joint.parent]
        T = T * pin.SE3(joint.origin)
        if joint.type in STEPS:
            turn = pin.SE3.Identity()
            if joint.type == 'planar':
                turn = pin.SE3(turn_to(joint.axis), np.zeros(3))
            T = T * turn
            for suffix, kind, axis in STEPS[joint.type]:
                parent = self._moving(parent, kind, np.eye(3)[axis], T, f'{joint.name}/{suffix}',
                                      joint)
                T = pin.SE3.Identity()
            self.home[joint.child] = (parent, turn.inverse())
        elif joint.type == 'fixed' or locked is not None:
            self.home[joint.child] = (parent, T * self._locked(joint, locked or 0.0))
        else:
            kind = 'prismatic' if joint.type == 'prismatic' else 'revolute'
            self.home[joint.child] = (
                self._moving(parent, kind, joint.axis, T, joint.name, joint), pin.SE3.Identity())
            if joint.mimic is not None:
                self.mimics[joint.name] = joint.mimic

    def _moving(self, parent, kind, axis, T, name, joint):
        model = pin.JointModelPrismaticUnaligned if kind == 'prismatic' else (
            pin.JointModelRevoluteUnaligned)
        self.names.append(name)
        self.damping.append(joint.damping)
        self.friction.append(joint.friction)
        self._armature.append(getattr(joint, 'armature', 0.0))
        return self.model.addJoint(parent, model(np.array(axis, float)), T, name)

    @staticmethod
    def _locked(joint, value):
        if joint.type == 'prismatic':
            return pin.SE3(np.eye(3), joint.axis * value)
        if joint.type == 'fixed':
            return pin.SE3.Identity()
        return pin.SE3(pin.AngleAxis(value, joint.axis).toRotationMatrix(), np.zeros(3))

    def _load(self, link):
        if link.inertial is None:
            return
        joint, T = self.home[link.name]
        body = pin.Inertia.Zero()  # its constructor refuses bodies that are not physical
        body.mass, body.lever, body.inertia = (
            link.inertial.mass, link.inertial.com, link.inertial.inertia)
        self.model.appendBodyToJoint(joint, body, T)

    def frame(self, name, link, T):
        """Add a frame in a link (or the world) and return its number."""
        joint, T_joint_link = (0, pin.SE3.Identity()) if link == 'world' else self.home[link]
        return self.model.addFrame(pin.Frame(
            name, joint, 0, T_joint_link * pin.SE3(np.array(T, float)), pin.FrameType.OP_FRAME))


def turn_to(axis):
    """Return the shortest turn that takes z to the axis."""
    return pin.Quaternion.FromTwoVectors(np.array([0, 0, 1.0]), np.array(axis)).toRotationMatrix()
