"""Sine, cosine, arc and hyperbolic tangent as straight-line LLVM code over vectors of doubles.

The polynomials interpolate at Chebyshev nodes and were computed with 80 digits: sin r = r + r^3 S,
cos r = 1 - r^2/2 + r^4 C on |r| <= pi/4 with an error below 2e-17, e^r - 1 = r + r^2 E on
|r| <= ln(2)/2 with an error below 1e-18, atan t = t + t^3 A on |t| <= tan(pi/8) with an error
below 4e-18 of it. The angle is reduced by multiples of pi/2 in three parts
of 33, 33 and 53 bits, whose first two products are exact for |angle| <= LIMIT. Within it the
results are within 2 ulp of the true ones; beyond it the C library's functions answer.
No branch and no table: every lane of a vector does the same.
"""

import struct

LIMIT = 1.0e6  # [rad]: 2^20 quarter turns are 1.6e6

SINE = (-0.16666666666666666, 0.008333333333330918, -0.00019841269836712495,
        2.755731607868067e-06, -2.5051126876085338e-08, 1.5917771759341917e-10)
COSINE = (0.041666666666666664, -0.0013888888888887378, 2.4801587298736863e-05,
          -2.755731725679604e-07, 2.087614315990944e-09, -1.1382408754153254e-11)
EXPONENTIAL = (0.5, 0.1666666666666667, 0.04166666666666667, 0.008333333333325973,
               0.0013888888888883633, 0.0001984126987538548, 2.480158732595111e-05,
               2.7557254685728803e-06, 2.755727313289604e-07, 2.5105513541847086e-08,
               2.0914898727175524e-09)
QUARTER_TURN = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
LOG_2 = (0.6931471804855391, 7.440617110012397e-11)
TWO_OVER_PI = 0.6366197723675814
ONE_OVER_LOG_2 = 1.4426950408889634
ROUNDER = 6755399441055744.0  # 1.5 * 2^52: adding it leaves the nearest integer in the last bits

ARC_TANGENT = (-0.3333333333333333, 0.19999999999999804, -0.14285714285659828,
               0.11111111105155447, -0.09090908753500877, 0.07692296375032136,
               -0.0666642488573813, 0.05878928997833332, -0.05230454270639616,
               0.04551593220578065, -0.03457056198018083, 0.016285756853839158)
TAN_EIGHTH = 0.41421356237309503  # tan(pi/8)
PI = 3.141592653589793

FAST = 'nsz arcp'


def double(value: float) -> str:
    """Return a double as LLVM writes it: the hexadecimal digits of its bits."""
    return '0x' + struct.pack('>d', value).hex().upper()


