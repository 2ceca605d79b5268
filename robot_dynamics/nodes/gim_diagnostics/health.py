"""What the gim_diagnostics node judges: numbers of the robot against thresholds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from robot_dynamics_interfaces.msg import GeneralizedInertia

from robot_dynamics.nodes.shared.diagnostics import (
    ERROR,
    OK,
    STALE,
    WARN,
    level_above,
    level_below,
    status,
    worst,
)
from robot_dynamics.nodes.shared.settings import Setting

# name: default of the warning, of the error, what it is; large values are bad unless it says least
THRESHOLDS = {
    'condition_number': (1e4, 1e7, 'condition number of the inertia matrix'),
    'minimum_pivot': (1e-3, 1e-7, 'least pivot of the inertia matrix [kg m^2 or kg]'),
    'coupling': (0.99, 0.9999, 'coupling |I_ij| / sqrt(I_ii I_jj) of two joints, 0 to 1'),
    'singularity': (0.05, 0.005, 'least distance to a singularity: smallest singular value of the '
                                 'Jacobian [m/rad]'),
    'loop_condition': (50.0, 1e3, "condition number of a mechanism's loops, which grows without "
                                  'end towards a singularity'),
    'closure': (1e-3, 1e-2, 'how far joint states leave a loop open [m, or sine of an angle]'),
    'power_residual': (20.0, 200.0, 'power that the model does not explain [W]'),
    'rate': (10.0, 1.0, 'least rate of joint_states [Hz]'),
    'latency': (0.05, 0.5, 'age of joint states on arrival [s]'),
    'stale': (0.2, 1.0, 'silence of joint_states [s]'),
}
THRESHOLD_SETTINGS = tuple(
    Setting(f'{name}.{level}', value, f'{level} {"below" if "least" in text else "above"}: {text}',
            low=0.0, high=1e30)
    for name, (warn, error, text) in THRESHOLDS.items()
    for level, value in (('warn', warn), ('error', error)))


class Health:
    """Statuses of one node by the thresholds of its settings."""

    def __init__(self, node_name: str, hardware: str, settings: Any):
        self._node, self._hardware, self._settings = node_name, hardware, settings

    def thresholds(self, name: str) -> tuple[float, float]:
        """Return where warning and error begin."""
        values = vars(self._settings)
        return values[f'{name}.warn'], values[f'{name}.error']

    def _status(self, name: str, level: bytes, message: str,
                values: Mapping[str, Any]) -> DiagnosticStatus:
        result = status(f'{self._node}: {name}', level, message, values)
        result.hardware_id = self._hardware
        return result

    def input(self, report: Mapping[str, float], refused: int) -> DiagnosticStatus:
        """Judge the stream of joint states."""
        faults = {
            'joint_states stopped': level_above(report['age'], *self.thresholds('stale')),
            'joint_states are slow': level_below(report['rate'], *self.thresholds('rate')),
            'joint_states are late': level_above(
                abs(report['latency']), *self.thresholds('latency')),
        }
        message = next((text for text, found in faults.items() if found != OK),
                       'joint_states arrive')
        return self._status('input', worst(faults.values()), message, {
            'rate [Hz]': report['rate'], 'age [s]': report['age'],
            'latency [s]': report['latency'], 'states refused': refused})

    def inertia(self, message: GeneralizedInertia) -> DiagnosticStatus:
        """Judge the inertia matrix: condition, pivots, coupling."""
        n = len(message.joint_names)
        D = np.asarray(message.d)
        pair, coupling = strongest_coupling(np.asarray(message.inertia).reshape(n, n))
        names = message.joint_names
        weakest = names[int(D.argmin())]
        faults = {
            f'pivot of {weakest} is near zero': level_below(
                message.minimum_pivot, *self.thresholds('minimum_pivot')),
            'inertia matrix is ill-conditioned': level_above(
                message.condition_number, *self.thresholds('condition_number')),
            f'{names[pair[0]]} and {names[pair[1]]} are coupled': level_above(
                coupling, *self.thresholds('coupling')),
        }
        level = worst(faults.values())
        text = next((text for text, found in faults.items() if found == level), '')
        return self._status('inertia', level, text if level != OK else 'well conditioned', {
            'condition number': message.condition_number,
            'smallest pivot [kg m^2 or kg]': message.minimum_pivot, 'its joint': weakest,
            'coupling': coupling, 'coupled joints': f'{names[pair[0]]}, {names[pair[1]]}'})

    def singularity(self, distance: float, manipulability: float,
                    reason: str = '') -> DiagnosticStatus:
        """Judge how far the arm is from losing a direction; nan: it has no tip, for a reason."""
        level = level_below(distance, *self.thresholds('singularity'))
        text = (f'cannot be judged (parameters link, singularity_rows): {reason}'
                if math.isnan(distance) else
                {OK: 'away from singularities', WARN: 'near a singularity',
                 ERROR: 'at a singularity'}[level])
        return self._status('singularity', level, text, {
            'distance [m/rad]': distance, 'manipulability': manipulability})

    def loops(self, names: Sequence[str], condition: float, gap: float) -> DiagnosticStatus:
        """Judge how far a mechanism is from a singularity of its loops, and how well they close.

        The distance is one over the condition number: 1 far away, 0 where passive joints no longer
        follow.
        """
        faults = {
            'the loops are near a singularity': level_above(
                condition, *self.thresholds('loop_condition')),
            'joint_states leave a loop open': level_above(gap, *self.thresholds('closure'))}
        level = worst(faults.values())
        text = next((text for text, found in faults.items() if found == level), '')
        return self._status('loops', level, text if level != OK else 'closed, and regular', {
            'condition': condition, 'distance to singularity': 1.0 / condition,
            'closure error [m, or sine]': gap, 'loops': ', '.join(names)})

    def power(self, residual: float) -> DiagnosticStatus:
        """Judge the power balance."""
        level = level_above(abs(residual), *self.thresholds('power_residual'))
        text = ('joint_states carry no effort' if math.isnan(residual) else
                'efforts explain the motion' if level == OK else
                'efforts do not explain the motion')
        return self._status('power balance', level, text, {'unexplained power [W]': residual})

    def waiting(self, why: str) -> list[DiagnosticStatus]:
        """Return the statuses of a robot that cannot be judged."""
        return [self._status(name, STALE, why, {})
                for name in ('inertia', 'singularity', 'power balance')]


def strongest_coupling(I: np.ndarray) -> tuple[tuple[int, int], float]:
    """Return the pair of joints with the largest |I_ij| / sqrt(I_ii I_jj), and that value."""
    scale = np.sqrt(np.maximum(np.diag(I), np.finfo(float).tiny))
    C = np.abs(I) / np.outer(scale, scale)
    np.fill_diagonal(C, 0.0)
    i, j = np.unravel_index(int(C.argmax()), C.shape)
    return (int(i), int(j)), float(C[i, j])


def distance_to_singularity(J: np.ndarray) -> float:
    """Return the smallest singular value of some rows of the Jacobian."""
    return float(np.linalg.svd(J, compute_uv=False)[-1])
