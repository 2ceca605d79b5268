"""load and from_dh: from what the user has to a Robot."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from robot_dynamics.description import read_description
from robot_dynamics.description.mechanism.mjcf import is_mjcf
from robot_dynamics.description.mechanism.reading import is_mechanism
from robot_dynamics.description.notes import Notes
from robot_dynamics.description.packages import Packages
from robot_dynamics.description.records import Description
from robot_dynamics.description.shapes import drawing, solid_shapes
from robot_dynamics.description.source import as_path, read_bytes, read_root
from robot_dynamics.errors import DescriptionError, warn
from robot_dynamics.inputs import choice, flag, mapping, number, positive, text, vector
from robot_dynamics.model.dh.rows import make_table
from robot_dynamics.model.dh.table import DHRow, DHTable
from robot_dynamics.model.inertia_checks import impossible_inertials, impossible_rotors
from robot_dynamics.model.load import dh_table, locked_outside
from robot_dynamics.model.missing_inertia import Missing, bodies_without_inertial, fill_missing
from robot_dynamics.model.model import build_model
from robot_dynamics.robot import Robot

if TYPE_CHECKING:
    from robot_dynamics.mechanism.mechanism import Mechanism

GRAVITY = (0.0, 0.0, -9.81)


def load(
    source: Any, *, root: str | None = None, tip: str | None = None,
    gravity: ArrayLike = GRAVITY,
    missing_inertia: str = 'error', rod_density: float = 1.0, rod_length: float = 0.1,
    locked: Mapping[str, float] | None = None, friction: bool = True, strict: bool = False,
    xacro_args: Mapping[str, str] | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    base: str = 'fixed', floating: str = 'quaternion',
) -> Robot:
    """Load a robot from a .urdf, a .xacro, a DH .yaml, a mechanism file, text, or by name.

    Names are those of `robots`: what comes with this package ('panda_like', 'five_bar'), and what
    example-robot-data and robot_descriptions have where they are installed. Files come first.

    Of MJCF, a file or text, what is read has <equality> constraints: it is a `Mechanism`, as is
    what a mechanism .yaml describes. `load_mechanism` takes what such files leave out.

    A .xacro is a program that xacro runs: load only those you trust. xacro in a file called .urdf
    and in a str is run too, in bytes never.

    root, tip: cut this chain out of the tree and drop the rest, with a warning
    gravity: (3,) in root axes [m/s^2]
    missing_inertia: 'error', 'slender_rod' or 'zero', for joints that move neither mass nor
        inertia. Rods lie along the DH row; links whose row has no length get a body from their
        shapes, from the next link's length or of size rod_length [m], all of rod_density [kg/m];
        robot.assumed lists them
    locked: {joint: value} freezes joints and keeps their mass
    friction: whether the URDF's damping and friction act
    strict: inertials that no rigid body can have are errors, not warnings
    xacro_args: {name: value} of xacro's arguments
    packages: {name: folder} of ROS packages, for xacro and meshes, before ROS_PACKAGE_PATH,
        AMENT_PREFIX_PATH and what lies beside the file
    base: 'fixed', or 'floating': the root link moves freely, by a joint called base. Then
        q = [x y z, qx qy qz qw, joints], rates = [omega; v of the root link's origin, both in its
        own axes; joints], and root axes are the world's
    floating: 'quaternion', or 'chain': a floating joint f as the six joints f/x, y, z, yaw,
        pitch and roll, with gimbal lock
    `DescriptionError`: what cannot be read, `ModelError`: what is no robot that can move,
    `InputError`: the other arguments

    >>> rd.load(arm.to_urdf(), gravity=(0, -9.81, 0)).gravity_torque([0, 0]).round(3)
    array([19.62 ,  4.905])
    """
    base = choice('base', base, ('fixed', 'floating'))
    floating = choice('floating', floating, ('quaternion', 'chain'))
    path = None if isinstance(source, Description) else as_path(source)
    if not isinstance(source, Description) and _closes_loops(source, path, xacro_args):
        given: dict[str, Any] = {
            'root': root, 'tip': tip, 'gravity': gravity, 'missing_inertia': missing_inertia,
            'rod_density': rod_density, 'rod_length': rod_length, 'locked': locked,
            'friction': friction, 'strict': strict, 'xacro_args': xacro_args,
            'packages': packages, 'base': base, 'floating': floating}
        return load_mechanism(source, **other_than_usual(given))  # else the file's
    missing = _missing(missing_inertia, rod_density, rod_length)
    for what, link in (('root', root), ('tip', tip)):
        if link is not None:
            text(what, link)
    locked, xacro_args = mapping('locked', locked), mapping('xacro_args', xacro_args)
    packages = mapping('packages', packages)
    if path is not None and path.suffix.lower() in ('.yaml', '.yml'):
        if root or tip or locked or xacro_args or packages or base != 'fixed':
            raise DescriptionError(f'{path}: root, tip, locked, xacro_args, packages and base are '
                                   'for URDFs')
        table, where = DHTable.from_yaml(_text(path), str(path)), str(path)
        table, notes = fill_missing(table, missing, where)
        impossible = _impossible(table)
    else:
        description = source if isinstance(source, Description) else read_description(
            source, xacro_args=xacro_args, packages=packages)
        where = description.where
        values = {name: number(f'locked[{name!r}]', value)
                  for name, value in locked.items()}
        table, notes = dh_table(description, root=root, tip=tip, locked=values, base=base,
                                floating=floating)
        notes = [*description.warnings, *notes, *locked_outside(description, values)]
        impossible = impossible_inertials(
            [(link.name, link.inertial.mass, link.inertial.inertia)
             for link in description.links.values()
             if link.inertial and link.name in table.frames])
        if missing.treatment != 'slender_rod':  # which says itself who stays without
            notes += bodies_without_inertial(table, description.links, where)
        table, filled = fill_missing(
            table, missing, where,
            lockable=[joint.name for joint in description.joints
                      if joint.type not in ('floating', 'planar')],
            shapes=lambda names: solid_shapes(description, names, path,
                                              Packages(packages, path).holding))
        notes = [*notes, *filled]
        table = replace(table, drawing=drawing(description, path or _file(where), packages))
    return _robot(table, where, notes, impossible, gravity, friction, strict)


def other_than_usual(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those options of `load` that are not its defaults: files may say others."""
    defaults: Mapping[str, Any] = load.__kwdefaults__ or {}
    return {key: value for key, value in options.items()
            if value is not defaults[key] and value != {}}


