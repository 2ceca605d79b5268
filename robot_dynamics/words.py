"""Words for people: how many there are of something."""


def counted(number: int, noun: str) -> str:
    """Return a number and what is counted: '1 joint', '2 joints'."""
    return f'{number} {noun}' if number == 1 else f'{number} {noun}s'
