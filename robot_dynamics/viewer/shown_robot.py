"""One robot on the page: its solids on frames that move, and the state that is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import viser
from scipy.spatial.transform import Rotation

from robot_dynamics.drawing.places import all_values, body_poses
from robot_dynamics.dynamics import Dynamics
from robot_dynamics.inputs import vector
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.online.bodies import make_body
from robot_dynamics.viewer.bodies import LINK, make_parts
from robot_dynamics.viewer.moving import move

CLOSED = 1e-3  # how far measured joint values may leave a loop open [m, or the sine of an angle]
STALE = 0.3  # opacity of a robot whose state is old


@dataclass(frozen=True)
class State:
    """What is shown: joint values (nq,), rates, accelerations and efforts (nv,).

    tau: efforts that were measured or commanded; None where those of the model are shown
    external: {link: wrench [n, f] on it, at its origin, in root axes}
    """

    q: Array
    qd: Array
    qdd: Array
    tau: Array | None = None
    external: dict[str, Array] | None = None
    stale: bool = False


class ShownRobot:
    """A robot in the scene, below the node `path`; `place` is its root in the scene, (3,) [m]."""

    def __init__(self, server: viser.ViserServer, path: str, name: str, dynamics: Dynamics,
                 place: Any = (0.0, 0.0, 0.0)):
        self.server, self.path, self.name = server, path, name
        self.place = np.asarray(place, float)
        self.body = make_body(dynamics, CLOSED)
        self.dynamics = self.body.robot
        q, rest = beginning(dynamics), np.zeros(dynamics.nv)
        self.body.stand(q)
        self.bodies = body_poses(dynamics.model, all_values(self.dynamics, q))
        self.state = State(q, rest, rest)
        self.parts = make_parts(dynamics, self.bodies)
        self._draw()
        self.show(self.state)

    @property
    def values(self) -> Array:
        """The joint values that poses take: of a mechanism those of all its joints."""
        return all_values(self.dynamics, self.state.q)

    def _draw(self) -> None:
        scene = self.server.scene
        self.root = scene.add_frame(self.path, show_axes=False, position=self.place)
        self.frames = [scene.add_frame(f'{self.path}/bodies/{i}', show_axes=False)
                       for i in range(len(self.bodies))]
        self.meshes = []
        for k, (body, solid, _) in enumerate(self.parts):
            under = f'{self.path}/bodies/{body}' if body >= 0 else f'{self.path}/root'
            color = solid.color or LINK
            self.meshes.append(scene.add_mesh_simple(
                f'{under}/{k}', solid.vertices.astype(np.float32), solid.faces,
                color=np.array(color[:3]),
                opacity=None if color[3] >= 1 else color[3]))

    def show(self, state: State) -> None:
        """Show a state; `InputError`, `SingularityError`: one that the robot cannot be in."""
        said = self.body.stand(state.q)
        bodies = body_poses(self.dynamics.model, all_values(self.dynamics, state.q))
        if state.stale != self.state.stale:
            self.fade(STALE if state.stale else None)
        self.state, self.bodies, self.said = state, bodies, said
        wxyz = Rotation.from_matrix(bodies[:, :3, :3]).as_quat()[:, [3, 0, 1, 2]]
        with self.server.atomic():
            for frame, quaternion, T in zip(self.frames, wxyz, bodies, strict=True):
                move(frame, quaternion, T[:3, 3])

    def fade(self, opacity: float | None) -> None:
        """Show the robot through: 0 to 1; None as it was."""
        for mesh, part in zip(self.meshes, self.parts, strict=True):
            own = (part.solid.color or LINK)[3]
            mesh.opacity = opacity if opacity is not None else None if own >= 1 else own

    @property
    def bounds(self) -> tuple[Array, Array]:
        """The corners of the box around the robot as it stands, (3,) each, in the scene [m]."""
        points = [np.zeros((1, 3)), self.bodies[:, :3, 3]]
        for body, solid, _ in self.parts:
            T = self.bodies[body] if body >= 0 else np.eye(4)
            box = np.array([solid.vertices.min(axis=0), solid.vertices.max(axis=0)])
            corners = np.stack(np.meshgrid(*box.T), -1).reshape(-1, 3)
            points.append(corners @ T[:3, :3].T + T[:3, 3])
        stacked = np.vstack(points) + self.place
        return stacked.min(axis=0), stacked.max(axis=0)

    def remove(self) -> None:
        """Take it out of the scene."""
        self.root.remove()


def beginning(dynamics: Dynamics) -> Array:
    """Return joint values to begin with, (nq,): 0 where the limits allow it, else their middle.

    A mechanism begins where its file says that it is assembled.
    """
    start = getattr(dynamics, 'start', None)
    if start is not None:
        names = dynamics.tree_joint_names  # type: ignore[attr-defined]
        return np.array([start[names.index(name)] for name in dynamics.joint_names])
    coordinates, limits = dynamics.model.coordinates, dynamics.limits
    q: Array = dynamics.neutral  # type: ignore[attr-defined]
    values = coordinates.joint_values(q)
    outside = (values < limits.lower) | (values > limits.upper)
    with np.errstate(invalid='ignore'):
        middle = np.where(np.isfinite(limits.lower) & np.isfinite(limits.upper),
                          (limits.lower + limits.upper) / 2,
                          np.clip(values, limits.lower, limits.upper))
    return vector('q', coordinates.with_joint_values(q, np.where(outside, middle, values)),
                  (dynamics.nq,))
