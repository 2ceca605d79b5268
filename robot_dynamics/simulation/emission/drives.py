"""Writes the torques at a stage of a compiled step: control laws and wrenches (drives.py)."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from robot_dynamics.simulation.emission.steps import Steps

DRIVE = ('law', 'law_work', 'pull', 'pull_work', 'rate_gain', 'value_gain', 'limit', 'watch',
         'sliding')


def write_drive(w: 'Steps', row: str, q: str, v: str) -> str:
    """Write the torques of a law and of wrenches; return their address."""
    tau, size = LAWS[w.law](w, row, q, v)
    if w.law:
        w.note(w.any('ogt', w.absolute_of(tau), w.load('%watch')))
        limit = w.load('%limit')
        tau = w.chosen('ogt', tau, limit, limit)
        least = w.binary('fsub', w.constant(0.0), limit)
        tau = w.chosen('olt', tau, least, least)
    if w.pulls:
        wrenches = [w.at(row, str(size * w.width + 6 * k)) for k in range(w.pulls)]
        pointers = ', '.join(f'ptr {wrench}' for wrench in wrenches)
        w.ask('%pull', f'ptr %at_q, {pointers}, ptr %pull_work, ptr %at_tau')
        tau = w.binary('fadd', tau, w.load('%at_tau'))
    w.store(w.binary('fadd', tau, w.load('%sliding')), '%at_tau')
    return '%at_tau'


def given_torque(w: 'Steps', row: str, q: str, v: str) -> tuple[str, int]:
    """Write the torques of a row; return them, and how many vectors the row has."""
    return w.load(row), 1


def pd_gravity(w: 'Steps', row: str, q: str, v: str) -> tuple[str, int]:
    """Write control.PDGravity: gravity + stiffness (q_d - q) + damping (qd_d - qd)."""
    w.ask('%law', 'ptr %at_q, ptr %law_work, ptr %at_tau')
    tau = w.load('%at_tau')
    for k, (x, gain) in enumerate(((q, '%value_gain'), (v, '%rate_gain'))):
        error = w.binary('fsub', w.load(w.at(row, str(k * w.width))), x)
        tau = w.binary('fadd', tau, w.binary('fmul', w.load(gain), error))
    return tau, 2


def computed_torque(w: 'Steps', row: str, q: str, v: str) -> tuple[str, int]:
    """Write control.ComputedTorque."""
    q_d, qd_d, a = (w.load(w.at(row, str(k * w.width))) for k in range(3))
    for x, x_d, gain in ((v, qd_d, '%rate_gain'), (q, q_d, '%value_gain')):
        error = w.binary('fsub', x, x_d)  # SahaSchiehlen2001 (37)
        a = w.binary('fsub', a, w.binary('fmul', w.load(gain), error))
    w.store(a, '%at_a')
    w.ask('%law', 'ptr %at_q, ptr %at_v, ptr %at_a, ptr %law_work, ptr %at_tau')
    return w.load('%at_tau'), 3


LAWS = {'': given_torque, 'nothing': given_torque, 'gravity_torque': pd_gravity,
        'inverse_dynamics': computed_torque}
