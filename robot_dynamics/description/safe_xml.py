"""Parses untrusted XML: no DTD, no entities, no network, bounded depth and size."""

import re
from collections.abc import Iterable
from typing import Any, TypeAlias

from lxml import etree

from robot_dynamics.errors import DescriptionError

Element: TypeAlias = Any  # of XML: lxml has no types

_NO_DOCTYPE = ('has a document type (<!DOCTYPE ...>); a URDF needs none, and entities are not '
               'expanded: remove it')
_COMMENT = re.compile(r'<!--.*?-->', re.DOTALL)
_PREFIX = re.compile(r'Namespace prefix (\S+)')


def parse_xml(text: str, where: str, warnings: list[str]) -> Element:
    """Return the root element of the document, its own elements without a namespace.

    A document type is refused before parsing: it is what entity bombs and external entities need,
    and no URDF has a use for one. Nesting beyond 256 levels is refused by the parser. Prefixes
    that nobody declared are forgiven: they stand in extensions, which are not read.
    """
    if '<!DOCTYPE' in _COMMENT.sub('', text.replace('\0', '')).upper():
        raise DescriptionError(f'{where}: {_NO_DOCTYPE}')
    data = text.encode('utf-8', 'surrogatepass')
    root, errors = _parsed(data, recover=False)
    if root is None and errors and all(error.domain_name == 'NAMESPACE' for error in errors):
        root, errors = _parsed(data, recover=True)
        warnings += [f'{where}: the prefix {prefix!r} stands for no namespace; what bears it is '
                     'not read' for prefix in _prefixes(errors)]
        errors = [error for error in errors if error.domain_name != 'NAMESPACE']
        root = None if errors else root
    if root is None:
        reason = errors[0].message.strip() if errors else 'it has no element'
        line = f', line {errors[0].line}' if errors else ''
        raise DescriptionError(f'{where}: is not well-formed XML: {reason[:200]}{line}')
    if root.getroottree().docinfo.internalDTD is not None:
        raise DescriptionError(f'{where}: {_NO_DOCTYPE}')
    return _plain(root)


def _parsed(data: bytes, recover: bool) -> tuple[Element | None, list[Any]]:
    """Return the root element, or None, and the errors."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False,
        huge_tree=False, remove_comments=True, remove_pis=True, remove_blank_text=True,
        recover=recover, encoding='utf-8')
    try:
        return etree.fromstring(data, parser), list(parser.error_log)
    except (etree.XMLSyntaxError, ValueError, LookupError):
        return None, list(parser.error_log)


def _prefixes(errors: Iterable[Any]) -> list[str]:
    found = [_PREFIX.match(error.message) for error in errors]
    return list(dict.fromkeys(match.group(1) for match in found if match))


def _plain(root: Element) -> Element:
    """Take off the namespace that a URDF's elements are in: the default one, or the root's."""
    own = etree.QName(root).namespace
    for element in root.iter(etree.Element):
        name = etree.QName(element) if element.tag[:1] == '{' else None
        if name is not None and (element.prefix is None or name.namespace == own):
            element.tag = name.localname
    return root
