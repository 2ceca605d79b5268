"""The Denavit-Hartenberg table of a tree, with everything dynamics needs in its rows.

Convention of the papers (MohanSaha2007, Appendix A): frame i+1 is attached to link i; from frame i
to frame i+1 rotate theta_i about Z_i, move b_i along Z_i, move a_i along X_{i+1}, rotate alpha_i
about X_{i+1} (and, between nearly parallel axes, beta_i about Y_{i+1}: Hayati's parameter).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from robot_dynamics.description.records import Drawing, Mimic
from robot_dynamics.model.denoc import Array, frozen
from robot_dynamics.model.transforms import pose, turn
from robot_dynamics.rigid_body import RigidBody

BASE = ''  # the `parent` of a row on the root link


@dataclass(frozen=True, slots=True)
class Branch:
    """Row k > 1 of a branching link: takes frame i to the frame of its child number k.

    It shares the joint value of the link's first row: Rz(theta_i + gamma) Tz(b_i + epsilon)
    Tx(a) Rx(alpha) Ry(beta).
    """

    gamma: float = 0.0
    epsilon: float = 0.0
    a: float = 0.0
    alpha: float = 0.0
    beta: float = 0.0


@dataclass(frozen=True, slots=True)
class DHRow:
    """One joint and its link: four DH parameters, inertials, limits.

    a, b [m], alpha, theta [rad]: of the link's first row; the joint's value q adds to theta
        (revolute) or to b (prismatic): theta + sign q, b + sign q. None is 0.
    mass [kg]; com (3,): from O_{i+1} to the mass centre, in frame i+1 [m];
    inertia (3, 3): about the mass centre, in frame i+1 [kg m^2];
    hub_inertia: about Z_i, moves with the link [kg m^2]; armature: rotor seen at the joint,
        on the diagonal of the GIM [kg m^2 or kg]
    parent: name of the joint this one hangs on; None is the row before, BASE the root
    branch: how it hangs there, for the second and further children of a link
    base: (4, 4) pose of frame i in the root frame, for a row on the root
    floating: name of the floating joint whose six rows (three R, three P) this one is of

    >>> rd.DHRow(0.3, 0, np.pi / 2, 0, mass=1, com=(-0.15, 0, 0)).prismatic
    False
    """

    a: float
    b: float | None
    alpha: float
    theta: float | None
    joint: str = 'revolute'
    sign: int = 1
    mass: float = 0.0
    com: Any = (0.0, 0.0, 0.0)
    inertia: Any = 0.0
    hub_inertia: float = 0.0
    armature: float = 0.0
    beta: float = 0.0
    name: str | None = None
    link: str | None = None
    parent: str | None = None
    branch: Branch | None = None
    base: Any = None
    lower: float = -np.inf
    upper: float = np.inf
    velocity: float = np.inf
    effort: float = np.inf
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None
    floating: str | None = None

    @property
    def prismatic(self) -> bool:
        """Whether b varies with the joint's value, not theta."""
        return self.joint == 'prismatic'

    @property
    def body(self) -> RigidBody:
        """The link in frame i+1, without hub and rotor."""
        return RigidBody(self.mass, self.com, self.inertia)

    def with_body(self, body: RigidBody) -> DHRow:
        """Return the row with another link, given in frame i+1.

        >>> row = arm.dh.rows[0]
        >>> row.with_body(row.body + row.body).mass
        2.0
        """
        return replace(self, mass=body.mass, com=frozen(body.com), inertia=frozen(body.inertia))


