"""Draws trajectories: a panel for each joint and quantity, limits and references in it."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.inputs import choice, user_path
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.curves import akima
from robot_dynamics.simulation.joint_facts import unit
from robot_dynamics.simulation.plotted_runs import Plotted, make_runs
from robot_dynamics.simulation.trajectory import check_quantities
from robot_dynamics.words import counted

if TYPE_CHECKING:
    from robot_dynamics.simulation.trajectory import Trajectory

THEMES = {
    'light': {'paper': '#ffffff', 'ink': '#1f2328', 'faint': '#d0d7de', 'motion': '#0969da',
              'reference': '#6e7781', 'limit': '#cf222e', 'error': '#8250df',
              'kinetic': '#1a7f37', 'potential': '#bc4c00', 'total': '#1f2328',
              'other': '#e08600'},
    'dark': {'paper': '#0d1117', 'ink': '#e6edf3', 'faint': '#30363d', 'motion': '#58a6ff',
             'reference': '#9198a1', 'limit': '#ff7b72', 'error': '#d2a8ff',
             'kinetic': '#56d364', 'potential': '#ffa657', 'total': '#e6edf3',
             'other': '#ffa657'}}
TITLES = {'q': 'position', 'error': 'error of position', 'qd': 'velocity', 'qdd': 'acceleration',
          'tau': 'effort'}
ROW, WIDE, TOP, BOTTOM, LEFT, RIGHT = 1.15, 1.6, 1.0, 0.35, 1.15, 0.2  # [inch]
COLUMN, GAP, BETWEEN = 3.1, 0.85, 0.2  # [inch]: of a panel, beside it, below it
TICKS, LINE = 0.58, 0.13  # [inch]: what the numbers beside a panel take, a line of small text
FAR = 3.0  # limits farther away than this many ranges of the data are said, not drawn
FLAT = {'error': 1e-12}  # ranges below which curves are rounding alone, drawn as a line


def new_figure(rows: int, columns: int = 1, size: tuple[float, float] = (8.0, 2.2)) -> Any:
    """Return a figure that needs no display and its axes, (rows, columns)."""
    figure = empty_figure((size[0], size[1] * rows), layout='constrained')
    return figure, figure.subplots(rows, columns, squeeze=False)


def empty_figure(size: tuple[float, float], theme: str = 'light', **options: Any) -> Any:
    """Return a figure that needs no display, size [inch]; an error where matplotlib is missing."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise no_matplotlib(error) from None
    figure = Figure(figsize=size, facecolor=THEMES[theme]['paper'], **options)
    FigureCanvasAgg(figure)
    return figure


def no_matplotlib(error: ModuleNotFoundError) -> RobotDynamicsError:
    """Return the error that says what to install."""
    return RobotDynamicsError(f'no {error.name}: plots need it: '
                              "pip install 'robot-dynamics[plot]', or matplotlib itself")


def save_figure(figure: Any, file: Any, dpi: int = 100) -> None:
    """Write a figure; `InputError` where that cannot be."""
    try:
        figure.savefig(user_path('file', file), dpi=dpi)
    except (OSError, ValueError) as error:
        raise InputError(f'{file}: cannot be written: {error}') from None


