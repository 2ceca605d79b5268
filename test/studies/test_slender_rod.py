"""Slender rods: the paper's constants, quadrature, and the general path are one."""

import numpy as np
import pytest
from algorithms.robots import PAPERS, paper_robot

from robot_dynamics.model.slender_rod import slender_rod
from robot_dynamics.studies.natural_complement import propagation, tilde
from robot_dynamics.studies.slender_rod import rod_inertials, rod_mass_matrix

RODS = [(0.4, 0.15, 3.0), (0.4, 0.0, 3.0), (0.0, 0.2, 10.0), (0.3, -0.25, 2.0), (-0.3, 0.2, 1.5)]
rods = pytest.mark.parametrize(('a', 'b', 'density'), RODS)


def by_quadrature(a, b, density, *, payload, hub):
    """Return mass matrix about the bend in link frame axes, from points along the rod."""
    x, w = np.polynomial.legendre.leggauss(4)
    x, w = (x + 1) / 2, w / 2
    points = [([0, 0, -b * s], density * abs(b) * k) for s, k in zip(x, w, strict=True)]
    points += [([a * s, 0, 0], density * abs(a) * k) for s, k in zip(x, w, strict=True)]
    points += [([a, 0, 0], payload)]
    M = np.zeros((6, 6))
    M[2, 2] = hub
    for position, mass in points:
        A = propagation(np.array(position, float))[3:]  # velocity of the point
        M += mass * A.T @ A
    return M


def general(mass, moment, inertia):
    return np.block([[inertia, tilde(moment)], [-tilde(moment), mass * np.eye(3)]])


@rods
def test_inertials_equal_quadrature(a, b, density):
    found = general(*rod_inertials(a, b, density, payload=0.7, hub_inertia=0.1))
    expected = by_quadrature(a, b, density, payload=0.7, hub=0.1)
    assert np.abs(found - expected).max() < 1e-14


@rods
def test_the_papers_mass_matrix_is_the_general_one(a, b, density):
    """From O_i in frame i to O'_i in link frame i: a turn by theta and a move by b."""
    theta = 0.8
    turn = np.array([[np.cos(theta), -np.sin(theta), 0], [np.sin(theta), np.cos(theta), 0],
                     [0, 0, 1.0]])
    A = propagation(np.array([0.0, 0.0, b]))  # from O_i to O'_i
    link = general(*rod_inertials(a, b, density, payload=0.7, hub_inertia=0.1))
    T = np.kron(np.eye(2), turn)
    expected = A.T @ T @ link @ T.T @ A
    found = rod_mass_matrix(a, b, density, theta, payload=0.7, hub_inertia=0.1)
    assert np.abs(found - expected).max() < 1e-14


@rods
def test_inertia_about_the_centre(a, b, density):
    rod = slender_rod(a, b, density)
    mass, centre, inertia = rod.mass, rod.com, rod.inertia
    about_bend = inertia + mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    assert np.abs(general(mass, mass * centre, about_bend)
                  - by_quadrature(a, b, density, payload=0.0, hub=0.0)).max() < 1e-14


def test_no_length_is_no_mass():
    rod = slender_rod(0.0, 0.0, 5.0)
    mass, centre, inertia = rod.mass, rod.com, rod.inertia
    assert mass == 0.0
    assert not centre.any()
    assert not inertia.any()


def test_the_puma_of_the_paper_is_made_of_rods():
    _, inertials = paper_robot('puma_rods')
    for i, row in enumerate(PAPERS['puma_rods']['robot']['table2']):
        length = row['a'] + row['b']
        density = row['mass'] / length if length else 0.0
        mass, moment, inertia = rod_inertials(
            row['a'], row['b'], density, hub_inertia=row['hub_Izz'])
        assert mass == pytest.approx(inertials.mass[i])
        assert moment == pytest.approx(inertials.moment[i], abs=1e-12)
        assert inertia == pytest.approx(inertials.inertia[i], abs=1e-12)
