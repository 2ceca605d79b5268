"""From a Description to moving bodies: fixed joints merged, chains cut, joints locked.

A body is what moves as one piece: the child link of a movable joint with all links that hang on it
by fixed (or locked) joints. Floating and planar joints become chains of one-degree joints with
massless bodies between (SahaSchiehlen2001 treats joints of several degrees so). A floating joint's
six are turns about x, y, z and moves along x, y, z of its child, which a pose holds at zero
(floating.py), or, where asked for, the paper's chain of x, y, z, yaw, pitch and roll.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from robot_dynamics.description.records import Description, Joint
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.transforms import X, Y, Z, pose, rotation_about, rotation_to
from robot_dynamics.rigid_body import NO_BODY, RigidBody


@dataclass
class MovedBody:
    """A body and the one-degree joint that moves it (None for the root body)."""

    name: str  # link that names the body
    parent: int  # index of the parent body, -1 for the root body itself
    joint: Joint | None = None
    T_parent_body: Array = field(default_factory=lambda: np.eye(4))  # at q = 0
    inertial: RigidBody = NO_BODY  # in the body's frame
    frames: dict[str, Array] = field(default_factory=dict)  # link name -> T_body_link
    tip: str = ''  # the deepest link on the body: where a tool would be
    tip_depth: int = -1
    floating: str | None = None  # the floating joint whose six joints this one's is part of


def make_bodies(description: Description, locked: dict[str, float],
                floating: str = 'quaternion') -> list[MovedBody]:
    """Return the bodies, root first, parents before children, depth first.

    locked: value of each joint that is frozen there, its followers' values included
    floating: 'quaternion' or 'chain', what becomes of floating joints
    """
    root = MovedBody(description.root, -1)
    bodies = [root]
    home: dict[str, tuple[int, Array, int]] = {}
    _settle(root, 0, description.root, np.eye(4), 0, description, home)
    for joint in description.joints:
        index, T_body_parent, depth = home[joint.parent]
        if joint.type == 'fixed' or (joint.type != 'floating' and joint.name in locked):
            T = T_body_parent @ joint.origin @ motion(joint, locked.get(joint.name, 0.0))
            _settle(bodies[index], index, joint.child, T, depth + 1, description, home)
            continue
        T_parent_body = T_body_parent @ joint.origin
        free = joint.name if joint.type == 'floating' and floating != 'chain' else None
        for step in one_degree_joints(joint, floating):
            T = T_parent_body @ step.origin
            bodies.append(MovedBody(step.child, index, step, T, floating=free))
            index = len(bodies) - 1
            T_parent_body = np.eye(4)
        T_body_link = pose(rotation_to(joint.axis).T) if joint.type == 'planar' else np.eye(4)
        _settle(bodies[index], index, joint.child, T_body_link, 0, description, home)
    return bodies


def _settle(body: MovedBody, index: int, link: str, T_body_link: Array, depth: int,
            description: Description, home: dict[str, tuple[int, Array, int]]) -> None:
    """Put a link of the description onto a body."""
    home[link] = (index, T_body_link, depth)
    body.frames[link] = T_body_link
    if depth > body.tip_depth:
        body.tip, body.tip_depth = link, depth
    inertial = description.links[link].inertial
    if inertial is not None:
        body.inertial += inertial.in_frame(T_body_link)


def motion(joint: Joint, q: float) -> Array:
    """Return the motion of a one-degree joint at value q, (4, 4)."""
    if joint.type in ('revolute', 'continuous'):
        return pose(rotation_about(joint.axis, q))
    return pose(p=joint.axis * q) if joint.type == 'prismatic' else np.eye(4)


# turns and moves that stand for joints of several degrees, in their order from parent to child
Steps = tuple[tuple[str, str, Array], ...]
SIX: Steps = (('wx', 'continuous', X), ('wy', 'continuous', Y), ('wz', 'continuous', Z),
              ('vx', 'prismatic', X), ('vy', 'prismatic', Y), ('vz', 'prismatic', Z))
CHAIN: Steps = (('x', 'prismatic', X), ('y', 'prismatic', Y), ('z', 'prismatic', Z),
                ('yaw', 'continuous', Z), ('pitch', 'continuous', Y), ('roll', 'continuous', X))
PLANAR: Steps = (('x', 'prismatic', X), ('y', 'prismatic', Y), ('yaw', 'continuous', Z))


def one_degree_joints(joint: Joint, floating: str) -> list[Joint]:
    """Split a floating or planar joint into its chain; others are returned as they are.

    The origin of each step is relative to the body before it; the first one carries the turn
    that takes z to the axis of a planar joint.
    """
    if joint.type == 'floating':
        steps, first = CHAIN if floating == 'chain' else SIX, np.eye(4)
    elif joint.type == 'planar':
        steps, first = PLANAR, pose(rotation_to(joint.axis))
    else:
        return [replace(joint, origin=np.eye(4))]
    chain: list[Joint] = []
    for k, (suffix, kind, axis) in enumerate(steps):
        last = k == len(steps) - 1
        chain.append(Joint(
            f'{joint.name}/{suffix}', kind, joint.parent if k == 0 else chain[-1].child,
            joint.child if last else f'{joint.child}/{suffix}',
            first if k == 0 else np.eye(4), axis,
            damping=joint.damping, friction=0.0 if steps is SIX else joint.friction))
    return chain