def plot(trajectory: 'Trajectory', file: Any, what: Sequence[str], theme: str,
         robot: Dynamics | None = None, other: Any = None,
         labels: Sequence[str] = ('motion', 'other')) -> Any:
    """Draw a panel per joint and quantity, and one for what the joints have in common."""
    names, colours = check_quantities(what), THEMES[choice('theme', theme, THEMES)]
    runs = make_runs(trajectory, robot, other, labels)
    trajectory = runs[0].trajectory
    columns = [name for name in names if name in TITLES]
    if trajectory.reference is not None and 'q' in columns:
        columns.insert(columns.index('q') + 1, 'error')
    common = [name for name in names if name not in TITLES]
    rows = max([max(rows_of(trajectory, name), default=-1) + 1 for name in columns], default=0)
    gap = GAP + (LINE if trajectory.value_names != trajectory.joint_names else 0.0)
    panel = COLUMN if len(columns) > 1 else 2 * COLUMN + gap
    width = LEFT + max(len(columns), 1) * (panel + gap) - gap + RIGHT
    why = wrapped(trajectory, width)
    top = TOP + len(why) * LINE
    height = top + rows * (ROW + BETWEEN) + len(common) * (WIDE + BETWEEN + 0.2) + BOTTOM
    figure = empty_figure((width, height), theme)
    add_titles(figure, trajectory, why, colours, height)
    top = height - top
    axes = []
    for k, name in enumerate(columns):
        at = rows_of(trajectory, name)
        for column, (row, joint) in enumerate(zip(at, heads(trajectory, name), strict=True)):
            box = (LEFT + k * (panel + gap), top - (row + 1) * ROW - row * BETWEEN, panel, ROW)
            axis = add_panel(figure, box, colours, width, height)
            if name == 'error':
                draw_error(axis, trajectory, runs[0].curve.t, column, colours)
            else:
                draw_joint(axis, runs, name, column, colours)
            named = k == 0 or joint not in trajectory.value_names  # else it stands for the row
            label_joint(axis, trajectory, name, joint, named)
            flatten(axis, FLAT.get(name, 1e-9))
            if row == 0:
                axis.set_title(TITLES[name], fontsize='medium', color=colours['ink'])
            axis.tick_params(labelbottom=row == max(at))
            axes.append(axis)
    top -= rows * (ROW + BETWEEN)
    for k, name in enumerate(common):
        box = (LEFT, top - (k + 1) * (WIDE + 0.2) - k * BETWEEN, width - LEFT - RIGHT, WIDE)
        axis = add_panel(figure, box, colours, width, height)
        for run in runs:
            draw_common(axis, run, name, colours)
        axis.set_ylabel(f'{name} [{"J" if name == "energy" else "W"}]', fontsize='small')
        axes.append(axis)
    figure.text((LEFT + width - RIGHT) / 2 / width, 0.1 / height, 'time [s]', ha='center',
                color=colours['ink'])
    add_legend(figure, axes, colours, 1 - (0.45 + (len(why) + 1) * LINE) / height)
    if file is not None:
        save_figure(figure, file)
    return figure


def heads(trajectory: 'Trajectory', name: str) -> tuple[str, ...]:
    """Return the names of a quantity's columns."""
    return trajectory.value_names if name in ('q', 'error') else trajectory.joint_names


def rows_of(trajectory: 'Trajectory', name: str) -> list[int]:
    """Return the rows of a quantity's panels: those of one joint are level.

    Beside a floating joint's position are its linear rates, beside its quaternion the angular
    ones; beside qw there are none.
    """
    layout, many = trajectory.layout, len(heads(trajectory, name))
    if name in ('q', 'error') or layout.joint_names != trajectory.joint_names:
        return list(range(many))
    rows = [0] * many
    for k, j in layout.single:
        rows[j] = k
    for k, j in layout.poses:
        rows[j:j + 6] = [*range(k + 3, k + 6), *range(k, k + 3)]
    return rows


def add_panel(figure: Any, box: tuple[float, float, float, float], colours: dict[str, str],
              width: float, height: float) -> Any:
    """Return a panel at a place of the figure: left, bottom, width, height [inch]."""
    axis = figure.add_axes((box[0] / width, box[1] / height, box[2] / width, box[3] / height),
                           facecolor=colours['paper'])
    axis.grid(color=colours['faint'], linewidth=0.5)
    axis.tick_params(colors=colours['ink'], labelsize='x-small')
    axis.yaxis.label.set_color(colours['ink'])
    for spine in axis.spines.values():
        spine.set_color(colours['faint'])
    axis.margins(x=0)
    axis.yaxis.set_label_coords(-TICKS / box[2], 0.5)
    axis.yaxis.get_major_formatter().set_useOffset(False)
    axis.yaxis.get_offset_text().set(fontsize='xx-small', color=colours['ink'])
    return axis


def label_joint(axis: Any, trajectory: 'Trajectory', name: str, joint: str, named: bool) -> None:
    """Write the unit, and the joint's name where it is wanted."""
    own = unit(name, joint, trajectory.joints)
    axis.set_ylabel(f'{joint}\n[{own}]' if named else f'[{own}]', fontsize='x-small')


def flatten(axis: Any, least: float) -> None:
    """Show curves that vary less than this as lines, as those that do not vary at all."""
    low, high = axis.get_ylim()
    if high - low < least:
        middle = (low + high) / 2
        around = 0.05 * max(1.0, abs(middle))
        axis.set_ylim(middle - around, middle + around)


def draw_joint(axis: Any, runs: Sequence[Plotted], name: str, row: int,
               colours: dict[str, str]) -> None:
    """Draw a column of a quantity over time; of a batch, a line for each robot."""
    values = [getattr(run.curve, name)[..., row] for run in runs]
    for run, drawn in zip(runs, values, strict=True):
        axis.plot(run.curve.t, drawn, color=colours[run.colour], label=run.label,
                  zorder=run.over, **thickness(run.curve))
    trajectory = runs[0].curve
    reference = trajectory.reference
    if name == 'q' and reference is not None:
        axis.plot(trajectory.t, reference[..., row], '--', color=colours['reference'],
                  linewidth=1.4, label='reference')
    facts, joint = trajectory.joints, heads(trajectory, name)[row]
    if facts is not None and joint in trajectory.joint_names:  # a pose has no limits
        bounds = facts.bounds(name, trajectory.joint_names.index(joint))
        if bounds is not None:
            draw_limits(axis, np.concatenate([drawn.ravel() for drawn in values]), bounds,
                        colours)


