"""The parameters of the viewer node: what they mean and what they may be."""

from __future__ import annotations

from robot_dynamics.nodes.shared.base_input import TIMEOUT_SETTING
from robot_dynamics.nodes.shared.settings import Setting
from robot_dynamics.nodes.shared.states import CLOSURE_SETTING

SETTINGS = (
    Setting('rate', 60.0, 'looks at the inputs per second; the page draws 40 at the most [Hz]',
            low=1.0, high=200.0, read_only=True),
    Setting('stale', 0.5, 'silence after which an input is shown as stale [s]', low=0.01,
            high=60.0),
    CLOSURE_SETTING, TIMEOUT_SETTING,
)
