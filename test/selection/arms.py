"""Arms whose workspaces are known: those of Bhangale2004 with strokes, a 2R, a spherical one."""

import numpy as np

import robot_dynamics as rd
from robot_dynamics.selection.candidates import family_of

RIGHT = np.pi / 2


def row(a=0.0, b=0.0, alpha=0.0, theta=0.0, **options):
    return rd.DHRow(a, b, alpha, theta, mass=1.0, com=(-a / 2, 0, 0), inertia=0.01 * np.eye(3),
                    **options)


def slide(stroke, b=0.0, alpha=0.0, theta=0.0, start=0.0):
    return row(0.0, b, alpha, theta, joint='prismatic', lower=start, upper=start + stroke)


def arm(name, *rows, **options):
    return rd.Robot.from_dh(rows, name=name, **options)


def rtx(stroke=0.7, a2=0.432, a3=0.2):
    return arm('rtx', slide(stroke), row(a2, 0.01), row(a3, 0.01))


def stanford(stroke=0.8, shoulder=0.1):
    return arm('stanford', row(0, 0.1, -RIGHT), row(0, shoulder, -RIGHT), slide(stroke))


def rp(a1=0.5, stroke=1.0):
    return arm('rp', row(0, 0, RIGHT, RIGHT), slide(stroke, a1))


def pr(a2=1.0, stroke=2.5):
    return arm('pr', slide(stroke, 0, -RIGHT), row(a2, 0, 0, -RIGHT))


def two_r(a1=1.0, a2=0.6, **second):
    return arm('two_r', row(a1), row(a2, **second))


def spherical(stroke=0.5, inner=0.3):
    return arm('spherical', row(0, 0.3, -RIGHT), row(0, 0, RIGHT), slide(stroke, inner))


def elbow(a2=0.5, a3=0.4, shoulder=0.1):
    return arm('elbow', row(0, 0.3, RIGHT), row(a2, shoulder), row(a3))


def family(robot, *links):
    return family_of(robot.name, robot, (), links)
