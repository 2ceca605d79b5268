"""What was meant by words that a command does not know: near names, and numbers without commas."""

import argparse
from collections.abc import Collection

NEAR = 0.6  # of difflib's ratio


def parse(parser: argparse.ArgumentParser, commands: Collection[str],
          argv: list[str]) -> argparse.Namespace:
    """Return the arguments; what is not known is an error that says what may have been meant."""
    if argv and not argv[0].startswith('-') and argv[0] not in commands:
        parser.error(f'there is no command {argv[0]!r}'
                     + (meant(argv[0], commands) or f': these are {", ".join(commands)}'))
    args, unknown = parser.parse_known_args(argv)
    if unknown:
        command = command_parser(parser, args.command)
        command.error('unrecognized arguments: ' + ' '.join(unknown) + hint(
            unknown, argv, [option for option in command._option_string_actions
                            if option.startswith('--')]))
    return args


def command_parser(parser: argparse.ArgumentParser,
                   name: str | None) -> argparse.ArgumentParser:
    """Return the parser of a sub-command, the whole one where there is none."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) and name in action.choices:
            found: argparse.ArgumentParser = action.choices[name]
            return found
    return parser


def hint(unknown: list[str], argv: list[str], options: Collection[str]) -> str:
    """Return what to write instead of the words that were not known, empty where nobody knows."""
    first = unknown[0]
    if first.startswith('--'):
        return meant(first.partition('=')[0], options)
    at = argv.index(first) if first in argv else 0
    begin = next((k for k in range(at - 1, 0, -1) if argv[k].startswith('--')), None)
    numbers = [] if begin is None else argv[begin + 1:at + 1]
    if begin is None or not all(map(is_number, numbers)):
        return ''
    end = next((k for k in range(at, len(argv)) if not is_number(argv[k])), len(argv))
    return (f': numbers of one option are joined by commas, without spaces: {argv[begin]} '
            + ','.join(word.strip(',') for word in argv[begin + 1:end]))


def meant(word: str, known: Collection[str]) -> str:
    """Return the nearest of the known words as a question, empty where none is near."""
    import difflib  # for those who mistype
    near = difflib.get_close_matches(word, known, n=1, cutoff=NEAR)
    return f': did you mean {near[0]}?' if near else ''


def is_number(word: str) -> bool:
    """Tell whether a word is a number, a comma behind it perhaps."""
    try:
        float(word.strip(','))
    except ValueError:
        return False
    return True


def spread(argv: list[str]) -> list[str]:
    """Return the words with X,Y,Z of --gravity as the three words that it takes."""
    result: list[str] = []
    for word in argv:
        option, equals, text = word.partition('=')
        if option == '--gravity' and equals and text.count(',') == 2:
            result += [option, *text.split(',')]
        elif result and result[-1] == '--gravity' and word.count(',') == 2:
            result += word.split(',')
        else:
            result.append(word)
    return result