def draw_error(axis: Any, trajectory: 'Trajectory', t: Array, column: int,
               colours: dict[str, str]) -> None:
    """Draw how far a joint is from its reference: a curve of its own, for it may be small."""
    assert trajectory.reference is not None
    error = trajectory.q[..., column] - trajectory.reference[..., column]
    axis.plot(t, akima(t, trajectory.t, error), color=colours['error'], label='error',
              **thickness(trajectory))


def thickness(trajectory: 'Trajectory') -> dict[str, float]:
    """Return how lines look: those of a batch are thin."""
    return {'linewidth': 0.7, 'alpha': 0.6} if trajectory.batch else {'linewidth': 1.4}


def draw_limits(axis: Any, values: Any, bounds: tuple[float, float],
                colours: dict[str, str]) -> None:
    """Draw the limits that are near the data, say the others, so that the data stay readable."""
    finite = np.asarray(values)[np.isfinite(values)]
    low, high = (finite.min(), finite.max()) if finite.size else bounds
    span = max(high - low, 1e-3 * (bounds[1] - bounds[0]))
    far = []
    for bound, away in ((bounds[0], low - bounds[0]), (bounds[1], bounds[1] - high)):
        if away <= FAR * span:
            axis.axhline(bound, color=colours['limit'], linestyle=(0, (6, 3)), linewidth=1.0,
                         label='limit')
        else:
            far.append(f'{bound:.4g}')
    if far:
        said = f'other limit {far[0]}'
        if len(far) == 2:
            said = (f'limits ±{bounds[1]:.4g}' if bounds[0] == -bounds[1]
                    else f'limits {" and ".join(far)}')
        axis.annotate(said, (1, 1), (0, 2), ha='right',
                      xycoords='axes fraction', textcoords='offset points', va='bottom',
                      fontsize='xx-small', color=colours['limit'])  # above: no curve is there


def draw_common(axis: Any, run: Plotted, name: str, colours: dict[str, str]) -> None:
    """Draw energies or power over time."""
    curve, thin = run.curve, thickness(run.curve)
    if name == 'power':
        axis.plot(curve.t, curve.power, color=colours[run.colour], label=run.label,
                  zorder=run.over, **thin)
        return
    for key, word in (('kinetic', 'kinetic'), ('potential', 'potential'), ('energy', 'total')):
        label = word if run.colour == 'motion' else (
            f'energies {run.label}' if word == 'total' else '_')  # one entry for its three
        axis.plot(curve.t, getattr(curve, key), run.dashes, color=colours[word], label=label,
                  zorder=run.over, **thin)


def wrapped(trajectory: 'Trajectory', width: float) -> list[str]:
    """Return why a motion ended early, in lines as long as a figure is wide [inch]."""
    return textwrap.wrap(str(trajectory.stopped[0]) if trajectory.stopped else '', int(13 * width))


def add_titles(figure: Any, trajectory: 'Trajectory', why: list[str], colours: dict[str, str],
               height: float) -> None:
    """Write what it is above all panels, and why it ended early."""
    name = trajectory.joints.robot if trajectory.joints else ''
    parts = [f'{name}:' if name else '', f'{counted(len(trajectory.joint_names), "joint")},']
    if len(trajectory.t):
        parts.append(f'{trajectory.t[0]:.4g} to {trajectory.t[-1]:.4g} s')
    figure.text(0.02, 1 - 0.3 / height, ' '.join(filter(None, parts)), va='center',
                fontsize='large', fontweight='bold', color=colours['ink'])
    figure.text(0.02, 1 - 0.42 / height, '\n'.join(why), va='top', fontsize='small',
                linespacing=1.1, color=colours['limit'])


def add_legend(figure: Any, axes: list[Any], colours: dict[str, str], y: float) -> None:
    """Write one legend for all panels, at this part of the figure's height."""
    found: dict[str, Any] = {}
    for axis in axes:
        for line, label in zip(*axis.get_legend_handles_labels(), strict=True):
            found.setdefault(label, line)
    if found:
        figure.legend(found.values(), found.keys(), loc='center left', ncols=len(found),
                      bbox_to_anchor=(0.01, y), frameon=False,
                      columnspacing=2.0 if len(found) < 6 else 1.2,
                      fontsize='small', labelcolor=colours['ink'])
