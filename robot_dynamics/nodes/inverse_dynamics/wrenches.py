"""Wrenches that the environment exerts on links, as messages report them."""

from __future__ import annotations

from typing import Any

import numpy as np

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import vector


class Wrenches:
    """The last wrench on each link, forgotten when it is old."""

    def __init__(self) -> None:
        self._wrenches: dict[str, tuple[float, np.ndarray]] = {}

    def __bool__(self) -> bool:
        return bool(self._wrenches)

    def put(self, message: Any, robot: Dynamics, time: float) -> None:
        """Take a WrenchStamped; frame_id names the link, whose origin and axes it is in.

        time: of its arrival on the steady clock [s]
        """
        link, n, f = message.header.frame_id, message.wrench.torque, message.wrench.force
        if link not in robot.link_names:
            raise InputError(f'wrench: frame_id {link!r} is no link of {robot.name}')
        self._wrenches[link] = time, vector('wrench', [n.x, n.y, n.z, f.x, f.y, f.z], (6,))

    def torque(self, robot: Dynamics, q: np.ndarray, time: float, timeout: float) -> np.ndarray:
        """Return the joint torques J^T w of all wrenches that are not older than timeout, (n,)."""
        total = np.zeros(robot.n)
        for link, (arrival, w) in list(self._wrenches.items()):
            if time - arrival > timeout or link not in robot.link_names:
                del self._wrenches[link]
                continue
            R = robot.pose(q, link)[:3, :3]
            total += robot.jacobian(q, link).T @ np.concatenate([R @ w[:3], R @ w[3:]])
        return total

    def clear(self) -> None:
        """Forget all."""
        self._wrenches.clear()
