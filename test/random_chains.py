"""Random URDF chains whose axes are almost parallel, almost at right angles, almost crossing."""

import numpy as np

RIGHT_ANGLES = (0.0, np.pi / 2, -np.pi / 2, np.pi)


def random_chain(generator, tilt: float, *, massless: float = 0.0, prismatic: float = 0.0) -> str:
    """Return a chain of 2 to 6 joints.

    tilt: how far angles and lengths are from right ones and from zero [rad, m]
    massless, prismatic: the share of links without mass (never the last), of slides
    """
    n = int(generator.integers(2, 7))
    parts = ['<link name="l0"/>']
    for k in range(1, n + 1):
        bare = k < n and generator.random() < massless
        kind = 'prismatic' if generator.random() < prismatic else 'revolute'
        parts.append(f'<link name="l{k}">{"" if bare else _inertial(generator)}</link>')
        parts.append(
            f'<joint name="j{k}" type="{kind}"><parent link="l{k - 1}"/><child link="l{k}"/>'
            f'{_origin(_offset(generator, tilt), _turns(generator, tilt))}'
            f'<axis xyz="{_words(_axis(generator, tilt))}"/>'
            '<limit lower="-2" upper="2" effort="1" velocity="1"/></joint>')
    return f'<robot name="chain">{"".join(parts)}</robot>'


def _axis(generator, tilt):
    axis = np.eye(3)[generator.integers(3)] * generator.choice([-1, 1])
    return axis + tilt * generator.normal(size=3) * (generator.random() < 0.7)


def _offset(generator, tilt):
    xyz = 0.3 * generator.normal(size=3)
    for j in range(3):
        if generator.random() < 0.4:
            xyz[j] = tilt * generator.normal() * (generator.random() < 0.5)
    return xyz


def _turns(generator, tilt):
    return (generator.choice(RIGHT_ANGLES, 3)
            + tilt * generator.normal(size=3) * (generator.random() < 0.5))


def _inertial(generator) -> str:
    mass, size = 10.0 ** generator.uniform(-2, 1), 10.0 ** generator.uniform(-2, -0.5)
    x, y, z = generator.uniform(0.5, 1, 3) * mass * size**2 / 3  # so that the moments are a body's
    return (f'<inertial>{_origin(size * generator.normal(size=3), generator.normal(size=3))}'
            f'<mass value="{mass!r}"/><inertia ixx="{float(y + z)!r}" iyy="{float(x + z)!r}" '
            f'izz="{float(x + y)!r}" ixy="0" ixz="0" iyz="0"/></inertial>')


def _origin(xyz, rpy) -> str:
    return f'<origin xyz="{_words(xyz)}" rpy="{_words(rpy)}"/>'


def _words(values) -> str:
    return ' '.join(repr(float(value)) for value in values)
