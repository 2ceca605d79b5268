"""From the bytes of a description to its text, the same way wherever they come from.

Programs that read URDFs differ in what they forgive before the first element: a version that no
XML has, a declaration behind a blank line or a comment, a byte order mark. None of it says
anything about a robot, so it is taken off here, and the XML parser sees UTF-8 without declaration.
"""

import codecs
import re

from robot_dynamics.errors import DescriptionError

_MARKS = ((codecs.BOM_UTF8, 'utf-8'), (codecs.BOM_UTF32_LE, 'utf-32-le'),
          (codecs.BOM_UTF32_BE, 'utf-32-be'), (codecs.BOM_UTF16_LE, 'utf-16-le'),
          (codecs.BOM_UTF16_BE, 'utf-16-be'))  # UTF-32's begins as UTF-16's: it comes first
_UNMARKED = ((b'<\0\0\0', 'utf-32-le'), (b'\0\0\0<', 'utf-32-be'), (b'<\0', 'utf-16-le'),
             (b'\0<', 'utf-16-be'))
_DECLARED = re.compile(rb'<\?xml\s[^>]{0,200}?encoding\s*=\s*["\']([\w.:-]{1,40})["\']')
# Of Python's codecs those for text; some others take long, or make text of anything.
_TEXT = re.compile(r'(utf-8|ascii|iso8859-\d+|cp\d+|gb2312|gbk|gb18030|hz|big5\w*|shift_jis\w*|'
                   r'euc_\w+|koi8-\w+|mac-\w+)(-sig)?')
_SEARCHED = 4096  # bytes at the beginning among which an encoding is declared


def as_text(source: str | bytes, where: str) -> str:
    """Return the text of a description, without byte order mark and XML declaration.

    Lines keep their numbers. What a str declares as its encoding no longer holds.
    """
    text = source if isinstance(source, str) else _decoded(source, where)
    return _undeclared(text.removeprefix('\ufeff'))


def _decoded(data: bytes, where: str) -> str:
    encoding = _encoding(data, where)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise DescriptionError(
            f'{where}: is not well-formed XML: byte {error.start} is no {encoding}') from None


def _encoding(data: bytes, where: str) -> str:
    for begin, encoding in (*_MARKS, *_UNMARKED):
        if data.startswith(begin):
            return encoding
    declared = _DECLARED.search(data[:_SEARCHED])
    if declared is None:
        return 'utf-8'
    name = declared.group(1).decode('ascii', 'replace')
    try:
        found = codecs.lookup(name).name
    except LookupError:
        found = ''
    if found.startswith(('utf-16', 'utf-32')):  # in single bytes, as its declaration is
        return 'utf-8'
    if not _TEXT.fullmatch(found):
        raise DescriptionError(f'{where}: is not well-formed XML: unknown encoding {name!r}')
    return found


def _undeclared(text: str) -> str:
    """Blank the XML declaration, behind spaces and comments too."""
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif text.startswith('<!--', at):
            end = text.find('-->', at)
            if end < 0:
                break
            at = end + 3
        elif text.startswith('<?xml', at) and text[at + 5:at + 6].isspace():
            end = text.find('?>', at)
            if end < 0:
                break
            return text[:at] + '\n' * text.count('\n', at, end) + text[end + 2:]
        else:
            break
    return text
