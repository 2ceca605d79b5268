"""The papers' tables of operation counts: 000 Table 1, 001 7.1-7.4, 003 1-4, 004 I-II, (14)-(18).

Ours are counted by running the algorithms over numbers that count, on the papers' general arm of n
revolute joints.
"""

from pathlib import Path
from typing import Any

from robot_dynamics.algorithms.counting import count, general_arm
from robot_dynamics.algorithms.joints import cosines_sines
from robot_dynamics.algorithms.newton_euler import link_motions
from robot_dynamics.algorithms.paper_counts import COUNTS, FIXED, PaperCount, evaluate, formula
from robot_dynamics.model.denoc import Array, Geometry, Inertials
from robot_dynamics.simulation.plots import new_figure, save_figure
from robot_dynamics.studies.operation_table import (
    METHODS,
    PLANAR,
    REASONS,
    Method,
    beside,
    count_general,
)
from robot_dynamics.studies.report import DIFFERS, OURS, SAME, Row, compare, pair

N = 6
OTHERS = "a count of other authors' method, which is not ours to redo; its formula, evaluated"


def method(what: str, name: str) -> Method:
    """Return one of our counted methods."""
    return next(m for m in (*METHODS, *PLANAR) if (m.what, m.name) == (what, name))


def count_row(item: str, m: Method, n: int = N) -> Row:
    """Return our count beside the paper's count of the same method."""
    counted = beside(m)
    assert counted is not None  # the papers' methods alone are asked for
    entry, letters = counted
    paper = (float(evaluate(entry.multiplications, n)),
             float(evaluate(entry.right_additions or entry.additions, n)))
    ours = count_general(m, n)[:2]
    why = ' '.join(REASONS[letter] for letter in letters)
    return Row(f'{item}, {m.name}, n = {n}', pair(*paper), pair(*ours), compare(ours, paper),
               why if ours != paper else 'the same count')


def author_rows(source: str, n: int = N, skip: tuple[str, ...] = ()) -> list[Row]:
    """Return the counts that a paper quotes of others: only their formulas can be checked."""
    return [quoted(entry, n) for entry in COUNTS
            if entry.source == source and entry.author not in skip]


def quoted(entry: PaperCount, n: int) -> Row:
    """Return a quoted formula and its value."""
    printed = f'{formula(entry.multiplications)} M, {formula(entry.additions)} A'
    right = entry.right_additions or entry.additions
    value = pair(evaluate(entry.multiplications, n), evaluate(right, n))
    verdict = SAME if entry.right_additions is None else DIFFERS
    return Row(f'{entry.source}, {entry.author}', printed, f'{value} at n = {n}', verdict,
               f'{OTHERS}{"; " + entry.note if entry.note else ""}')


def forward_counts(folder: Path) -> list[Row]:
    """MohanSaha2007 Table 1, and the crossings n* and n+ it prints."""
    rows = [count_row('Table 1', method('forward', name))
            for name in ('denoc', 'articulated_body', 'composite_body', 'cholesky')]
    table = [e for e in COUNTS if e.source == 'MohanSaha2007 Table 1']
    base = next(e for e in table if e.author == 'Walker & Orin')
    printed = {'Mohan & Saha': (10, 12), 'Saha': (10, 14), 'Featherstone': (12, 14),
               'Valasek': (13, 15), 'Brandle et al.': (14, 16)}
    for entry in table:
        if entry.author in printed:
            found = crossing(entry, base, False), crossing(entry, base, True)
            same = found == printed[entry.author]
            rows.append(Row(
                f'Table 1, {entry.author}: n*, n+', '{}, {}'.format(*printed[entry.author]),
                '{}, {}'.format(*found), SAME if same else 'differs',
                "the first n where the O(n) formula is below Walker and Orin's"
                + ('' if same else '; the formulas printed beside them give ours')))
    rows += author_rows('MohanSaha2007 Table 1', N, ('Mohan & Saha',))
    draw_counts(folder / '000_table_1.png', 'forward', 'forward dynamics', table)
    return rows


def crossing(entry: PaperCount, base: PaperCount, additions: bool) -> int:
    """Return the first n from which the counts stay below the base's."""
    for n in range(2, 40):
        fewer = evaluate(entry.multiplications, n) < evaluate(base.multiplications, n)
        if additions:
            fewer = fewer and evaluate(entry.additions, n) < evaluate(base.additions, n)
        if fewer:
            return n
    return 40


def outward(geometry: Geometry, inertials: Inertials, q: Array, qd: Array, qdd: Array) -> Any:
    """Return what the outward recursion of Newton-Euler gives."""
    c, s = cosines_sines(geometry, q)
    return link_motions(geometry, inertials, q, qd, qdd, c, s)


