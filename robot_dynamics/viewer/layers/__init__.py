"""What may be drawn on a robot, each switched by a checkbox: LAYERS has them by name."""

from robot_dynamics.viewer.layers.efforts import ConstraintForces, ForceEllipsoid, TorqueArcs
from robot_dynamics.viewer.layers.frames import DHFrames, LinkFrames, LinkNames
from robot_dynamics.viewer.layers.layer import Layer
from robot_dynamics.viewer.layers.masses import (
    GravityArrow,
    InertiaEllipsoids,
    Manipulability,
    MassCentre,
    PayloadMark,
)

LAYERS: dict[str, type[Layer]] = {layer.title: layer for layer in (
    TorqueArcs, PayloadMark, MassCentre, InertiaEllipsoids, Manipulability, ForceEllipsoid,
    ConstraintForces, DHFrames, LinkFrames, LinkNames, GravityArrow)}

__all__ = ['LAYERS', 'Layer']
