"""A model as URDF text that rviz can show: what a robot given by DH lacks.

A URDF link has its frame on its joint's axis. Where the frame that carries a link's name lies on
it, that is the URDF's link; where it does not (frame i+1 of a DH row with a length a), the mass is
on a link called ..._body, and the named frame is a link on a fixed joint, as all others are.
A URDF cannot say rotor inertias (armature): they are left out, with a warning.
Each body shows its DH row: a rod of length b along Z_i, then one of length a along X_{i+1}.
"""

from collections.abc import Iterable

import numpy as np

from robot_dynamics.errors import warn
from robot_dynamics.model.denoc import RIGHT_ANGLE, Array
from robot_dynamics.model.dh.table import DHRow, DHTable
from robot_dynamics.model.floating import FreeJoint
from robot_dynamics.model.model import Model
from robot_dynamics.model.transforms import Z, inverse, pose, turn
from robot_dynamics.rigid_body import UPPER

COLOURS = ('0.85 0.35 0.10 1', '0.25 0.45 0.70 1', '0.60 0.60 0.60 1')


def quoted(text: str) -> str:
    """Return the text as an attribute's value, with its quotes."""
    from xml.sax.saxutils import quoteattr  # brings half of urllib, for one function
    return quoteattr(text)


def to_urdf(model: Model, table: DHTable) -> str:
    """Return the URDF of the model; inertials as they are now, payloads included."""
    if np.any(model.inertials.armature):
        warn(f'{model.name}: URDF has no element for rotor inertias (armature): they are '
             'left out')
    T_body_link = [_link_frame(model, i) for i in range(len(model.body_names))]
    afloat = {joint.link + 5: joint for joint in getattr(model.coordinates, 'free', ())}
    for i, joint in afloat.items():
        T_body_link[i] = inverse(_six_at_zero(model, joint.link)) @ pose(joint.axes, joint.d)
    between = {joint.link + k for joint in afloat.values() for k in range(5)}
    links = _Names([table.root, *model.frames])
    joints = _Names([str(row.name) for row in table.rows])
    bodies = [name if name in model.frames and _same(model.frames[name].T, T) else links.new(
        f'{name}_body') for name, T in zip(model.body_names, T_body_link, strict=True)]
    lines = ['<?xml version="1.0"?>', f'<robot name={quoted(model.name)}>',
             *(f'  <material name="rod_{k}"><color rgba="{rgba}"/></material>'
               for k, rgba in enumerate(COLOURS)),
             f'  <link name={quoted(table.root)}/>']
    for i, name in enumerate(bodies):
        if i in between:  # a floating joint's six are one in a URDF
            continue
        if i in afloat:
            lines += _link(model, table, i, name, inverse(T_body_link[i]))
            lines += _floating(model, table, afloat[i], bodies, T_body_link)
            continue
        lines += _link(model, table, i, name, inverse(T_body_link[i]))
        lines += _joint(model, table, i, bodies, T_body_link)
    for name, frame in model.frames.items():
        if name == table.root or name in bodies:
            continue
        body = table.root if frame.body < 0 else bodies[frame.body]
        T = frame.T if frame.body < 0 else inverse(T_body_link[frame.body]) @ frame.T
        lines += _fixed(name, joints.new(f'{name}_fixed'), body, T)
    return '\n'.join([*lines, '</robot>', ''])


class _Names:
    """Names in use; a new one gets underscores until nobody else has it."""

    def __init__(self, taken: list[str]) -> None:
        self.taken = set(taken)

    def new(self, name: str) -> str:
        while name in self.taken:
            name += '_'
        self.taken.add(name)
        return name


def _link_frame(model: Model, i: int) -> Array:
    """Return the frame of body i's URDF link in link frame i."""
    frame = model.frames.get(model.body_names[i])
    if frame is None or frame.body != i or np.abs(frame.T[:2, 3]).max() > 1e-12:
        return np.eye(4)
    T = frame.T.copy()
    T[:2, 3] = 0.0  # what rounding left would move the axis
    return T


def _same(T: Array, other: Array) -> bool:
    return bool(np.abs(T - other).max() < 1e-14)


def _link(model: Model, table: DHTable, i: int, name: str, T_link_body: Array) -> list[str]:
    body = model.inertials.link(i).in_frame(T_link_body)
    centre = body.com if body.mass else np.zeros(3)
    moments = ' '.join(f'i{"xyz"[j]}{"xyz"[k]}="{_number(body.inertia[j, k])}"'
                       for j, k in UPPER)
    return [f'  <link name={quoted(name)}>',
            '    <inertial>', f'      <origin xyz="{_words(centre)}"/>',
            f'      <mass value="{_number(body.mass)}"/>', f'      <inertia {moments}/>',
            '    </inertial>', *_visuals(table, i, T_link_body), '  </link>']


def _visuals(table: DHTable, i: int, T_link_body: Array) -> list[str]:
    """Return a rod along Z_i and one along X_{i+1}; a disc where the row has no length."""
    row = table.rows[i]
    a, b = row.a, (row.b or 0.0)
    radius = max(0.02, 0.06 * max(abs(a), abs(b)))
    rods = []
    if abs(b) > 1e-6:
        rods.append((pose(p=(0.0, 0.0, -b / 2)), abs(b), radius))
    if abs(a) > 1e-6:
        rods.append((pose(turn(1, np.pi / 2), (a / 2, 0.0, 0.0)), abs(a), 0.8 * radius))
    if not rods:
        rods.append((np.eye(4), radius, 1.5 * radius))
    lines = []
    for T, length, thickness in rods:
        lines += ['    <visual>', f'      {_origin(T_link_body @ T)}',
                  f'      <geometry><cylinder radius="{thickness:.4g}" length="{length:.6g}"/>'
                  '</geometry>', f'      <material name="rod_{i % len(COLOURS)}"/>',
                  '    </visual>']
    return lines


