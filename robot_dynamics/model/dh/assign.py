"""Bodies to a DH tree: common normals between successive joint axes.

The free choices of the convention, and how they are made here:
- Z_i points along the URDF joint's axis, so every sign is +1.
- Root rows: O_1 is the point of Z_1 nearest to the root frame's origin, X_1 is the root's X
  (or Y, where Z_1 is along X) made normal to Z_1.
- Parallel axes: the normal through O_i, so b_i = 0; coincident axes also keep theta_i = 0.
- Nearly parallel axes have their common normal far away: Hayati's turn beta about Y_{i+1}, and
  O_{i+1} at the URDF's joint, unless the normal happens to be near by.
- Intersecting axes: X_{i+1} along Z_i x Z_{i+1}, so alpha_i is in (0, pi).
- Last links: frame i+1 sits at the tip link's origin with alpha_i = 0.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from robot_dynamics.description.records import Mimic
from robot_dynamics.model.bodies import MovedBody
from robot_dynamics.model.denoc import RIGHT_ANGLE, Array, frozen
from robot_dynamics.model.dh.table import BASE, Branch, DHRow, DHTable, Frame, hinge, step
from robot_dynamics.model.transforms import X, Y, inverse, pose

PARALLEL = RIGHT_ANGLE  # |sin alpha| below which axes are parallel
NEARLY_PARALLEL = 1e-2  # below which Hayati's parameter is used, unless the normal is near by
NEAR = 2.0  # a normal at most so many times as far as the joint itself is near by
ROUNDING = 2e-15  # of the lengths it is made of, or of 5 cm, a length is rounding


class Normal(NamedTuple):
    """Where a child frame hangs, seen from frame i at q = 0."""

    theta: float
    b: float
    a: float
    alpha: float
    beta: float = 0.0

    def pose(self) -> Array:
        """Return the child's frame in frame i."""
        return hinge(self.theta, self.b) @ step(self.a, self.alpha, self.beta)


def common_normal(P: Array, z: Array, p: Array | None = None) -> Normal:
    """Return the row from frame i to the axis through P along the unit vector z, in frame i.

    P: the URDF's joint, in frame i; p: the same, from the URDF's joint before it, if that is
    another point [m]
    """
    p = P if p is None else p
    reach = float(np.linalg.norm(p))
    tiny = _rounding(P, p)
    sine = np.hypot(z[0], z[1])
    if sine <= PARALLEL:
        a, theta = _polar(P, tiny)
        return Normal(theta, 0.0, a, 0.0 if z[2] > 0 else np.pi)
    x = np.array([-z[1], z[0], 0.0]) / sine  # Z_i x Z_{i+1}
    a = float(P @ x)
    if a < -tiny:
        x, a = -x, -a
    a = _clean(a, tiny)
    along = ((a * x - P)[:2] @ z[:2]) / sine**2  # from P to the foot of the normal
    if sine < NEARLY_PARALLEL and abs(along) > NEAR * reach:
        return _hayati(P, z, tiny)
    y = np.array([-x[1], x[0], 0.0])
    alpha = float(np.arctan2(-(z @ y), z[2]))
    return Normal(_heading(x), _clean(P[2] + along * z[2], tiny), a, alpha)


def _hayati(P: Array, z: Array, tiny: float) -> Normal:
    """Return the row to the axis with its origin at P; X_{i+1} leads from Z_i to P."""
    a, theta = _polar(P, tiny)
    c, s = np.cos(theta), np.sin(theta)
    zx, zy = c * z[0] + s * z[1], c * z[1] - s * z[0]
    beta = np.arcsin(zx)  # Rx(alpha) Ry(beta) z = [sin b, -sin a cos b, cos a cos b]
    return Normal(theta, _clean(P[2], tiny), a, float(np.arctan2(-zy, z[2])), float(beta))


def assign(name: str, bodies: list[MovedBody], mimics: dict[str, Mimic]) -> DHTable:
    """Make the DH tree of the bodies (the root body first, as make_bodies orders them)."""
    children: list[list[int]] = [[] for _ in bodies]
    for i, body in enumerate(bodies[1:], start=1):
        children[body.parent].append(i)
    # T_body_F: frame i at q = 0, in the frame of body i; branch: how frame i hangs on its parent
    T_body_F: dict[int, Array] = {}
    branch: dict[int, Branch | None] = {}
    base: dict[int, Array | None] = {}
    first: dict[int, Normal] = {}  # the row of each link
    for i in children[0]:
        T_root_F = _root_frame(bodies[i])
        T_body_F[i] = _on_axis(inverse(bodies[i].T_parent_body) @ T_root_F, _axis(bodies[i]))
        branch[i], base[i] = None, frozen(T_root_F)
    for i in range(1, len(bodies)):
        T_F_body = inverse(T_body_F[i])
        if not children[i]:
            first[i] = _tip_row(T_F_body, bodies[i].frames[bodies[i].tip][:3, 3])
        for c in children[i]:
            T_F_child = T_F_body @ bodies[c].T_parent_body
            normal = common_normal(T_F_child[:3, 3], T_F_child[:3, :3] @ _axis(bodies[c]),
                                   bodies[c].T_parent_body[:3, 3])
            branch[c], base[c] = _branch(normal, first.setdefault(i, normal)), None
            T_body_F[c] = _on_axis(inverse(T_F_child) @ normal.pose(), _axis(bodies[c]))
    rows = tuple(_row(bodies, i, first[i], branch[i], base[i], mimics, T_body_F[i])
                 for i in range(1, len(bodies)))
    return DHTable(name, bodies[0].name, rows, _frames(bodies, children, first, T_body_F),
                   bodies[0].inertial.mass)


