"""Bhangale2004 Tables III and V by `rd.select`: workspace, manipulability, and who is chosen."""

import numpy as np

from robot_dynamics.loading import from_dh
from robot_dynamics.model.dh.table import DHRow
from robot_dynamics.robot import Robot
from robot_dynamics.selection.candidates import family_of
from robot_dynamics.selection.choosing import best
from robot_dynamics.selection.complexity import elementary_cost
from robot_dynamics.selection.selection import Selection, select
from robot_dynamics.selection.workspace import sampled, workspace
from robot_dynamics.studies.arms import RIGHT
from robot_dynamics.studies.report import DIFFERS, SAME, Row

SIMPLE = ('gim_operations', 'mci_operations', 'time')


def unit_arms(a: float = 1.0, b: float = 1.0) -> dict[str, Robot]:
    """Return the four arms with lengths a and strokes b, as the tables compare them."""
    def slide(offset: float = 0.0, alpha: float = 0.0) -> DHRow:
        return DHRow(0.0, offset, alpha, 0.0, 'prismatic', mass=1.0, lower=0.0, upper=b)

    def link(length: float, theta: float = 0.0) -> DHRow:
        return DHRow(length, 0.0, 0.0, theta, mass=1.0)
    return {
        'RTX': from_dh([slide(), link(a), link(a)], name='RTX'),
        'Stanford': from_dh([DHRow(0.0, 0.1, -RIGHT, 0.0, mass=1.0),
                             DHRow(0.0, 0.1, -RIGHT, 0.0, mass=1.0), slide()], name='Stanford'),
        'RP': from_dh([DHRow(0.0, 0.0, RIGHT, RIGHT, mass=1.0), slide(a)], name='RP'),
        'PR': from_dh([slide(alpha=-RIGHT), link(a, -RIGHT)], name='PR')}


def sizes(name: str, a: float = 1.0, b: float = 1.0) -> tuple[float, float, float]:
    """Return an arm's workspace in closed form, by sampling, and the bound of that."""
    robot = unit_arms(a, b)[name]
    family = family_of(name, robot, (), ())
    tried = sampled(family)
    return float(workspace(family).value[0]), float(tried.value[0]), float(tried.error[0])


def workspace_row(item: str, name: str, printed: str, wanted: float, why: str, a: float = 1.0,
                  b: float = 1.0) -> Row:
    """Return one cell of a table: printed beside ours, in closed form and by sampling."""
    value, tried, bound = sizes(name, a, b)
    return Row(item, printed, f'{value:.4g}; by sampling {tried:.4g} +- {bound:.2g}',
               SAME if abs(value - wanted) < 1e-9 * wanted else DIFFERS, why)


def choice_rows(table: str, robots: dict[str, Robot], paper: dict[str, float],
                wanted: str) -> list[Row]:
    """Return who is better by each measure of dynamics, and who is chosen."""
    found = select(robots, criteria=SIMPLE)
    first, second = robots
    rows = []
    for key, words in zip(SIMPLE, ('GIM', 'MCI', 'CT'), strict=True):
        rows.append(Row(f'{table}, the better {words}', wanted, better_text(found, key),
                        SAME if found.better[key] == (wanted,) else DIFFERS,
                        f'sines and cosines count as the {elementary_cost():g} operations that '
                        'machine code makes of each (left out, the MCI of PR would need fewer '
                        'than that of RP); times are ratios to a general arm of six joints in '
                        'the same run'))
    ratio = paper[first] / paper[second]
    ours = found.table[first]['time'] / found.table[second]['time']
    rows.append(Row(f'{table}, CT of {first} beside {second}', f'{ratio:.3f}', f'{ours:.2f}',
                    SAME if (ratio < 1) == (ours < 1) else DIFFERS,
                    'GIM and MCI in machine code, 1000 states at once, against MATLAB'))
    rows.append(Row(f'{table}, the choice', wanted, found.chosen,
                    SAME if found.chosen == wanted else DIFFERS,
                    'by operations of GIM and MCI and by time, weighed alike'))
    return rows


def better_text(found: Selection, key: str) -> str:
    """Return who is better in a criterion, with the values of all."""
    marked = np.flatnonzero(best(key, found.columns[key], found.spreads.get(key)))
    spread = found.spreads.get(key)
    values = ', '.join(f'{name} {x:.3g}' + (f' +- {spread[i]:.1g}' if spread is not None else '')
                       for i, (name, x) in enumerate(zip(found.names, found.columns[key],
                                                         strict=True)))
    return f'{" and ".join(found.names[i] for i in marked)} ({values})'


def table_3() -> list[Row]:
    """Return Table III's workspaces and the choice."""
    a, b = 2.0, 1.0  # the text after (22)
    rp, pr = sizes('RP', a, b)[0], sizes('PR', a, b)[0]
    return [
        workspace_row('Table III, workspace of RP, a_i = b_i = a', 'RP', '4 pi a^2 = 12.57 a^2',
                      4 * np.pi, 'its formula, pi (2 a1 b2 + b2^2), gives 3 pi a^2: the printed '
                      'value forgets the hole'),
        workspace_row('Table III, workspace of PR, a_i = b_i = a', 'PR', '(pi + 2) a^2 = 5.142 '
                      'a^2', np.pi + 2, 'the link reaches a circle, not a disc: where both end '
                      'circles of a slide shorter than 2 a2 overlap there is a hole, 1.228 a^2 '
                      'here, which pi a2^2 + 2 a2 b1 leaves in'),
        workspace_row('Table III, pi a2^2 + 2 a2 b1 with b1 = 2 a2', 'PR', 'pi + 4 = 7.142',
                      np.pi + 4, 'a slide long enough leaves no hole', 1.0, 2.0),
        Row('after (22), workspaces with a_i = 2 b', 'RP 5 pi b^2, PR 4 (pi + 1) b^2: PR larger',
            f'RP {rp / np.pi:.4g} pi b^2, PR {pr:.4g} b^2', DIFFERS, 'once the hole of PR is left '
            'out, RP is the larger one')]


def table_5() -> list[Row]:
    """Return Table V's workspaces and largest manipulabilities."""
    arms = unit_arms()
    most = select([arms['RTX'], arms['Stanford']], criteria='manipulability_max').columns[
        'manipulability_max']
    return [
        workspace_row('Table V, workspace of RTX, a_i = b_i = a', 'RTX', '4 pi a^3 = 12.57 a^3',
                      4 * np.pi, '4 pi b1 a2 a3: a ring b1 high'),
        workspace_row('Table V, workspace of Stanford, a_i = b_i = a', 'Stanford',
                      '4 pi a^3 / 3 = 4.189 a^3', 4 / 3 * np.pi, 'printed with a3, which is 0 in '
                      'Table IV, for b3; the shoulder offset of 0.1 m changes nothing: discs '
                      'become rings of the same area'),
        Row('Table V, largest manipulability, a_i = b_i = a', 'a^2 and a^2', ' and '.join(
            f'{x:.6g} a^2' for x in most), SAME if np.allclose(most, 1.0, rtol=1e-6) else DIFFERS,
            'over all postures: it decides nothing, as the paper says')]