@dataclass(frozen=True, slots=True)
class Frame:
    """A named link frame on the robot: on which row's link, and where in frame i+1 (row -1: root).

    tip marks the frame a tool would use: one on each link without moving children.
    """

    row: int
    T: Array  # (4, 4) in frame i+1 of the row, or in the root frame
    tip: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class DHTable:
    """The DH tree of a robot: normalised rows, parents before children, and named frames.

    root_mass: of the root link and what is fixed on it [kg]; no joint moves it
    """

    name: str
    root: str
    rows: tuple[DHRow, ...]
    frames: Mapping[str, Frame] = field(default_factory=dict)
    root_mass: float = 0.0
    assumed: tuple[Any, ...] = ()  # an AssumedBody for each link whose inertials were not given
    drawing: Drawing | None = None  # what the links look like, where a file says so

    def __len__(self) -> int:
        """Return the number of rows (moving links)."""
        return len(self.rows)

    def parents(self) -> list[int]:
        """Return the index of each row's parent row, -1 for the root.

        >>> arm.dh.parents()
        [-1, 0]
        """
        index = {row.name: i for i, row in enumerate(self.rows)}
        return [index[row.parent] if row.parent else -1 for row in self.rows]

    def with_payload(self, link: str, mass: float, com: Array, inertia: Array) -> DHTable:
        """Return the table with a mass welded to a named frame (com, inertia in that frame).

        >>> arm.dh.with_payload('link_2', 1.0, np.zeros(3), np.zeros((3, 3))).rows[1].mass
        2.0
        """
        frame = self.frames[link]
        if frame.row < 0:
            return replace(self, root_mass=self.root_mass + mass)
        if not (mass or inertia.any()):
            return self
        row = self.rows[frame.row]
        changed = row.with_body(row.body + RigidBody(mass, com, inertia).in_frame(frame.T))
        rows = (*self.rows[:frame.row], changed, *self.rows[frame.row + 1:])
        return replace(self, rows=rows)

    def __str__(self) -> str:
        """Return the table people read."""
        from robot_dynamics.model.dh.text import to_text
        return to_text(self)

    def to_markdown(self) -> str:
        """Return the table in Markdown.

        >>> arm.dh.to_markdown().count('joint_')
        2
        """
        from robot_dynamics.model.dh.text import to_markdown
        return to_markdown(self)

    def to_yaml(self) -> str:
        """Return the whole table as YAML that reads back bit for bit.

        >>> rd.DHTable.from_yaml(arm.dh.to_yaml()) == arm.dh
        True
        """
        from robot_dynamics.model.dh.yaml_files import to_yaml
        return to_yaml(self)

    @staticmethod
    def from_yaml(text: str, where: str = 'the DH text') -> DHTable:
        """Read a table that to_yaml wrote, or one written by hand; `DescriptionError`: neither.

        >>> rd.DHTable.from_yaml(arm.dh.to_yaml()).name
        'arm'
        """
        from robot_dynamics.model.dh.yaml_files import from_yaml
        return from_yaml(text, where)

    def __eq__(self, other: object) -> bool:
        """Compare all numbers, to the last bit."""
        return isinstance(other, DHTable) and (
            self.name, self.root, self.root_mass, *map(_plain, self.rows)) == (
            other.name, other.root, other.root_mass, *map(_plain, other.rows)) and _plain_frames(
            self.frames) == _plain_frames(other.frames)


def _plain(row: DHRow) -> tuple[Any, ...]:
    return tuple(value.tolist() if isinstance(value, np.ndarray) else value
                 for value in (getattr(row, f.name) for f in fields(row)))


def _plain_frames(frames: Mapping[str, Frame]) -> dict[str, tuple[Any, ...]]:
    return {name: (frame.row, frame.T.tolist(), frame.tip) for name, frame in frames.items()}


def step(a: float, alpha: float, beta: float = 0.0) -> Array:
    """Return the constant part of a row, Tx(a) Rx(alpha) Ry(beta), (4, 4)."""
    return pose(turn(0, alpha) @ turn(1, beta), (a, 0.0, 0.0))


def hinge(theta: float, b: float) -> Array:
    """Return the part of a row that the joint moves, Rz(theta) Tz(b), (4, 4)."""
    return pose(turn(2, theta), (0.0, 0.0, b))


def matrix(value: Any) -> Array:
    """Return a frozen (3, 3) array; 0 stands for the zero matrix."""
    return frozen(np.array(np.zeros((3, 3)) if np.ndim(value) == 0 and value == 0 else value,
                           dtype=float))
