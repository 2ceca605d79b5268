"""SahaSchiehlen2001 VI: a four-bar linkage and a five-bar manipulator, Figures 5 to 8, 10 to 13.

The paper gives no inertias: uniform slender rods. Its forced simulations apply the torques of
inverse dynamics in open loop and leave the motion; the law (37) does not.
"""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.algorithms import parallel_denoc
from robot_dynamics.errors import RobotDynamicsWarning
from robot_dynamics.loading import load_mechanism
from robot_dynamics.mechanism.legged import Legged
from robot_dynamics.mechanism.mechanism import Mechanism
from robot_dynamics.mechanism.structure import leg_masses, make_legs
from robot_dynamics.model.denoc import Array
from robot_dynamics.share import shared_file
from robot_dynamics.simulation import ComputedTorque, Motion, Trajectory, cycloidal, simulate
from robot_dynamics.simulation.plots import new_figure, save_figure
from robot_dynamics.studies.report import CLOSE, DIFFERS, OURS, SAME, Row

DURATION = 20.0  # SahaSchiehlen2001 (36), (39)
STEP = 0.02  # [s] of the samples, SahaSchiehlen2001 (36), (39): printed as tbar
TOLERANCE = 1e-6  # of the paper's integration, an Adams-Bashforth-Moulton method
GAIN = 1.0  # lambda of (37)
AWAY = 0.02  # an error that shows in a figure [rad]
AGREE = 1e-9  # relative
NEAR = 1.5  # times the paper's time is near it: errors grow exponentially
GROWTH = ('the motion is unstable in open loop (the paper: zero eigenvalue instability): an error '
          'grows tenfold every 0.5 to 0.7 s, so that how soon it shows is a matter of the '
          "integrator's error and of how torques are held between samples, neither of which the "
          'paper says')


class Linkage(NamedTuple):
    """One of the paper's linkages and its motion."""

    mechanism: Mechanism
    motion: Motion


def linkage(name: str, start: list[float], end: list[float]) -> Linkage:
    """Return a shipped linkage and its motion between angles in degrees."""
    mechanism = load_mechanism(shared_file(f'urdf/{name}.yaml'),
                               formulation=Legged.formulation)
    return Linkage(mechanism, cycloidal(
        np.radians(start), np.radians(end), DURATION))  # SahaSchiehlen2001 (35)


def samples(at: Linkage) -> dict[str, Array]:
    """Return time, joint values, rates, accelerations of all joints, and torques."""
    t = np.arange(0.0, DURATION + STEP / 2, STEP)
    q, qd, qdd = at.motion(t)
    robot = at.mechanism
    tree = robot.assemble(q)
    return {'t': t, 'theta': tree, 'theta_d': robot.passive_rates(q, qd, near=tree),
            'theta_dd': robot.passive_accelerations(q, qd, qdd, near=tree),
            'tau': robot.inverse_dynamics(q, qd, qdd, near=tree)}


def run(at: Linkage, start: Any, torque: Any, duration: float, *, method: str = 'ABM',
        tolerance: float = TOLERANCE) -> Trajectory:
    """Return a motion from rest, sampled as the paper's; it may stop before its time."""
    robot = at.mechanism
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', RobotDynamicsWarning)  # that it stops is what we look for
        return simulate(robot, start, np.zeros(robot.n), torque,
                        np.arange(0.0, duration + STEP / 2, STEP), method=method,
                        rtol=tolerance, atol=tolerance)


def forced_torque(at: Linkage, held: float = 0.0) -> Callable[[float, Array, Array], Array]:
    """Return the torques of inverse dynamics over time, held between samples where asked [s]."""
    def torque(t: float, q: Array, qd: Array) -> Array:
        instant = np.floor(t / held + 1e-9) * held if held else t
        return at.mechanism.inverse_dynamics(*at.motion(instant))
    return torque


def leaves(at: Linkage, found: Trajectory) -> float:
    """Return when a motion leaves the desired one by what shows in a figure [s]."""
    error = np.abs(found.q - at.motion(found.t)[0]).max(axis=1)
    return float(found.t[np.argmax(error > AWAY)]) if (error > AWAY).any() else np.inf


def legged(mechanism: Mechanism) -> Legged:
    """Return the coordinates of a linkage, which was loaded with legs."""
    coordinates = mechanism.model.coordinates
    assert isinstance(coordinates, Legged)
    return coordinates


def own_words(at: Linkage, data: dict[str, Array]) -> tuple[float, float]:
    """Return how far IDA and FDA, as printed, are from the kernels: tau and GIM, relative."""
    robot = at.mechanism
    coordinates = legged(robot)
    structure, loops = coordinates.structure, coordinates.loops
    worst, most = [0.0, 0.0], [0.0, 0.0]
    for k in range(0, len(data['t']), 50):
        q, qd, qdd = at.motion(data['t'][k])
        legs = make_legs(structure, loops, data['theta'][k])
        masses = leg_masses(structure, loops, robot.inertials, data['theta'][k])
        tau = parallel_denoc.inverse_dynamics(legs, masses, qd, qdd, robot.inertials.base.gravity)
        gim = robot.inertia_matrix(q, near=data['theta'][k])
        for j, (found, wanted) in enumerate(
                ((tau, data['tau'][k]), (parallel_denoc.inertia_matrix(legs, masses), gim))):
            worst[j] = max(worst[j], float(np.abs(found - wanted).max()))
            most[j] = max(most[j], float(np.abs(wanted).max()))
    return worst[0] / most[0], worst[1] / most[1]


