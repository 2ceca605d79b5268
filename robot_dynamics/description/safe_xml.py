"""Parses untrusted XML: no DTD, no entities, no network, bounded depth and size."""

import re

from lxml import etree

from robot_dynamics.errors import DescriptionError

_NO_DOCTYPE = ('has a document type (<!DOCTYPE ...>); a URDF needs none, and entities are not '
               'expanded: remove it')
_COMMENT = re.compile(rb'<!--.*?-->', re.DOTALL)


def parse_xml(data: bytes, where: str):
    """Return the root element of the document.

    A document type is refused before parsing: it is what entity bombs and external entities need,
    and no URDF has a use for one. Nesting beyond 256 levels is refused by the parser.
    """
    if _has_doctype(data):
        raise DescriptionError(f'{where}: {_NO_DOCTYPE}')
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False,
        huge_tree=False, remove_comments=True, remove_pis=True, remove_blank_text=True)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError, LookupError) as error:
        raise DescriptionError(f'{where}: is not well-formed XML: {_first_line(error)}') from None
    if root.getroottree().docinfo.internalDTD is not None:  # in an encoding we did not look into
        raise DescriptionError(f'{where}: {_NO_DOCTYPE}')
    return root


def _has_doctype(data: bytes) -> bool:
    plain = data.replace(b'\0', b'')  # UTF-16 and UTF-32 of ASCII
    return b'<!DOCTYPE' in _COMMENT.sub(b'', plain).upper()


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
