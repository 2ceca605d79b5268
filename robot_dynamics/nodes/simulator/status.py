"""What the simulator tells on /diagnostics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from robot_dynamics.simulation.live.commanded_robot import CommandedRobot

SLOW = 0.95  # part of the real-time factor asked for that is still well


@dataclass
class Counts:
    """Since the start: joint states published, commands taken and refused."""

    states: int = 0
    commands: int = 0
    refused: int = 0


def status(name: str, mock: CommandedRobot, settings: Any, counts: Counts, *, active: bool,
           paused: bool, waits_for: tuple[bytes, str]) -> DiagnosticStatus:
    """Return the diagnostic of a simulator; waits_for: why no robot moves."""
    level, message = judge(mock, settings, active=active, paused=paused, waits_for=waits_for)
    pace = mock.pace
    told = counts.commands
    values = {
        'real-time factor': f'{pace.real_time_factor:.3f}',
        'real-time factor wanted': f'{settings.real_time_factor:g}',
        'simulated time [s]': f'{pace.time:.3f}',
        'time lost [s]': f'{pace.lost:.3f}',
        'cycles': pace.cycles,
        'cycles skipped': pace.skipped,
        'joint states': counts.states,
        'commands': told,
        'commands refused': counts.refused,
        'states without a command': max(0, counts.states - told),
        'paused': paused,
    }
    if mock.live is not None and mock.live.locked:
        values['joints locked for want of inertia'] = ', '.join(mock.live.locked)
    return DiagnosticStatus(
        level=level, name=f'{name}: simulation', message=message, hardware_id='simulated',
        values=[KeyValue(key=key, value=str(value)) for key, value in values.items()])


def judge(mock: CommandedRobot, settings: Any, *, active: bool, paused: bool,
          waits_for: tuple[bytes, str]) -> tuple[bytes, str]:
    """Return the level and its reason."""
    ok, warn, error = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR
    if mock.failure:
        return error, mock.failure
    if mock.live is None:
        return waits_for
    if not active or paused:
        return ok, 'paused' if paused else 'inactive'
    stale = mock.commands.stale(mock.pace.time, settings.command_timeout)
    if stale.any():
        motors = mock.live.joints.motor_names
        names = [name for name, old in zip(motors, stale, strict=True) if old]
        return warn, f'no command ({settings.on_timeout}): {", ".join(names)}'
    if mock.pace.real_time_factor < SLOW * settings.real_time_factor:
        return warn, 'slower than asked for'
    return ok, 'follows its commands'
