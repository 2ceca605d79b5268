"""The operation counts printed in the papers, as polynomials in the number n of revolute joints.

Coefficients ascend: (-101, 96) is 96 n - 101. What a paper prints is kept; where it is wrong, the
note says what is right, and `right` of the entry holds it.
"""

from fractions import Fraction
from typing import NamedTuple

Polynomial = tuple[Fraction, ...]


class PaperCount(NamedTuple):
    """One line of a paper's table."""

    what: str  # 'inverse', 'gim', 'forward', 'convective', 'planar gim', ... or a part of one
    author: str
    source: str  # key and place of the paper that prints it
    multiplications: Polynomial
    additions: Polynomial
    note: str = ''
    right_additions: Polynomial | None = None


def polynomial(*coefficients: int | str | Fraction) -> Polynomial:
    """Return ascending coefficients, given as numbers or as text like '23/2'."""
    return tuple(Fraction(x) for x in coefficients)


def evaluate(coefficients: Polynomial, n: int) -> Fraction:
    """Return the value at n."""
    return sum((x * n ** k for k, x in enumerate(coefficients)), Fraction(0))


def formula(coefficients: Polynomial) -> str:
    """Return a polynomial as text, highest power first: '1/6 n^3 + 13 n^2 - 157'."""
    text = ''
    for k in range(len(coefficients) - 1, -1, -1):
        x = coefficients[k]
        if x:
            power = f'n^{k}' if k > 1 else 'n' if k else ''
            factor = '' if abs(x) == 1 and k else decimal(abs(x)) + (' ' if k else '')
            sign = ('-' if x < 0 else '') if not text else (' - ' if x < 0 else ' + ')
            text += sign + factor + power
    return text or '0'


def decimal(x: Fraction) -> str:
    """Return halves as decimals and other fractions as they are."""
    return f'{float(x):g}' if x.denominator in (1, 2) else str(x)


RODS = 'slender rods only; the bias vector is taken as given'
HALF = 'a half for every n, so no exact count'