def inverse_counts(folder: Path) -> list[Row]:
    """Angeles7 Tables 7.1 to 7.4."""
    whole = count_general(method('inverse', 'newton_euler'), N)
    # 'executed' minus what no torque needs: the outward part of the needed operations
    out = count(outward, *general_arm(N), inputs=3)['needed']
    inward = whole[0] - out[0], whole[1] - out[1]
    tables = {'Table 7.1, outward': (out[:2], (82 * N, 66 * N), 'ours propagates w, wd and the '
              "acceleration of the link's origin; positions and velocities of mass centres (28 n "
              'M, 26 n A) are not needed for torques, and the row of c_i (8 n M, 10 n A) that '
              'the printed total includes is missing from the table'),
              'Table 7.2, inward': (inward, (55 * N - 22, 44 * N - 14), "moments about the link's "
              "origin join the force's moment to the inertia: the acceleration of the mass "
              'centre is found here and not outward')}
    rows = [Row(f'{item}, n = {N}', pair(*paper), pair(*ours), compare(ours, paper), why)
            for item, (ours, paper, why) in tables.items()]
    rows += [count_row('Table 7.3', method('inverse', name))
             for name in ('newton_euler', 'denoc', 'gibbs_appell')]
    rows += author_rows('Angeles7 Table 7.3')
    rows += [Row(f'Table 7.4, {e.author}', pair(e.multiplications, e.additions),
                 'not a formula of n', OURS, 'printed for n = 6 only: nothing to evaluate')
             for e in FIXED if e.source == 'Angeles7 Table 7.4']
    draw_counts(folder / '001_table_7_3.png', 'inverse', 'inverse dynamics',
                [e for e in COUNTS if e.source in ('Angeles7 Table 7.3', 'Angeles7 (7.43)')])
    return rows


def gibbs_appell_counts(folder: Path) -> list[Row]:
    """Mata2002 Tables 1 to 4."""
    rows = [count_row('Table 1', method('inverse', 'gibbs_appell')),
            count_row('Table 2', method('gim', 'gibbs_appell')),
            count_row('Table 2', method('gim', 'composite_body')),
            count_row('Table 3, bias', method('bias', 'gibbs_appell')),
            count_row('Table 3, total', method('forward', 'gibbs_appell'))]
    for source in ('Mata2002 Table 1', 'Mata2002 Table 2', 'Mata2002 Table 3'):
        rows += author_rows(source)
    ours = {'Walker & Orin': 'composite_body', 'Featherstone': 'articulated_body',
            'Mata et al.': 'gibbs_appell', 'Angeles & Ma': 'cholesky'}
    for entry in FIXED:
        if entry.source == 'Mata2002 Table 4':
            found = count_general(method('forward', ours[entry.author]), N)[:2]
            paper = (entry.multiplications, entry.additions)
            rows.append(Row(f'Table 4, {entry.author}', pair(*paper),
                            f'{pair(*found)} ({ours[entry.author]})', compare(found, paper),
                            "our form of the same family, offsets in the joints' frames and "
                            'nothing computed that the result does not need'))
    draw_counts(folder / '003_table_3.png', 'forward', 'forward dynamics',
                [e for e in COUNTS if e.source in ('Mata2002 Table 3',) and e.what == 'forward'])
    return rows


def gim_counts(folder: Path) -> list[Row]:
    """Bhangale2004 Tables I and II, (14) to (18)."""
    rows = [count_row('(14), Table I', method('gim', 'denoc')),
            count_row('(15)', method('gim', 'composite_body')),
            count_row('(16)', method('convective', 'denoc'))]
    rows += [count_row('(14), Table I', method('gim', 'denoc'), 3),
             count_row('(17), Table II', method('planar gim', 'denoc'), 3),
             count_row('(18)', method('planar convective', 'denoc'), 3)]
    for source in ('(14)', '(15)', '(16)', '(17)', '(18)'):
        rows += author_rows(f'Bhangale2004 {source}', 3)
    draw_counts(folder / '004_equation_14.png', 'gim', 'generalized inertia matrix',
                [e for e in COUNTS if e.source in ('Bhangale2004 (14)', 'Bhangale2004 (15)')])
    return rows


def draw_counts(file: Path, what: str, title: str, entries: list[PaperCount]) -> None:
    """Draw counts over the number of joints: the papers' as lines, ours as dots."""
    figure, axes = new_figure(1, 2, (9.0, 3.4))
    joints = range(4, 17, 2)
    for k, axis in enumerate(axes[0]):
        for entry in entries:
            coefficients = entry.multiplications if k == 0 else entry.additions
            axis.plot(joints, [float(evaluate(coefficients, n)) for n in joints],
                      label=entry.author, linewidth=1)
        for m in METHODS:
            if m.what == what:
                axis.plot(joints, [count_general(m, n)[k] for n in joints], '.',
                          label=f'ours: {m.name}')
        axis.set_xlabel('n, joints')
        axis.set_ylabel('multiplications' if k == 0 else 'additions')
        axis.grid(alpha=0.3)
    axes[0, 0].set_title(title, fontsize='medium')
    axes[0, 1].legend(fontsize='x-small')
    save_figure(figure, file)
