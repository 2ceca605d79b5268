"""The motions of a plot: one, or two that are compared."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError
from robot_dynamics.simulation.curves import smooth
from robot_dynamics.simulation.joint_facts import joint_facts

if TYPE_CHECKING:
    from robot_dynamics.simulation.trajectory import Trajectory


class Plotted(NamedTuple):
    """One motion of a plot: as it was sampled, as a smooth curve, and how it is drawn."""

    trajectory: 'Trajectory'
    curve: 'Trajectory'
    label: str
    colour: str  # a key of THEMES
    dashes: str = '-'  # of its energies, whose colours say which they are
    over: float = 2.0  # whose lines lie over whose


def make_runs(trajectory: 'Trajectory', robot: Dynamics | None, other: Any,
              labels: Sequence[str]) -> list[Plotted]:
    """Return the motions to draw: the one that a plot is of, and perhaps the other."""
    facts = joint_facts(robot)
    if robot is not None and (facts is None or tuple(robot.joint_names) != trajectory.joint_names):
        raise InputError('robot: expected the one of this motion, with the joints '
                         + ', '.join(trajectory.joint_names))
    if facts is not None:
        trajectory = replace(trajectory, joints=facts)
    if other is None:
        return [Plotted(trajectory, smooth(trajectory), 'motion', 'motion')]
    if getattr(other, 'value_names', None) != trajectory.value_names:
        raise InputError('other: expected a Trajectory of the same joints: '
                         + ', '.join(trajectory.value_names))
    if isinstance(labels, str) or len(labels) != 2:
        raise InputError(f'labels={str(labels)[:80]!r}: expected two, of this motion and the '
                         'other')
    return [Plotted(trajectory, smooth(trajectory), str(labels[0]), 'motion'),
            Plotted(other, smooth(other), str(labels[1]), 'other', '--', 1.9)]
