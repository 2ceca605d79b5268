"""What to do about joints that move neither mass nor inertia: refuse, assume bodies, or leave."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from robot_dynamics.description.records import Link, Shape
from robot_dynamics.errors import DescriptionError, InputError
from robot_dynamics.model.assumed_bodies import assume_body
from robot_dynamics.model.dh.table import DHTable
from robot_dynamics.model.inertia_checks import unloaded_joints
from robot_dynamics.words import counted

MISSING = ('error', 'slender_rod', 'zero')
NAMED = 8  # joints named in a warning; robot.assumed has them all


@dataclass(frozen=True, slots=True)
class Missing:
    """How missing inertials are treated.

    rod_density: mass per metre of assumed bodies [kg/m]; rod_length: size of those of which
    nothing is known [m]
    """

    treatment: str = 'error'
    rod_density: float = 1.0
    rod_length: float = 0.1

    def __post_init__(self) -> None:
        """Refuse what is no treatment."""
        if self.treatment not in MISSING:
            raise InputError(f'missing_inertia={self.treatment!r}: expected one of '
                             + ', '.join(map(repr, MISSING)))


def fill_missing(
    table: DHTable, missing: Missing, where: str, *, lockable: Collection[str] = (),
    shapes: Callable[[Sequence[str]], Mapping[str, Sequence[Shape]]] = lambda names: {},
) -> tuple[DHTable, list[str]]:
    """Treat unloaded joints as the user chose; return the table and warnings.

    lockable: joints that `locked=` takes; shapes: gives those of the links it is asked for
    """
    unloaded = unloaded_joints(table)
    massless = _massless(table, unloaded, where) if missing.treatment == 'slender_rod' else []
    if not unloaded or missing.treatment == 'zero':
        return table, massless
    if missing.treatment == 'error':
        raise DescriptionError(
            f'{where}: these joints move links that have neither mass nor inertia: '
            f'{_names(table, unloaded, len(unloaded))}. Give the links an <inertial>, or load '
            'with missing_inertia="slender_rod" (rod_density in kg/m) or "zero" '
            '(--missing-inertia slender_rod)'
            + _locks(table, unloaded, lockable))
    rows, assumed = list(table.rows), []
    known = shapes([name for name, frame in table.frames.items() if frame.row in unloaded])
    for i in unloaded:
        rows[i], body = assume_body(table, i, missing.rod_density, missing.rod_length, known)
        assumed.append(body)
    kinds = Counter(body.what for body in assumed)
    note = (f'{where}: {counted(len(assumed), "moving link")} {_have(len(assumed))}; slender rods '
            f'of {missing.rod_density:g} kg/m or bodies like them are assumed for '
            f'{_names(table, unloaded, NAMED)} ('
            + ', '.join(f'{kind}: {count}' for kind, count in kinds.items())
            + '; robot.assumed lists them)')
    return replace(table, rows=tuple(rows), assumed=tuple(assumed)), [note, *massless]


def _massless(table: DHTable, unloaded: list[int], where: str) -> list[str]:
    """Return a sentence on links that stay massless: who asks for rods may expect them there.

    A joint that moves what hangs behind its link needs no body, and links between the axes of a
    universal joint have none; but an arm without inertials may carry a gripper that has them.
    """
    rows = massless_rows(table, unloaded)
    return [f'{where}: {counted(len(rows), "moving link")} {_have(len(rows))} and '
            f'{"stays" if len(rows) == 1 else "stay"} without, since what '
            f'{"it carries" if len(rows) == 1 else "they carry"} has: '
            f'{_names(table, rows, NAMED)}'] if rows else []


def massless_rows(table: DHTable, unloaded: Collection[int]) -> list[int]:
    """Return the rows whose link has no mass itself, while what it carries has some.

    unloaded: the rows that move nothing at all
    """
    return [i for i, row in enumerate(table.rows) if i not in unloaded and row.link in table.frames
            and not (row.mass or row.hub_inertia or row.inertia.any())]


def bodies_without_inertial(table: DHTable, links: Mapping[str, Link], where: str) -> list[str]:
    """Return a sentence for each massless row with a link that is drawn: a body, and no frame.

    Links that are frames alone are many and mean nothing.
    """
    found = []
    for i in massless_rows(table, unloaded_joints(table)):
        on = [links[name] for name, frame in table.frames.items()
              if frame.row == i and name in links]
        drawn = [link.name for link in on if link.shapes or link.visuals]
        if drawn and not any(link.inertial for link in on):
            found.append(f'{where}: link {drawn[0]!r} moves with joint {table.rows[i].name!r} and '
                         'has a shape, but no <inertial>: it counts as massless')
    return found


def _have(number: int) -> str:
    return 'has no inertial' if number == 1 else 'have no inertials'


def _names(table: DHTable, rows: list[int], most: int) -> str:
    words = [f'{table.rows[i].name!r} (link {table.rows[i].link!r})' for i in rows[:most]]
    return ', '.join(words) + (f' and {len(rows) - most} more' if len(rows) > most else '')


def _locks(table: DHTable, unloaded: list[int], lockable: Collection[str]) -> str:
    """Return the advice to freeze the joints, where others remain and can be frozen.

    What hangs behind a joint that moves nothing moves nothing either, so locking all of them
    leaves a robot whose joints all move something.
    """
    free = [row for row in table.rows if row.mimic is None]
    rows = [table.rows[i] for i in unloaded]
    if len(rows) == len(free) or not {row.name for row in rows} <= set(lockable):
        return ''
    values = {str(row.name): float(np.clip(0.0, row.lower, row.upper)) for row in rows}
    options = ' '.join(f'--lock {name}={value:g}' for name, value in values.items())
    return f', or freeze the joints: locked={values!r} ({options})'