def _joint(model: Model, table: DHTable, i: int, bodies: list[str], T_body_link: list[Array]
           ) -> list[str]:
    row = table.rows[i]
    parent = int(model.geometry.parent[i])
    T_parent_body = _at_zero(model, i)
    before = np.eye(4) if parent < 0 else T_body_link[parent]
    before_name = table.root if parent < 0 else bodies[parent]
    T = inverse(before) @ T_parent_body @ T_body_link[i]
    axis = row.sign * (T_body_link[i][:3, :3].T @ Z)
    bounded = np.isfinite(row.lower) or np.isfinite(row.upper)
    kind = 'prismatic' if row.prismatic else ('revolute' if bounded else 'continuous')
    lines = [f'  <joint name={quoted(str(row.name))} type="{kind}">',
             f'    <parent link={quoted(before_name)}/>',
             f'    <child link={quoted(bodies[i])}/>', f'    {_origin(T)}',
             f'    <axis xyz="{_words(axis)}"/>', f'    {_limit(row, kind)}']
    if row.damping or row.friction:
        lines.append(f'    <dynamics damping="{row.damping!r}" friction="{row.friction!r}"/>')
    if row.mimic is not None:
        lines.append(f'    <mimic joint={quoted(row.mimic.leader)} '
                     f'multiplier="{row.mimic.multiplier!r}" offset="{row.mimic.offset!r}"/>')
    return [*lines, '  </joint>']


def _floating(model: Model, table: DHTable, joint: FreeJoint, bodies: list[str],
              T_body_link: list[Array]) -> list[str]:
    parent = int(model.geometry.parent[joint.link])
    T = pose(np.array(joint.axes), joint.d)
    if parent >= 0:
        T = inverse(T_body_link[parent]) @ T
    lines = [f'  <joint name={quoted(joint.name)} type="floating">',
             f'    <parent link={quoted(table.root if parent < 0 else bodies[parent])}/>',
             f'    <child link={quoted(bodies[joint.link + 5])}/>', f'    {_origin(T)}']
    if damping := table.rows[joint.link].damping:
        lines.append(f'    <dynamics damping="{damping!r}"/>')
    return [*lines, '  </joint>']


def _six_at_zero(model: Model, first: int) -> Array:
    """Return the last of a floating joint's six link frames in the parent's, at no motion."""
    T = np.eye(4)
    for i in range(first, first + 6):
        T = T @ _at_zero(model, i)
    return T


def _at_zero(model: Model, i: int) -> Array:
    """Return link frame i in its parent's at q_tree = 0."""
    g = model.geometry
    turn_g = np.array([[g.cg[i], -g.sg[i], 0.0], [g.sg[i], g.cg[i], 0.0], [0.0, 0.0, 1.0]])
    turn_a = np.array([[1.0, 0.0, 0.0], [0.0, g.ca[i], -g.sa[i]], [0.0, g.sa[i], g.ca[i]]])
    return pose(turn_g @ turn_a @ turn(2, g.theta0[i]), g.d[i])


def _limit(row: DHRow, kind: str) -> str:
    """Return <limit>; URDF demands numbers, so what is unlimited becomes large ones."""
    bounds = '' if kind == 'continuous' else (
        f'lower="{_finite(row.lower)}" upper="{_finite(row.upper)}" ')
    return f'<limit {bounds}effort="{_finite(row.effort)}" velocity="{_finite(row.velocity)}"/>'


def _finite(value: float) -> str:
    return _digits(value) if np.isfinite(value) else f'{np.sign(value) * 1e9:.0f}'


def _fixed(name: str, joint: str, parent: str, T: Array) -> list[str]:
    return [f'  <link name={quoted(name)}/>',
            f'  <joint name={quoted(joint)} type="fixed">',
            f'    <parent link={quoted(parent)}/>', f'    <child link={quoted(name)}/>',
            f'    {_origin(T)}', '  </joint>']


def _origin(T: Array) -> str:
    return f'<origin xyz="{_words(T[:3, 3])}" rpy="{_words(_rpy(T[:3, :3]))}"/>'


def _rpy(R: Array) -> Array:
    """Return roll, pitch, yaw with R = Rz(yaw) Ry(pitch) Rx(roll)."""
    yaw = np.arctan2(R[1, 0], R[0, 0]) if np.hypot(R[0, 0], R[1, 0]) > RIGHT_ANGLE else 0.0
    rest = turn(2, -yaw) @ R  # Ry(pitch) Rx(roll): accurate where roll and yaw nearly coincide
    return np.array([np.arctan2(-rest[1, 2], rest[1, 1]), np.arctan2(-rest[2, 0], rest[0, 0]),
                     yaw])


def _words(values: Iterable[float]) -> str:
    return ' '.join(_digits(value) for value in values)


def _digits(value: float) -> str:
    """Return all digits, with what rounding leaves of a zero as 0."""
    return '0' if abs(value) < 1e-15 else _number(value)


def _number(value: float) -> str:
    value = float(value)
    return str(int(value)) if value == int(value) and abs(value) < 1e6 else repr(value)
