"""Runs xacro on a file, or on text that needs none.

xacro finds packages by ament's index alone; here it asks `Packages`, so that a checkout is
enough. It keeps its state in its modules: one expansion runs at a time.
"""

import os
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from robot_dynamics.description.packages import Packages
from robot_dynamics.errors import DescriptionError

_LOCK = threading.Lock()  # renewed below in a forked child, whose parent may hold it
_DECLARED = re.compile(r'<xacro:arg\s([^>]*)>')
_ATTRIBUTE = re.compile(r'(\w+)\s*=\s*("[^"]*"|\'[^\']*\')')
_USED = re.compile(r'\$\(arg\s+([^\s)]+)\s*\)|xacro\.arg\(\s*["\']([^"\']+)["\']\s*\)')
_NEEDS_FILES = re.compile(r'<xacro:include\b|\bload_yaml\b|\$\((?:find|dirname|cwd)\b')


def _renew_lock() -> None:
    global _LOCK
    _LOCK = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)


def expand_xacro(text: str, file: Path | None, arguments: Mapping[str, Any],
                 packages: Packages, where: str) -> str:
    """Return the URDF that xacro makes of the text.

    file: where the text stands, None if it came as text and may not ask for files
    """
    try:
        import xacro
    except ImportError:
        raise DescriptionError(f'{where}: this is xacro; reading it needs the package xacro '
                               'beside robot_dynamics') from None
    if file is None and (needs := _NEEDS_FILES.search(text)):
        raise DescriptionError(
            f'{where}: this is xacro that needs files ({needs.group(0)} ...), which text cannot '
            'name; load its file by path, or expand it first')
    given = {str(name): str(value) for name, value in arguments.items()}
    with _LOCK, _finding(packages):
        included = len(xacro.all_includes)
        while True:
            try:
                xacro.init_stacks(str(file) if file else None)
                document = xacro.parse(text)
                xacro.process_doc(document, mappings={**_for_the_root(document, text), **given})
                break
            except Exception as error:  # xacro raises many kinds
                missing = getattr(_causes(error)[-1], 'filename', None)
                if missing and packages.move(Path(missing)):
                    continue
                texts = [text, *_texts(xacro.all_includes[included:])]
                raise DescriptionError(f'{where}: {_reason(error, texts, given)}') from error
        texts = [text, *_texts(xacro.all_includes[included:])]
    _refuse_unknown(texts, given, where)
    return str(document.documentElement.toxml())


def _for_the_root(document: Any, text: str) -> dict[str, str]:
    """Return the defaults of arguments in <robot name="$(arg name)">.

    xacro reads that element before it reads the declarations inside.
    """
    defaults, _ = _arguments([text])
    _, used = _arguments([value for _, value in document.documentElement.attributes.items()])
    return {name: default for name in used
            if (default := defaults.get(name)) is not None and '$' not in default}


@contextmanager
def _finding(packages: Packages) -> Iterator[None]:
    """Let xacro's $(find ...) ask `packages`, and its relative names too."""
    import xacro
    from xacro import substitution_args as module
    before, beside = module._eval_find, xacro.abs_filename_spec

    def near(name: str) -> str:
        return packages.near(name, beside(name))
    module._eval_find = module._eval_dict['find'] = packages.find
    xacro.abs_filename_spec = near
    try:
        yield
    finally:
        module._eval_find = module._eval_dict['find'] = before
        xacro.abs_filename_spec = beside


def _texts(files: list[str]) -> list[str]:
    """Return what stands in the included files; one that cannot be read is xacro's to tell."""
    found = []
    for file in dict.fromkeys(files):
        try:
            found.append(Path(file).read_text(encoding='utf-8', errors='replace'))
        except OSError:
            continue
    return found


def _causes(error: BaseException) -> list[BaseException]:
    """Return what xacro raised and what it wraps, the innermost last."""
    causes = [error]
    while (inner := getattr(causes[-1], 'exc', None)) is not None:
        causes.append(inner)
    return causes


def _reason(error: BaseException, texts: list[str], given: dict[str, str]) -> str:
    """Return one sentence of what xacro says in several."""
    from xacro.substitution_args import ArgException
    chain = _causes(error)
    if isinstance(chain[-1], DescriptionError):
        return f'xacro: {chain[-1]}'
    if isinstance(chain[-1], RecursionError):
        return 'xacro: has no end: files that include each other, or a macro that calls itself'
    if isinstance(chain[-1], ArgException):
        defaults, used = _arguments(texts)
        missing = [str(chain[-1])]
        missing += [name for name in dict.fromkeys(used) if name not in missing
                    and name not in given and defaults.get(name) is None]
        return (f'xacro: these arguments have no default and were not given: '
                f'{", ".join(missing)}; give xacro_args={{{missing[0]!r}: ...}} '
                f'(--xacro-arg {missing[0]}=VALUE)')
    words: list[str] = []
    for part in chain:
        own = str(part.args[0] or '') if hasattr(part, 'exc') and part.args else str(part)
        if isinstance(part, OSError):
            own = f'{part.strerror}: {part.filename}'
        words += [own] if own and not any(own in word for word in words) else []
    words.append(str(getattr(error, 'suffix', None) or ''))
    if isinstance(chain[-1], OSError) and (defaults := _arguments(texts)[0]):
        words.append(_choices(Path(chain[-1].filename or ''), {**defaults, **given}))
        words.append(f'(its arguments are {", ".join(defaults)}: xacro_args={{...}}, --xacro-arg)')
    return f'xacro: {" ".join(" ".join(words).split()) or repr(error)}'[:1000]


def _choices(missing: Path, values: Mapping[str, str | None]) -> str:
    """Return what stands where a file was looked for, if an argument's value names the place."""
    for place in (missing, *missing.parents):
        named = [name for name, value in values.items() if value and value == place.name]
        if named and not place.exists():
            rest = missing.relative_to(place)
            there = sorted(child.name for child in place.parent.glob('*')
                           if (child / rest).exists())
            return (f'({" or ".join(named)} may be {", ".join(there)}, not {place.name!r})'
                    if there else '')
    return ''


def _arguments(texts: list[str]) -> tuple[dict[str, str | None], list[str]]:
    """Return the declared arguments with their defaults, and those that are used."""
    defaults: dict[str, str | None] = {}
    used = []
    for text in texts:
        for declared in _DECLARED.finditer(text):
            attributes = {key: value[1:-1] for key, value in _ATTRIBUTE.findall(declared.group(1))}
            name, default = attributes.get('name', ''), attributes.get('default')
            defaults[name] = default if defaults.get(name) is None else defaults[name]
        used += [match.group(1) or match.group(2) for match in _USED.finditer(text)]
    return defaults, used


def _refuse_unknown(texts: list[str], given: dict[str, str], where: str) -> None:
    defaults, used = _arguments(texts)
    known = list(dict.fromkeys([*defaults, *used]))
    unknown = [name for name in given if name not in known]
    if unknown and not any('$' in name for name in known):  # a name may be computed
        has = ', '.join(known) if known else 'none'
        raise DescriptionError(
            f'{where}: xacro: no such arguments: {", ".join(unknown)}; it has: {has}')
