"""Parses untrusted YAML: no objects, no aliases, bounded depth, no key twice."""

from typing import Any

import yaml

from robot_dynamics.errors import DescriptionError

_LOADER = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
DEEPEST = 20


def parse_yaml(text: str | bytes, where: str) -> Any:
    """Return the document; `where` names it in messages."""
    try:
        _refuse_bombs(text, where)
        return yaml.load(text, Loader=_LOADER)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        reason = ' '.join(str(error).split())[:200]
        raise DescriptionError(f'{where}: is not YAML: {reason}') from None


def _refuse_bombs(text: str | bytes, where: str) -> None:
    """Refuse aliases, which can grow without bound, deep nesting, and keys that come twice."""
    open_: list[dict[str, Any] | None] = []  # the keys of each open mapping, None for lists
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.AliasEvent):
            raise DescriptionError(f'{where}: has a YAML alias (*{event.anchor}); expected none')
        if isinstance(event, yaml.CollectionEndEvent):
            open_.pop()
        if isinstance(event, (yaml.NodeEvent, yaml.CollectionEndEvent)) and not isinstance(
                event, yaml.CollectionStartEvent):
            _count(open_, event, where)
        if isinstance(event, yaml.CollectionStartEvent):
            open_.append({} if isinstance(event, yaml.MappingStartEvent) else None)
        if len(open_) > DEEPEST:
            raise DescriptionError(f'{where}: is nested more than {DEEPEST} deep')


def _count(open_: list[dict[str, Any] | None], event, where: str) -> None:
    """Count a finished node of the innermost mapping; every other one is a key."""
    keys = open_[-1] if open_ else None
    if keys is None:
        return
    is_key = keys['is_key'] = not keys.get('is_key', False)
    if is_key and isinstance(event, yaml.ScalarEvent):
        found = keys.setdefault('found', set())
        if event.value in found:
            line = f', line {event.start_mark.line + 1}' if event.start_mark else ''
            raise DescriptionError(f'{where}{line}: the key {event.value[:80]!r} comes twice')
        found.add(event.value)
