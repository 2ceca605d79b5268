"""Chains of the benchmark: revolute, every axis turned against the one before, any length."""

from typing import Any

import numpy as np

from robot_dynamics.cli.benchmark.measure import interleaved
from robot_dynamics.engine.large.general import ALGORITHMS, Recursion, Tables, build_general
from robot_dynamics.model.dh.table import DHRow
from robot_dynamics.robot import Robot

CHAINS = (5, 10, 20, 50, 100, 200, 500, 1000)


def chain(n: int) -> Robot:
    """Return a chain of n revolute joints with general geometry and inertias."""
    rng = np.random.default_rng(n)
    rows = []
    for _ in range(n):
        a, b, alpha, theta = rng.uniform(0.1, 1.0, 4)
        points = rng.normal(0, 0.1, (3, 3))
        second = points @ points.T
        rows.append(DHRow(
            a=a / 5, b=b / 5, alpha=alpha, theta=theta, joint='revolute', lower=-3.0, upper=3.0,
            mass=1.0,
            com=tuple(rng.normal(0, 0.05, 3)), inertia=np.trace(second) * np.eye(3) - second))
    return Robot.from_dh(rows)


def general_recursion(lengths: list[int], repetitions: int) -> dict[str, Any]:
    """Return the general recursion's inverse dynamics per link, in a compiled loop over states."""
    recursion = Recursion(*build_general('inverse'))
    contestants: dict[str, Any] = {}
    for n in lengths:
        robot = chain(n)
        tables = Tables(robot._kernels.spec, robot.inertials)
        count = 4 * max(1, 500 // n)
        q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, count, n))
        out = np.empty_like(q)
        contestants[str(n)] = (
            lambda tables=tables, q=q, qd=qd, qdd=qdd, out=out: recursion(
                tables, q, qd, qdd, out), count)
    times = interleaved(contestants, repetitions)
    per_link = {n: times[str(n)].median * 1e6 / n for n in lengths}
    values = list(per_link.values())
    return {'per_link_us': per_link, 'algorithm': ALGORITHMS['inverse'][0].__module__,
            'spread': max(values) / min(values) - 1 if values else 0.0}