COUNTS: tuple[PaperCount, ...] = (
    PaperCount('forward given bias', 'Mohan & Saha', 'MohanSaha2007 Table 1',
               polynomial(-128, 173), polynomial(-133, 150), RODS),
    PaperCount('forward given bias', 'Saha', 'MohanSaha2007 Table 1',
               polynomial(-284, 191), polynomial(-325, 187)),
    PaperCount('forward given bias', 'Featherstone', 'MohanSaha2007 Table 1',
               polynomial(-198, 199), polynomial(-173, 174)),
    PaperCount('forward given bias', 'Valasek', 'MohanSaha2007 Table 1',
               polynomial(-343, 226), polynomial(-345, 206)),
    PaperCount('forward given bias', 'Brandle et al.', 'MohanSaha2007 Table 1',
               polynomial(-222, 250), polynomial(-198, 220)),
    PaperCount('forward given bias', 'Walker & Orin', 'MohanSaha2007 Table 1',
               polynomial(-47, '115/3', '23/2', '1/6'), polynomial(-46, '233/6', 7, '1/6')),
    PaperCount('inverse, outward', 'Angeles', 'Angeles7 Table 7.1',
               polynomial(0, 82), polynomial(0, 66), 'the row of c_i, 8n M 10n A, is not printed'),
    PaperCount('inverse, inward', 'Angeles', 'Angeles7 Table 7.2',
               polynomial(-22, 55), polynomial(-14, 44)),
    PaperCount('inverse', 'Angeles', 'Angeles7 (7.43)',
               polynomial(-22, 137), polynomial(-14, 110)),
    PaperCount('inverse', 'Hollerbach', 'Angeles7 Table 7.3',
               polynomial(-277, 412), polynomial(-201, 320)),
    PaperCount('inverse', 'Luh et al.', 'Angeles7 Table 7.3',
               polynomial(-48, 150), polynomial(-48, 131)),
    PaperCount('inverse', 'Walker & Orin', 'Angeles7 Table 7.3',
               polynomial(-22, 137), polynomial(-11, 101)),
    PaperCount('inverse', 'Khalil et al.', 'Angeles7 Table 7.3',
               polynomial(-92, 105), polynomial(-86, 94)),
    PaperCount('inverse', 'Angeles et al.', 'Angeles7 Table 7.3',
               polynomial(-109, 105), polynomial(-105, 90)),
    PaperCount('inverse', 'Balafoutis & Patel', 'Angeles7 Table 7.3',
               polynomial(-69, 93), polynomial(-65, 81), '81n - 66 is right, as in Table 7.4',
               polynomial(-66, 81)),
    PaperCount('inverse', 'Li & Sankar', 'Angeles7 Table 7.3',
               polynomial(-69, 88), polynomial(-66, 76)),
    PaperCount('inverse', 'Mata et al.', 'Mata2002 Table 1',
               polynomial(-101, 96), polynomial(-100, 84)),
    PaperCount('inverse', 'Luh et al.', 'Mata2002 Table 1',
               polynomial(-48, 150), polynomial(-48, 131)),
    PaperCount('inverse', 'Angeles et al.', 'Mata2002 Table 1',
               polynomial(-109, 105), polynomial(-105, 90)),
    PaperCount('inverse', 'Balafoutis & Patel', 'Mata2002 Table 1',
               polynomial(-69, 93), polynomial(-66, 81)),
    PaperCount('gim', 'Mata et al.', 'Mata2002 Table 2',
               polynomial(-49, '39/2', '23/2'), polynomial(-69, '63/2', '17/2')),
    PaperCount('gim', 'Walker & Orin', 'Mata2002 Table 2',
               polynomial(-27, 56, 12), polynomial(-56, 67, 7),
               '7n^2 + 67n - 53 is right, as in Bhangale2004 (15) and Mata2002 Table 4',
               polynomial(-53, 67, 7)),
    PaperCount('gim', 'Angeles & Ma', 'Mata2002 Table 2',
               polynomial(8, -21, 17, 1), polynomial(5, -16, 14, 1)),
    PaperCount('bias', 'Mata et al.', 'Mata2002 Table 3',
               polynomial(-108, 96), polynomial(-105, 83)),
    PaperCount('decomposition', 'Mata et al.', 'Mata2002 Table 3',
               polynomial(0, '1/3', '1/2', '1/6'), polynomial(0, '1/3', '1/2', '1/6')),
    PaperCount('substitutions', 'Mata et al.', 'Mata2002 Table 3',
               polynomial(0, 0, 1), polynomial(0, -1, 1)),
    PaperCount('forward', 'Mata et al.', 'Mata2002 Table 3',
               polynomial(-157, '695/6', 13, '1/6'), polynomial(-174, '683/6', 10, '1/6')),
    PaperCount('gim', 'Bhangale et al.', 'Bhangale2004 (14)',
               polynomial(-18, 42, 11), polynomial(-18, 44, 7), 'also Bhangale2004 Table I'),
    PaperCount('gim', 'Walker & Orin', 'Bhangale2004 (15)',
               polynomial(-27, 56, 12), polynomial(-53, 67, 7)),
    PaperCount('convective', 'Bhangale et al.', 'Bhangale2004 (16)',
               polynomial(4, 22, 14), polynomial('-131/2', '111/2', '27/2'), HALF),
    PaperCount('planar gim', 'Bhangale et al.', 'Bhangale2004 (17)',
               polynomial(-7, '23/2', '7/2'), polynomial(-7, 9, 2), 'also Bhangale2004 Table II'),
    PaperCount('planar convective', 'Bhangale et al.', 'Bhangale2004 (18)',
               polynomial(4, 13, 7), polynomial(2, 13, 4)),
)


class FixedCount(NamedTuple):
    """A count printed for one arm only."""

    what: str
    author: str
    source: str
    multiplications: int
    additions: int


FIXED: tuple[FixedCount, ...] = (
    FixedCount('inverse, n = 6', 'Hollerbach & Sahar', 'Angeles7 Table 7.4', 688, 558),
    FixedCount('inverse, n = 6', 'Kane & Levinson', 'Angeles7 Table 7.4', 646, 394),
    FixedCount('forward, n = 6', 'Walker & Orin', 'Mata2002 Table 4', 1627, 1261),
    FixedCount('forward, n = 6', 'Featherstone', 'Mata2002 Table 4', 1533, 1415),
    FixedCount('forward, n = 6', 'Angeles & Ma', 'Mata2002 Table 4', 1353, 1165),
    FixedCount('forward, n = 6', 'Mata et al.', 'Mata2002 Table 4', 1042, 905),
)
