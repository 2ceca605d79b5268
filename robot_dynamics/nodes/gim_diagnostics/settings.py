"""The parameters of the gim_diagnostics node: what they mean and what they may be."""

from __future__ import annotations

from typing import Any

from robot_dynamics.errors import InputError
from robot_dynamics.nodes.gim_diagnostics.health import THRESHOLD_SETTINGS
from robot_dynamics.nodes.shared.base_input import TIMEOUT_SETTING
from robot_dynamics.nodes.shared.settings import Setting
from robot_dynamics.nodes.shared.states import CLOSURE_SETTING


def _rows(rows: Any) -> None:
    if not len(rows) or not all(0 <= row < 6 for row in rows):
        raise InputError(f'{list(rows)}: expected row numbers from 0 to 5')


SETTINGS = (
    Setting('inertia_rate', 10.0, 'messages per second on ~/inertia [Hz]', low=0.1, high=1000.0,
            read_only=True),
    Setting('diagnostics_rate', 2.0, 'reports per second on /diagnostics [Hz]', low=0.1,
            high=100.0, read_only=True),
    Setting('markers_rate', 10.0, 'drawings per second on ~/markers [Hz]', low=0.1, high=100.0,
            read_only=True),
    Setting('link', '', 'link whose Jacobian is judged and drawn; empty: the only tip'),
    Setting('singularity_rows', [3, 4, 5], 'rows of its Jacobian that count: 0 to 2 angular, 3 to '
            '5 linear; a planar arm has two linear ones', check=_rows),
    Setting('arc_radius', 0.1, 'radius of the torque arcs [m]', low=1e-3, high=10.0),
    Setting('ellipsoid_scale', 0.2, 'size of the manipulability ellipsoid [s]', low=1e-3,
            high=100.0),
    CLOSURE_SETTING, TIMEOUT_SETTING,
    *THRESHOLD_SETTINGS,
)
