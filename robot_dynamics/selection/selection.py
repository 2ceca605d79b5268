"""select: the criteria of all candidates, the front, and the one that is chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.inputs import choice
from robot_dynamics.model.denoc import Array
from robot_dynamics.selection.candidates import Candidates, read_candidates
from robot_dynamics.selection.case import Case
from robot_dynamics.selection.choosing import (
    EQUAL,
    best,
    check_weights,
    choose,
    front,
    oriented,
    scores,
)
from robot_dynamics.selection.criteria import CRITERIA, FRONT, TIE
from robot_dynamics.selection.sizing import size
from robot_dynamics.selection.tasks import Task, read_tasks
from robot_dynamics.selection.timing import time_families

SAMPLES = 1024
TIMED = ('time', 'time_recursive')
Progress = Callable[[float], Any]


@dataclass(frozen=True, eq=False)
class Selection:
    """What `select` found.

    names: of all arms that could be loaded, (N,); columns: {criterion: (N,)}, nan where an arm
    has none; spreads: how uncertain they are; failed: {name: reason} of those that could not
    chosen: name of the arm that is preferred; front: names of those that no other beats in all
    weights: what decided; scores: (N,) weighted losses beside the best, 0 to 1
    judged: the front's criteria
    parameters: {variable: (N,)} of variants, nan for other arms; cases: what is known by family
    """

    names: tuple[str, ...]
    columns: dict[str, Array]
    spreads: dict[str, Array]
    failed: dict[str, str]
    chosen: str
    front: tuple[str, ...]
    weights: dict[str, float]
    scores: Array
    judged: tuple[str, ...]
    parameters: dict[str, Array]
    cases: tuple[Case, ...] = field(repr=False)
    tasks: tuple[Task, ...] = ()

    @cached_property
    def table(self) -> dict[str, dict[str, Any]]:
        """Rows by name, columns by criterion; None where there is no value; failed: a reason."""
        rows: dict[str, dict[str, Any]] = {}
        columns = {**self.parameters, **self.columns}
        for i, name in enumerate(self.names):
            rows[name] = {key: None if np.isnan(values[i]) else float(values[i])
                          for key, values in columns.items()}
        for name, reason in self.failed.items():
            rows[name] = {**dict.fromkeys(columns), 'reason': reason}
        return rows

    @property
    def better(self) -> dict[str, tuple[str, ...]]:
        """Names of the arms with the better value of each criterion, several within spreads."""
        return {key: tuple(self.names[i] for i in np.flatnonzero(
            best(key, values, self.spreads.get(key)))) for key, values in self.columns.items()}

    def case(self, name: str) -> tuple[Case, int]:
        """Return the case of an arm, and which of its family it is; `InputError`: no such arm.

        >>> case, i = rd.select(arm, criteria=['condition']).case('arm')
        >>> case.family.names[i]
        'arm'
        """
        for case in self.cases:
            if name in case.family.names:
                return case, case.family.names.index(name)
        raise InputError(f'name={name!r}: expected one of {", ".join(self.names[:20])}')

    @property
    def reasons(self) -> list[str]:
        """Why the chosen arm is: its value in what decided beside the best of the others."""
        k = self.names.index(self.chosen)
        others = [i for i in range(len(self.names)) if i != k]
        words = []
        tied = (self.scores <= self.scores.min() + EQUAL).sum() > 1 and TIE in self.columns
        for name in [*self.weights, *([TIE] if tied and TIE not in self.weights else [])]:
            values = oriented(name, self.columns[name])
            text, mine = CRITERIA[name].text, self.columns[name][k]
            if not others:
                words.append(f'{text}: {mine:.4g}')
                continue
            next_best = others[int(np.argmax(values[others]))]
            other, theirs = self.names[next_best], self.columns[name][next_best]
            words.append(f'{text}: {mine:.4g}, ' + (
                f'as {other} has' if mine == theirs else f'{other} has {theirs:.4g}'))
        return words

    def carries(self, name: str) -> str:
        """Return a sentence on the largest payload of an arm; `InputError`: no such arm.

        >>> found = rd.select(arm, task={'to': 1.0}, criteria=['payload'])
        >>> found.carries('arm')
        'no effort limits: nothing bounds the payload'
        """
        case, i = self.case(name)
        most = np.nan if case.sizing is None else case.sizing.largest_payload[i]
        return ('no effort limits: nothing bounds the payload' if np.isinf(most) else
                'it cannot do the tasks, even without a payload' if np.isnan(most) else
                f'the most that it carries through the tasks is {most:.4g} kg')

    def robots(self, most: int = 6) -> dict[str, Any]:
        """Return arms by name, as `rd.view` takes them: the chosen one, the front, then others.

        most: how many at the most; `InputError`: not one or more

        >>> found = rd.select({'arm': arm, 'heavier': arm.with_payload('link_2', 2.0)},
        ...                   criteria=['condition'], weights={'condition': 1})
        >>> found.chosen in found.robots()
        True
        >>> page = rd.view(found.robots(), browser=False, port=0)
        >>> page.close()
        """
        if not isinstance(most, int) or most < 1:
            raise InputError(f'most={most!r}: expected a whole number, 1 or more')
        ranked = [self.names[i] for i in np.argsort(self.scores, kind='stable')]
        names = list(dict.fromkeys([self.chosen, *self.front, *ranked]))[:most]
        cases = [self.case(name) for name in names]
        return {name: case.family.one(i) for name, (case, i) in zip(names, cases, strict=True)}

    def report(self, path: Any) -> None:
        """Write one HTML file with the table, maps, the front and drawings.

        `InputError`: a file that cannot be written.

        >>> rd.select([arm], criteria=['condition']).report(folder / 'arms.html')
        """
        from robot_dynamics.selection.report import write_report
        write_report(self, path)

    def __repr__(self) -> str:
        return (f'<Selection of {len(self.names)} arms: chosen {self.chosen!r}, '
                f'{len(self.front)} on the front>')


def select(candidates: Any, *, task: Any = None, weights: Mapping[str, float] | None = None,
           criteria: Sequence[str] | None = None, link: Any = None, samples: int = SAMPLES,
           seed: int = 0, progress: Progress | None = None, **options: Any) -> Selection:
    """Choose among arms by the simplicity of their dynamics and other criteria (Bhangale2004).

    candidates: robots, mechanisms, stacks, paths of URDFs, DH, mechanism or template files, in a
        list or as {name: candidate}; one that cannot be loaded gets a row with the reason
    task: motions and payloads to size for: files, mappings, motions (selection/tasks.py)
    weights: {criterion: weight} that decide; by default operations of GIM and MCI and the time of
        inverse dynamics, equal ones then by the condition of the GIM
    criteria: those to compute, all by default; link: whose origin counts, the tip by default: a
        name, or several of which each arm takes the first that it has
    samples: postures in which a single arm is looked at; progress: called with the part done
    options: those of `rd.load`
    `InputError`: no candidate that can be loaded, unknown names, tasks that cannot be read

    >>> longer = arm.variants(a=[[2, 1]])[0]
    >>> found = rd.select({'arm': arm, 'longer': longer}, criteria=['workspace', 'condition'],
    ...                   weights={'workspace': 1})
    >>> found.chosen, round(found.table['longer']['workspace'] / np.pi, 6)
    ('longer', 8.0)
    """
    tasks = read_tasks(task)
    names = check_criteria(criteria, bool(tasks))
    decisive = check_weights(weights, names)
    links = (link,) if isinstance(link, str) else tuple(link or ())
    found = read_candidates(candidates, links, options)
    if not found.families:
        raise InputError('candidates: none can be loaded: ' + '; '.join(
            f'{name}: {reason}' for name, reason in found.failed.items()))
    if not isinstance(samples, int) or isinstance(samples, bool) or samples < 16:
        raise InputError(f'samples={samples!r}: expected a whole number, 16 or more')
    cases = [Case(family, samples, seed) for family in found.families]
    columns, spreads = measure(cases, names, tasks, progress or (lambda part: None))
    return decide(found, cases, columns, spreads, decisive, tuple(tasks))


def check_criteria(criteria: Sequence[str] | None, task: bool) -> list[str]:
    """Return the names of the criteria to compute; those of tasks where there are some."""
    if criteria is None:
        return [name for name, one in CRITERIA.items() if task or not one.task]
    names = [choice('criteria', name, CRITERIA) for name in (
        [criteria] if isinstance(criteria, str) else criteria)]
    for name in names:
        if CRITERIA[name].task and not task:
            raise InputError(f'criteria: {name!r} is of a task: give one')
    if not names:
        raise InputError(f'criteria: expected some of {", ".join(CRITERIA)}')
    return names


def measure(cases: Sequence[Case], names: Sequence[str], tasks: Sequence[Task],
            progress: Progress) -> tuple[dict[str, Array], dict[str, Array]]:
    """Return the columns of all criteria over all arms, and their spreads."""
    steps = len(cases) * (len(names) + 1) + 10
    done = 0

    def advance(by: int = 1) -> None:
        nonlocal done
        done += by
        progress(min(1.0, done / steps))
    for case in cases:
        if tasks:
            try:
                case.sizing = size(case.family, tasks)
            except RobotDynamicsError as error:
                case.notes.append(str(error))
        advance()
    if set(names) & set(TIMED):
        timings = time_families([case.family for case in cases])
        for case, timing in zip(cases, timings, strict=True):
            case.timing = timing
    advance(10)
    columns: dict[str, list[Array]] = {name: [] for name in names}
    spreads: dict[str, list[Array]] = {name: [] for name in names if CRITERIA[name].spread}
    for case in cases:
        for name in names:
            columns[name].append(case.column(name, CRITERIA[name].function))
            if name in spreads:
                spreads[name].append(case.column(name, CRITERIA[name].spread))
            advance()
    whole, apart = ({name: np.concatenate(parts) for name, parts in group.items()}
                    for group in (columns, spreads))
    return whole, apart


def decide(found: Candidates, cases: list[Case], columns: dict[str, Array],
           spreads: dict[str, Array], weights: dict[str, float],
           tasks: tuple[Task, ...]) -> Selection:
    """Return the selection: scores, the front and the chosen arm."""
    names = tuple(name for case in cases for name in case.family.names)
    able = np.ones(len(names), bool)
    if tasks:
        able = np.concatenate([able_arms(case) for case in cases])
    judged = [name for name in (FRONT if set(weights) <= set(FRONT) else weights)
              if name in columns] or list(columns)
    kept = front(columns, spreads, judged)
    return Selection(
        names, columns, spreads, found.failed, names[choose(columns, spreads, weights, able)],
        tuple(names[i] for i in kept), weights, scores(columns, spreads, weights), tuple(judged),
        all_parameters(found, cases), tuple(cases), tasks)


def able_arms(case: Case) -> Array:
    """Tell which arms do all tasks within their limits, (N,)."""
    if case.sizing is None:
        return np.zeros(case.family.N, bool)
    margin = case.sizing.least_margin
    return np.isnan(margin) | (margin >= 0)


def all_parameters(found: Candidates, cases: Sequence[Case]) -> dict[str, Array]:
    """Return the numbers in which variants differ, over all arms, nan where they have none."""
    variables = list(dict.fromkeys(
        name for numbers in found.parameters.values() for name in numbers))
    return {name: np.concatenate([
        found.parameters.get(case.family.source, {}).get(name, np.full(case.family.N, np.nan))
        for case in cases]) for name in variables}
