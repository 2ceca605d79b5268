"""Turns this project's docstrings into Markdown: arguments as lists, examples as code."""

import re
from typing import Any

import griffe

ARGUMENT = re.compile(r'(?P<names>`?[A-Za-z_]\w*`?(?:, `?[A-Za-z_]\w*`?)*): (?P<text>\S.*)')
PROMPT = ('>>> ', '...')


def to_markdown(text: str) -> str:
    """Return a docstring's text as Markdown."""
    lines: list[str] = []
    example = listed = False
    for line in text.splitlines():
        if example and not line.strip():
            lines.append('```')
            example = False
        if line.startswith('>>> ') and not example:
            lines += ['', '```pycon']
            example, listed = True, False
        if example:
            lines.append(line)
            continue
        found = ARGUMENT.fullmatch(line)
        if found:
            lines += [] if listed else ['']
            names = ', '.join(f'`{name.strip("`")}`' for name in found['names'].split(', '))
            lines.append(f'- {names}: {found["text"]}')
            listed = True
        elif listed and line.startswith(' '):
            lines.append('  ' + line.strip())
        else:
            lines += [''] if listed else []
            lines.append(line)
            listed = False
    return '\n'.join([*lines, *(['```'] if example else [])])


class Docstrings(griffe.Extension):  # type: ignore[misc]  # griffe is not always there
    """Rewrites each docstring once, when its object has been read."""

    def on_object(self, *, obj: griffe.Object, **options: Any) -> None:
        """Rewrite an object's docstring, and those of what it holds."""
        if obj.docstring is not None and not obj.is_alias and 'markdown' not in obj.extra:
            obj.docstring.value = to_markdown(obj.docstring.value)
            obj.extra['markdown'] = {'done': True}
