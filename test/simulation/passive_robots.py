"""Random robots that nothing drives: arms with stops, friction, damping, rotors and gravity."""

from dataclasses import replace
from functools import cache

import numpy as np

import robot_dynamics as rd
from robot_dynamics import DHRow
from robot_dynamics.model.model import Limits

SHAPES = 10  # geometries: robots that differ in numbers alone share their compiled kernels


@cache
def shape(k):
    """Return an arm of 2 to 5 joints, mostly turning."""
    rng = np.random.default_rng(1000 + k)
    rows = [DHRow(rng.uniform(-0.4, 0.4), rng.uniform(-0.3, 0.3), rng.choice([0, np.pi / 2, 1.0]),
                  rng.uniform(-3, 3), 'prismatic' if rng.random() < 0.2 else 'revolute', mass=1.0,
                  inertia=np.eye(3), friction=1.0, damping=1.0, armature=0.1,
                  com=rng.uniform(-0.2, 0.2, 3)) for _ in range(2 + k % 4)]
    return rd.Robot.from_dh(rows)


def passive(k):
    """Return robot k, where it starts and its restitution."""
    rng = np.random.default_rng(k)
    arm = shape(k % SHAPES)
    model, n = arm.model, arm.n
    size = 10.0 ** rng.uniform(-1, 1, n)  # of the links
    inertials = model.inertials._replace(
        mass=model.inertials.mass * size, moment=model.inertials.moment * size[:, None],
        inertia=model.inertials.inertia * size[:, None, None],
        armature=10.0 ** rng.uniform(-4, 0, n)).over(gravity=rng.normal(size=3) * 6)
    width = 10.0 ** rng.uniform(-4, 0.3, n)  # some stops are close
    q = rng.uniform(-1, 1, n)
    part = rng.uniform(size=n)
    infinite = rng.random(n) < 0.3
    limits = Limits(np.where(infinite, -np.inf, q - part * width),
                    np.where(infinite, np.inf, q + (1 - part) * width),
                    np.full(n, np.inf), np.full(n, np.inf))
    friction = 10.0 ** rng.uniform(-3, 1, n) * (rng.random(n) < 0.8)
    friction[0] += 1e-3  # the kernel is one for robots with friction
    damping = 10.0 ** rng.uniform(-4, -1, n)
    changed = replace(model, inertials=inertials, limits=limits, friction=friction,
                      damping=damping)
    return (rd.Robot(changed, arm.dh), q, rng.normal(size=n) * rng.choice([0.1, 1.0, 5.0]),
            rng.choice([0.0, 0.3, 0.8, 1.0]))


def free(robot):
    """Return the robot without stops and friction."""
    n = robot.n
    limits = Limits(*(np.full(n, x) for x in (-np.inf, np.inf, np.inf, np.inf)))
    return rd.Robot(replace(robot.model, limits=limits, friction=np.zeros(n),
                            damping=np.zeros(n)), robot.dh)