class Writer:
    """Collects the lines of one LLVM function over scalars (width 1) or vectors."""

    def __init__(self, width: int, fused: bool = False, prefix: str = 'v') -> None:
        self.width = width
        self.fused = fused  # products are fused explicitly, not as the compiler likes
        self.lines: list[str] = []
        self.count = 0
        self.prefix = prefix
        self.type = 'double' if width == 1 else f'<{width} x double>'
        self.integer = 'i64' if width == 1 else f'<{width} x i64>'
        self.suffix = 'f64' if width == 1 else f'v{width}f64'

    def name(self) -> str:
        """Return a new register."""
        self.count += 1
        return f'%{self.prefix}{self.count}'

    def emit(self, text: str) -> str:
        """Write an instruction and return its register."""
        register = self.name()
        self.lines.append(f'  {register} = {text}')
        return register

    def constant(self, value: float) -> str:
        """Return a number, repeated in every lane."""
        if self.width == 1:
            return double(value)
        return '<' + ', '.join([f'double {double(value)}'] * self.width) + '>'

    def integers(self, value: int) -> str:
        """Return an integer, repeated in every lane."""
        if self.width == 1:
            return str(value)
        return '<' + ', '.join([f'i64 {value}'] * self.width) + '>'

    def binary(self, op: str, a: str, b: str, flags: str = FAST) -> str:
        """Write fadd, fsub, fmul or fdiv."""
        return self.emit(f'{op} {flags} {self.type} {a}, {b}')

    def multiply_add(self, a: str, b: str, c: str) -> str:
        """Write a b + c, fused where the processor can."""
        if not self.fused:
            flags = f'{FAST} contract'
            return self.binary('fadd', self.binary('fmul', a, b, flags), c, flags)
        t = self.type
        return self.emit(f'call nsz {t} @llvm.fma.{self.suffix}({t} {a}, {t} {b}, {t} {c})')

    def negative(self, a: str) -> str:
        """Return -a."""
        return self.emit(f'fneg {self.type} {a}')

    def integer_binary(self, op: str, a: str, b: str) -> str:
        """Write an operation on the bits."""
        return self.emit(f'{op} {self.integer} {a}, {b}')

    def bits(self, a: str) -> str:
        """Return the bits of a double."""
        return self.emit(f'bitcast {self.type} {a} to {self.integer}')

    def from_bits(self, a: str) -> str:
        """Return the double with these bits."""
        return self.emit(f'bitcast {self.integer} {a} to {self.type}')

    def absolute(self, a: str) -> str:
        """Return |a|."""
        return self.emit(f'call {self.type} @llvm.fabs.{self.suffix}({self.type} {a})')

    def polynomial(self, coefficients: tuple[float, ...], x: str) -> str:
        """Return c0 + c1 x + ... by Horner's rule."""
        value = self.constant(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            value = self.multiply_add(value, x, self.constant(c))
        return value

    def nearest(self, x: str, factor: float) -> tuple[str, str]:
        """Return the integer nearest to factor x, as a double and as bits that end in it."""
        shifted = self.binary('fadd', self.binary('fmul', x, self.constant(factor), ''),
                              self.constant(ROUNDER), '')
        return self.binary('fsub', shifted, self.constant(ROUNDER), ''), self.bits(shifted)

    def reduced(self, x: str, k: str, parts: tuple[float, ...]) -> str:
        """Return x - k (parts[0] + parts[1] + ...)."""
        for part in parts:
            x = self.multiply_add(k, self.constant(-part), x)
        return x

    def sine_cosine(self, x: str) -> tuple[str, str]:
        """Return sin x and cos x for |x| <= LIMIT."""
        k, quarter = self.nearest(x, TWO_OVER_PI)
        r = self.reduced(x, k, QUARTER_TURN)
        u = self.binary('fmul', r, r)
        sine = self.multiply_add(self.binary('fmul', u, r), self.polynomial(SINE, u), r)
        head = self.multiply_add(u, self.constant(-0.5), self.constant(1.0))
        cosine = self.multiply_add(self.binary('fmul', u, u), self.polynomial(COSINE, u), head)
        odd = self.integer_binary('and', quarter, self.integers(1))
        swap = self.emit(f'icmp ne {self.integer} {odd}, {self.integers(0)}')
        first, second = self.select(swap, cosine, sine), self.select(swap, sine, cosine)
        return self.flip(first, quarter), self.flip(
            second, self.integer_binary('add', quarter, self.integers(1)))

    def flip(self, x: str, quarter: str) -> str:
        """Return -x where the second bit of quarter is set."""
        sign = self.integer_binary('and', quarter, self.integers(2))
        sign = self.integer_binary('shl', sign, self.integers(62))
        return self.from_bits(self.integer_binary('xor', self.bits(x), sign))

    def square_root(self, x: str) -> str:
        """Return the square root, rounded correctly."""
        return self.emit(f'call {self.type} @llvm.sqrt.{self.suffix}({self.type} {x})')

    def select(self, condition: str, a: str, b: str) -> str:
        """Return a in the lanes where the condition holds, else b."""
        mask = 'i1' if self.width == 1 else f'<{self.width} x i1>'
        return self.emit(f'select {mask} {condition}, {self.type} {a}, {self.type} {b}')

    def copy_sign(self, a: str, sign: str) -> str:
        """Return |a| with the sign of another number."""
        return self.emit(f'call {self.type} @llvm.copysign.{self.suffix}'
                         f'({self.type} {a}, {self.type} {sign})')

    def arctan2(self, y: str, x: str) -> str:
        """Return the angle of (x, y): by t = min/max, then (t - 1)/(t + 1) beyond tan(pi/8)."""
        above, right = self.absolute(y), self.absolute(x)
        steep = self.emit(f'fcmp ogt {self.type} {above}, {right}')
        high, low = self.select(steep, above, right), self.select(steep, right, above)
        zero = self.emit(f'fcmp oeq {self.type} {high}, {self.constant(0.0)}')
        high = self.select(zero, self.constant(1.0), high)  # (0, 0): the angle of its signs
        bent = self.emit(f'fcmp ogt {self.type} {low}, '
                         f'{self.binary("fmul", high, self.constant(TAN_EIGHTH), "")}')
        top = self.select(bent, self.binary('fsub', low, high, ''), low)
        bottom = self.select(bent, self.binary('fadd', low, high, ''), high)
        t = self.binary('fdiv', top, bottom, '')
        u = self.binary('fmul', t, t, '')
        angle = self.multiply_add(
            self.binary('fmul', u, t, ''), self.polynomial(ARC_TANGENT, u), t)
        for condition, whole, sign in ((bent, PI / 4, 1), (steep, PI / 2, -1)):
            turned = self.binary('fadd' if sign > 0 else 'fsub', self.constant(whole), angle, '')
            angle = self.select(condition, turned, angle)
        # behind: pi - angle, for x = -0 too
        behind = self.emit(f'fcmp olt {self.type} '
                           f'{self.copy_sign(self.constant(1.0), x)}, {self.constant(0.0)}')
        angle = self.select(behind, self.binary('fsub', self.constant(PI), angle, ''), angle)
        return self.copy_sign(angle, y)

    def tanh(self, x: str) -> str:
        """Return tanh x = -e / (2 + e) with e = exp(-2 |x|) - 1, and the sign of x."""
        size = self.absolute(x)
        large = self.emit(f'fcmp ogt {self.type} {size}, {self.constant(20.0)}')
        size = self.select(large, self.constant(20.0), size)
        y = self.binary('fmul', size, self.constant(-2.0))
        k, power = self.nearest(y, ONE_OVER_LOG_2)
        r = self.reduced(y, k, LOG_2)
        small = self.multiply_add(self.binary('fmul', r, r), self.polynomial(EXPONENTIAL, r), r)
        exponent = self.integer_binary('shl', power, self.integers(52))
        scale = self.from_bits(self.integer_binary('add', exponent, self.bits(self.constant(1.0))))
        e = self.multiply_add(scale, small, self.binary('fsub', scale, self.constant(1.0)))
        value = self.binary('fdiv', e, self.binary('fsub', self.constant(-2.0), e))
        return self.copy_sign(value, x)
