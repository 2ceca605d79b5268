"""The parameters of the inverse_dynamics node: what they mean and what they may be."""

from __future__ import annotations

from robot_dynamics.nodes.inverse_dynamics.efforts import MODES
from robot_dynamics.nodes.shared.base_input import TIMEOUT_SETTING
from robot_dynamics.nodes.shared.settings import Setting
from robot_dynamics.nodes.shared.states import CLOSURE_SETTING

JOINTS = Setting('joints', [], 'order of ~/commands; empty: that of the model')
SETTINGS = (
    Setting('mode', 'bias', 'what ~/effort and ~/commands are: gravity (holds at rest), bias '
            '(gravity and convective torques), full (the measured motion, accelerations by '
            'filtered differences) or computed_torque (follows joint_trajectory)', choices=MODES),
    Setting('gain', 20.0, 'lambda of computed_torque: errors decay as exp(-lambda t) [1/s]',
            low=0.0, high=1000.0),
    Setting('gain_delay_limit', 0.3, 'most of gain times loop delay in computed_torque: the gain '
            'is lowered where it would be more; unstable from 0.65 on, 0: never lowered',
            low=0.0, high=1.0),
    Setting('filter_cutoff', 30.0, 'cut-off of the differentiation of mode full [Hz], 0: none',
            low=0.0, high=1e4),
    Setting('command_timeout', 0.1, 'no command on a joint state older than this [s]',
            low=0.001, high=60.0),
    Setting('wrench_timeout', 0.2, 'a wrench older than this acts no more [s]',
            low=0.001, high=3600.0),
    Setting('observer_gain', 50.0, 'rate of the momentum observer [1/s]', low=0.1, high=1e4),
    Setting('max_points', 50_000, 'most points of a trajectory that is answered', low=1,
            high=10_000_000),
    Setting('diagnostics_rate', 1.0, 'statuses per second on /diagnostics [Hz]', low=0.1,
            high=100.0, read_only=True),
    JOINTS, CLOSURE_SETTING, TIMEOUT_SETTING,
)