def algorithm_rows(at: Linkage, data: dict[str, Array]) -> list[Row]:
    """Return what the printed algorithms give beside the kernels."""
    names = ('IDA-1 to IDA-3, (20) to (24)', 'FDA-1 to FDA-3, (27) to (34)')
    return [Row(name, 'an algorithm', f'{gap:.1e} from the compiled kernels, relative',
                SAME if gap < AGREE else DIFFERS,
                'with the factors p_i ptilde_i^T / delta_i that (16c) is printed without, and the '
                'signs of (30) and (32) set right')
            for name, gap in zip(names, own_words(at, data), strict=True)]


def spread(values: Array, unit: str) -> str:
    """Return the range of a curve, and its ends."""
    return (f'{values.min():.4g} to {values.max():.4g} {unit}, {values[0]:.4g} at 0 s, '
            f'{values[-1]:.4g} at the end')


def curve_rows(figure: str, names: list[str], values: Array, unit: str) -> list[Row]:
    """Return the numbers of curves that the paper only draws."""
    return [Row(f'{figure}, {name}', 'a curve', spread(values[:, k], unit), OURS,
                'to be laid beside the figure; inertias are those of uniform slender rods, which '
                'the paper does not say') for k, name in enumerate(names)]


def forced_rows(figure: str, at: Linkage, paper: float, what: str, cured: str,
                runs: dict[str, Trajectory]) -> list[Row]:
    """Return how forced simulations end, open loop and under (37)."""
    rows = []
    for name in ('open loop', 'open loop, held'):
        found = runs[name]
        when = leaves(at, found)
        end = (f', stops at {found.t[-1]:.2f} s: singular' if found.stopped
               else ', and does not come back')
        rows.append(Row(
            f'{figure}, {name}', f'{what} {paper} s', f'leaves the motion at {when:.2f} s{end}',
            CLOSE if (found.t[-1] if found.stopped else when) < NEAR * paper else DIFFERS,
            GROWTH))
    law = runs['law']
    error = float(np.abs(law.q - at.motion(law.t)[0]).max())
    rows.append(Row(
        'law (37), lambda = 1', cured, f'error up to {error:.1e} rad over '
        f'{law.t[-1]:.0f} s', SAME if error < 1e-4 and not law.stopped else DIFFERS,
        f'an integration to {TOLERANCE:g}; (37) is rd.ComputedTorque, with gravity'))
    return rows


def forced_runs(at: Linkage) -> dict[str, Trajectory]:
    """Return forced simulations: as computed, held between samples, under the law (37)."""
    start = at.motion(0.0)[0]
    return {'open loop': run(at, start, forced_torque(at), DURATION),
            'open loop, held': run(at, start, forced_torque(at, STEP), DURATION),
            'law': run(at, start, ComputedTorque(at.mechanism, at.motion, GAIN), DURATION)}


def singular_rows(at: Linkage, falls: dict[str, Trajectory]) -> list[Row]:
    """Return when the five-bar comes to a singular pose."""
    rows = []
    for name, fall in falls.items():
        end = fall.t[-1]
        rows.append(Row(
            f'Figure 12, free fall from {name}', 'stops after about 1.4 s, singular',
            f'stops at {end:.4f} s, singular' if fall.stopped else 'does not stop',
            CLOSE if fall.stopped and abs(end - 1.4) < 0.1 else DIFFERS,
            'the forearms stretch out; the paper gives the start as 80 and 70 degrees, and as 1.4 '
            'and 1.22 rad'))
    return rows


def tree_values(found: Trajectory) -> Array:
    """Return the values of all joints of a motion, (K, joints)."""
    assert found.q_tree is not None  # it is a mechanism's
    return found.q_tree


def draw_poses(folder: Path, figure: str, at: Linkage, moved: Array, fallen: Array) -> None:
    """Draw a linkage in poses of its motion and of its free fall, (K, joints) each."""
    coordinates = legged(at.mechanism)
    picture, axes = new_figure(1, 2, size=(9.0, 3.6))
    for axis, poses, title in zip(axes[0], (moved, fallen), ('along (35)', 'free fall'),
                                  strict=True):
        for k, q in enumerate(poses):
            shade = str(0.75 * (1 - k / (len(poses) - 1)))
            legs = make_legs(coordinates.structure, coordinates.loops, q).legs
            for leg in legs:  # all meet where the last one ends
                points = np.array([*leg.O, legs[-1].E])
                axis.plot(points[:, 0], points[:, 1], 'o-', color=shade, markersize=3)
        axis.set_aspect('equal')
        axis.set_title(f'Figure {figure}: {title}, later is darker [m]', fontsize='small')
    save_figure(picture, folder_file(folder, figure), dpi=70)


def folder_file(folder: Path, figure: str) -> Path:
    """Return the file of a figure."""
    return folder / f'002_figure_{figure}.png'
