"""Candidates: what a user hands in becomes families; what cannot load says why."""

import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from robot_dynamics.errors import InputError, RobotDynamicsError, RobotDynamicsWarning
from robot_dynamics.inputs import user_path
from robot_dynamics.loading import load
from robot_dynamics.model.denoc import Array
from robot_dynamics.robot import Robot
from robot_dynamics.robot.stacks import Stack
from robot_dynamics.selection.family import Family
from robot_dynamics.selection.templates import is_template, read_template, variants


@dataclass
class Candidates:
    """Families by order, and names of what could not be loaded with the reasons."""

    families: list[Family] = field(default_factory=list)
    parameters: dict[str, dict[str, Array]] = field(default_factory=dict)  # by family's source
    failed: dict[str, str] = field(default_factory=dict)


def read_candidates(given: Any, links: tuple[str, ...], options: Mapping[str, Any]) -> Candidates:
    """Return families of robots, mechanisms, stacks, files and templates.

    given: one or many; or {name: one}; links: those whose motion counts, the first that an arm has
    options: those of `load`
    """
    found = Candidates()
    taken: set[str] = set()
    for name, source in listed(given):
        try:
            name, arms, notes, numbers = read(name, source, dict(options))
            name = free_name(name, taken)
            found.families.append(family_of(name, arms, notes, links))
            if numbers:
                found.parameters[name] = numbers
        except RobotDynamicsError as error:
            found.failed[free_name(name, taken)] = str(error)
    if not found.families and not found.failed:
        raise InputError('candidates: expected one arm or more')
    return found


def listed(given: Any) -> list[tuple[str, Any]]:
    """Return names and sources of what was handed in."""
    if isinstance(given, Mapping) and 'ranges' not in given:
        return [(str(name), source) for name, source in given.items()]
    single = isinstance(given, (str, os.PathLike, Robot, Mapping))
    try:
        sources = [given] if single else list(given)
    except TypeError:
        raise InputError(f'candidates: expected arms or files, found '
                         f'{type(given).__name__}') from None
    return [(name_of(source), source) for source in sources]


def name_of(source: Any) -> str:
    """Return what to call a candidate."""
    if isinstance(source, Robot):
        return source.name
    if isinstance(source, Mapping):
        return str(source.get('name', 'template'))
    return Path(str(source)).name.split('.')[0] or str(source)


def free_name(name: str, taken: set[str]) -> str:
    """Return the name, with a number where another candidate has it."""
    free, k = name, 1
    while free in taken:
        k += 1
        free = f'{name}-{k}'
    taken.add(free)
    return free


def read(name: str, source: Any, options: dict[str, Any]
         ) -> tuple[str, Robot, tuple[str, ...], dict[str, Array]]:
    """Return one candidate: its name, the arms, warnings, and in what numbers variants differ."""
    if isinstance(source, Robot):
        return name, source, (), {}
    if not isinstance(source, Mapping) and not is_template(user_path('candidate', source)):
        return name, *loaded(source, options), {}
    content, folder, where = read_template(source)
    base = content['base']
    arm, notes = (base, ()) if isinstance(base, Robot) else loaded(
        folder / user_path(f'{where}: base', base), options)
    stack, numbers = variants(arm, content, where)
    return str(content.get('name', name)), stack, notes, numbers


def loaded(source: Any, options: dict[str, Any]) -> tuple[Robot, tuple[str, ...]]:
    """Return an arm and what there was to warn of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always', RobotDynamicsWarning)
        arm = load(source, **options)
    if arm.nq != arm.n:
        raise InputError(f'{arm.name}: has a floating joint: expected an arm on a fixed base')
    return arm, tuple(str(w.message) for w in caught)


def family_of(name: str, arms: Robot, notes: tuple[str, ...], links: Iterable[str]) -> Family:
    """Return the family of a candidate's arms; its link is one that is named, or the only tip."""
    names = tuple(f'{name}[{i}]' for i in range(len(arms))) if isinstance(arms, Stack) else (name,)
    family = Family(arms, names, name, notes=notes)
    tips = family.first.tip_names
    link = next((link for link in links if link in family.first.link_names),
                tips[0] if len(tips) == 1 else None)
    return replace(family, link=link)