def _branch(normal: Normal, first: Normal) -> Branch | None:
    """Return how a child hangs beside the first one; None for the first itself."""
    if normal is first:
        return None
    return Branch(_wrap(normal.theta - first.theta), normal.b - first.b, normal.a, normal.alpha,
                  normal.beta)


def _axis(body: MovedBody) -> Array:
    assert body.joint is not None  # only the root body has none
    return body.joint.axis


def _on_axis(T_body_F: Array, z: Array) -> Array:
    """Return frame i, free of what rounding has gathered: its Z is the joint's axis z."""
    x, O = T_body_F[:3, 0], T_body_F[:3, 3]
    x = x - (x @ z) * z
    x[np.abs(x) < RIGHT_ANGLE] = 0.0
    x = x / np.linalg.norm(x)
    return pose(np.column_stack([x, np.cross(z, x), z]), (O @ z) * z)


def _row(bodies: list[MovedBody], i: int, normal: Normal, branch: Branch | None,
         base: Array | None, mimics: Mapping[str, Mimic], T_body_F: Array) -> DHRow:
    body, joint = bodies[i], bodies[i].joint
    T_body_next = T_body_F @ normal.pose()  # frame i+1
    own = body.inertial.in_frame(inverse(T_body_next))
    com = own.com if own.mass else np.zeros(3)
    parent = bodies[body.parent].joint
    assert joint is not None  # only the root body has none
    return DHRow(
        normal.a, normal.b, normal.alpha, normal.theta,
        'prismatic' if joint.type == 'prismatic' else 'revolute', 1,
        own.mass, frozen(com), frozen((own.inertia + own.inertia.T) / 2),
        beta=normal.beta, name=joint.name, link=body.name,
        parent=parent.name if parent else BASE, branch=branch, base=base,
        lower=joint.lower, upper=joint.upper, velocity=joint.velocity, effort=joint.effort,
        damping=joint.damping, friction=joint.friction, armature=joint.armature,
        mimic=mimics.get(joint.name), floating=body.floating)


def _frames(bodies: list[MovedBody], children: list[list[int]], first: dict[int, Normal],
            T_body_F: dict[int, Array]) -> dict[str, Frame]:
    frames = {}
    for i, body in enumerate(bodies):
        T_next_body = np.eye(4) if i == 0 else inverse(T_body_F[i] @ first[i].pose())
        for link, T_body_link in body.frames.items():
            tip = not children[i] and link == body.tip
            frames[link] = Frame(i - 1, frozen(T_next_body @ T_body_link), tip)
    return frames


def _root_frame(body: MovedBody) -> Array:
    """Return frame i in the root frame, for a joint on the root."""
    R, P = body.T_parent_body[:3, :3], body.T_parent_body[:3, 3]
    z = R @ _axis(body)
    z[np.abs(z) < 1e-15] = 0.0
    side = Y if abs(z[0]) > 0.9 else X
    x = side - (side @ z) * z
    x /= np.linalg.norm(x)
    return pose(np.column_stack([x, np.cross(z, x), z]), P - (P @ z) * z)


def _tip_row(T_F_body: Array, p: Array) -> Normal:
    """Return the row to the tip link's origin p, in the body's frame."""
    P = T_F_body[:3, :3] @ p + T_F_body[:3, 3]
    tiny = _rounding(P, p)
    a, theta = _polar(P, tiny)
    return Normal(theta, _clean(P[2], tiny), a, 0.0)


def _rounding(*lengths: Array) -> float:
    return ROUNDING * max(0.05, *map(float, map(np.linalg.norm, lengths)))


def _polar(P: Array, tiny: float) -> tuple[float, float]:
    a = float(np.hypot(P[0], P[1]))
    return (a, _heading(P)) if a > tiny else (0.0, 0.0)


def _heading(P: Array) -> float:
    """Return the angle of P about z, in (-pi, pi]: rounding does not choose between the ends."""
    angle = float(np.arctan2(P[1], P[0]))
    return np.pi if angle < RIGHT_ANGLE - np.pi else angle


def _clean(length: float, tiny: float) -> float:
    return float(length) if abs(length) > tiny else 0.0


def _wrap(angle: float) -> float:
    return float(angle - 2 * np.pi * np.round(angle / (2 * np.pi)))
