"""Parses untrusted YAML: no objects, no aliases, bounded depth, no key twice."""

import re
from collections.abc import Iterable
from typing import Any

from robot_dynamics.errors import DescriptionError

DEEPEST = 20
SOURCE = re.compile(r'in "<(?:byte|unicode) string>", ')


def parse_yaml(text: str | bytes, where: str) -> Any:
    """Return the document; `where` names it in messages."""
    import yaml  # most robots are no YAML, and it takes its time
    loader = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
    try:
        _refuse_bombs(yaml.parse(text, Loader=loader), where)
        return yaml.load(text, Loader=loader)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        # `where` says it already: yaml calls what it was given "<byte string>"
        reason = ' '.join(SOURCE.sub('in ', str(error)).split())[:200]
        raise DescriptionError(f'{where}: is not YAML: {reason}') from None


def _refuse_bombs(events: Iterable[Any], where: str) -> None:
    """Refuse aliases, which can grow without bound, deep nesting, and keys that come twice."""
    from yaml import events as kinds
    open_: list[dict[str, Any] | None] = []  # the keys of each open mapping, None for lists
    for event in events:
        if isinstance(event, kinds.AliasEvent):
            raise DescriptionError(f'{where}: has a YAML alias (*{event.anchor}); expected none')
        if isinstance(event, kinds.CollectionEndEvent):
            open_.pop()
        if isinstance(event, (kinds.NodeEvent, kinds.CollectionEndEvent)) and not isinstance(
                event, kinds.CollectionStartEvent):
            _count(open_, event, where)
        if isinstance(event, kinds.CollectionStartEvent):
            open_.append({} if isinstance(event, kinds.MappingStartEvent) else None)
        if len(open_) > DEEPEST:
            raise DescriptionError(f'{where}: is nested more than {DEEPEST} deep')


def _count(open_: list[dict[str, Any] | None], event: Any, where: str) -> None:
    """Count a finished node of the innermost mapping; every other one is a key."""
    keys = open_[-1] if open_ else None
    if keys is None:
        return
    is_key = keys['is_key'] = not keys.get('is_key', False)
    if is_key and hasattr(event, 'value'):
        found = keys.setdefault('found', set())
        if event.value in found:
            line = f', line {event.start_mark.line + 1}' if event.start_mark else ''
            raise DescriptionError(f'{where}{line}: the key {event.value[:80]!r} comes twice')
        found.add(event.value)