def load_mechanism(
    source: Any, *, actuated: Sequence[str] | None = None,
    independent: Sequence[str] | None = None,
    start: Mapping[str, float] | None = None, formulation: str = 'auto', **options: Any,
) -> Mechanism:
    """Load a mechanism: a tree whose loops are closed.

    source: path of a mechanism .yaml, a Gepetto robot.yaml, a URDF+ file, a URDF with constraint
        elements or closing_* frames, an MJCF with equality constraints
    actuated, independent, start: joints, joints, {joint: value}, instead of what the file says:
        which joints have motors, which are the freedoms (the actuated ones unless named), and
        near which pose the loops are assembled
    formulation: how passive rates follow, 'recursive projections' (SahaSchiehlen2001, for legs
        between a base and one end effector) or 'orthogonal complement' (any loops); 'auto' takes
        the one with fewer operations of those that can
    options: those of `load`
    `DescriptionError`: what cannot be read, `ModelError`: loops that cannot be closed,
    `InputError`: the other arguments

    >>> four_bar.n, len(four_bar.tree_joint_names)
    (1, 3)
    """
    from robot_dynamics.mechanism.loading import make_mechanism  # robots are there sooner without
    return make_mechanism(load, source, actuated=actuated, independent=independent, start=start,
                          options=options, formulation=formulation)


def from_dh(
    rows: Sequence[DHRow], *, name: str = 'robot', root: str = 'base',
    base: ArrayLike | None = None, tool: ArrayLike | None = None, gravity: ArrayLike = GRAVITY,
    missing_inertia: str = 'error', rod_density: float = 1.0,
    rod_length: float = 0.1, friction: bool = True, strict: bool = False,
) -> Robot:
    """Make a robot of DH rows.

    base: (4, 4) pose of frame 1 in the root frame; tool: (4, 4) pose of the tip in frame n+1
    gravity: (3,) in root axes [m/s^2]; the rest as in `load`
    `ModelError`, `InputError`: rows that are no robot
    """
    table = make_table(rows, name=name, root=root, base=base, tool=tool)
    impossible = _impossible(table)
    table, notes = fill_missing(table, _missing(missing_inertia, rod_density, rod_length), name)
    return _robot(table, name, notes, impossible, gravity, friction, strict)


def _closes_loops(source: Any, path: Path | None, xacro_args: Any) -> bool:
    """Tell whether this is a mechanism's .yaml, or MJCF, of which the loops are read."""
    if path is not None and path.suffix.lower() in ('.yaml', '.yml', '.xacro'):
        return is_mechanism(path)
    data = source if path is None else read_bytes(path)
    if (b'<mujoco' if isinstance(data, bytes) else '<mujoco') not in data:
        return False
    root, where, _ = read_root(source, xacro_args=xacro_args)
    if is_mjcf(root) and not any(len(part) for part in root.findall('equality')):
        raise DescriptionError(f'{where}: this MJCF has no <equality> constraints, and without '
                               'loops MJCF is not read; expected a URDF of the robot')
    return is_mjcf(root)


def _missing(missing_inertia: str, rod_density: float, rod_length: float) -> Missing:
    return Missing(missing_inertia, positive('rod_density', rod_density),
                   positive('rod_length', rod_length))


def _impossible(table: DHTable) -> list[str]:
    return [*impossible_inertials([(str(row.link), row.mass, row.inertia) for row in table.rows]),
            *impossible_rotors(table)]


def _robot(table: DHTable, where: str, notes: Iterable[str], impossible: Iterable[str],
           gravity: ArrayLike, friction: bool, strict: bool) -> Robot:
    impossible = [f'{where}: {sentence}' for sentence in impossible]
    if flag('strict', strict) and impossible:
        raise DescriptionError('; '.join(impossible))
    acts = flag('friction', friction)
    notes = Notes([*notes, *impossible])
    for note in notes:
        warn(note)
    model = build_model(table, vector('gravity', gravity, (3,)), acts)
    return Robot(model, table, notes)


def _file(where: str) -> Path | None:
    """Return the file that a description was read from, None for text."""
    path = Path(where)
    return path if path.suffix and path.is_file() else None


def _text(path: Path) -> str:
    try:
        return read_bytes(path).decode('utf-8')
    except UnicodeDecodeError as error:
        raise DescriptionError(f'{path}: is not UTF-8 text: {error.reason}') from None
