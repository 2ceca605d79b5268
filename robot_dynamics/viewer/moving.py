"""Moves nodes of the scene: what a live robot does most."""

from __future__ import annotations

from typing import Any

import numpy as np
from viser import _messages

from robot_dynamics.model.denoc import Array

STILL = 1e-7  # changes below are not sent [m, or of a quaternion]


def move(node: Any, wxyz: Array, position: Array) -> None:
    """Set the orientation (4,) and the position (3,) [m] of a node in the scene.

    viser's own properties compare by np.allclose, which takes half of the time of a drawing.
    """
    inner = node._impl
    for current, value, message in ((inner.wxyz, wxyz, _messages.SetOrientationMessage),
                                    (inner.position, position, _messages.SetPositionMessage)):
        if np.abs(value - current).max() > STILL:
            current[:] = value
            inner.api._queue_scene_message(message(inner.name, tuple(value.tolist())))
