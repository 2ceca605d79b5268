"""Robots for the tests of the algorithms: (name, geometry, inertials), random and the papers'."""

import json
from pathlib import Path

import numpy as np

from robot_dynamics.model.denoc import make_geometry, make_inertials

PAPERS = json.loads((Path(__file__).parents[1] / 'data' / 'papers.json').read_text())['cases']


def random_tree(n, seed, *, branching, prismatic=0.3, armature=False, square=False):
    """Return a random tree; branching 0 is a chain, square has right angles and zero offsets."""
    rng = np.random.default_rng(seed)
    parent = depth_first_parents(n, rng, branching)
    gamma, alpha, theta0 = rng.uniform(-np.pi, np.pi, (3, n))
    d = rng.uniform(-0.5, 0.5, (n, 3))
    if square:
        gamma, theta0 = np.zeros(n), np.zeros(n)
        alpha = np.pi / 2 * rng.integers(-1, 3, n)
        d = d * rng.integers(0, 2, (n, 3))
    geometry = make_geometry(parent, rng.random(n) < prismatic, gamma, alpha, theta0, d)
    return geometry, random_inertials(n, rng, armature)


def depth_first_parents(n, rng, branching):
    parent = [-1]
    while len(parent) < n:
        ancestors = [len(parent) - 1]
        while ancestors[-1] >= 0:
            ancestors.append(parent[ancestors[-1]])
        branch = rng.random() < branching
        parent.append(int(rng.choice(ancestors)) if branch else len(parent) - 1)
    return parent


def random_inertials(n, rng, armature=False):
    mass = rng.uniform(0.2, 3.0, n)
    com = rng.uniform(-0.3, 0.3, (n, 3))
    inertia = np.zeros((n, 3, 3))
    for i in range(n):
        points = rng.normal(0.0, 0.2, (3, 6))
        second = mass[i] * points @ points.T / 6 + mass[i] * np.outer(com[i], com[i])
        inertia[i] = np.trace(second) * np.eye(3) - second
    rotors = rng.uniform(0.1, 2.0, n) * armature
    return make_inertials(mass, mass[:, None] * com, inertia, rotors, rng.uniform(-10, 10, 3))


def from_dh(links, gravity):
    """Return Geometry and Inertials of the papers' rows; frame i + 1 is G_i Tx(a) Rx(alpha)."""
    n = len(links)
    value = {key: np.array([link[key] or 0.0 for link in links]) for key in ('a', 'b', 'alpha',
                                                                            'theta')}
    a, alpha = np.r_[0.0, value['a'][:-1]], np.r_[0.0, value['alpha'][:-1]]
    prismatic = [link['joint'] == 'P' for link in links]
    d = np.stack([a, -value['b'] * np.sin(alpha), value['b'] * np.cos(alpha)], axis=1)
    geometry = make_geometry(np.arange(n) - 1, prismatic, np.zeros(n), alpha, value['theta'], d)
    moment, inertia = np.zeros((n, 3)), np.zeros((n, 3, 3))
    for i, link in enumerate(links):
        ca, sa = np.cos(link['alpha']), np.sin(link['alpha'])
        turn = np.array([[1.0, 0, 0], [0, ca, -sa], [0, sa, ca]])
        com = turn @ np.array(link['com_frame_ip1']) + np.array([link['a'], 0.0, 0.0])
        moment[i] = link['mass'] * com
        inertia[i] = (turn @ np.array(link['inertia_com_frame_ip1']) @ turn.T
                      + link['mass'] * (com @ com * np.eye(3) - np.outer(com, com)))
    return geometry, make_inertials([link['mass'] for link in links], moment, inertia,
                                    gravity=gravity)


def paper_robot(name):
    case = PAPERS[name]
    return from_dh(case['robot']['links'], case['gravity'])


def two_bodies():
    """Return the planar two-body arm of Mata2002, section 5.1, in the truth file's numbers."""
    robot = PAPERS['ascher_two_body']['robot']
    links = []
    for length, mass in zip(robot['l'], robot['mass'], strict=True):
        width = robot['width']
        about_com = np.diag([0.0, 0.0, mass * (length**2 + width**2) / 12])
        links.append({'joint': 'R', 'a': length, 'b': 0.0, 'alpha': 0.0, 'theta': None,
                      'mass': mass, 'com_frame_ip1': [-length / 2, 0.0, 0.0],
                      'inertia_com_frame_ip1': about_com})
    return from_dh(links, robot['gravity'])


def case(name, *args, **options):
    return (name, *random_tree(*args, **options))


ROBOTS = [
    case('one', 1, 0, branching=0),
    case('chain 6R', 6, 1, branching=0, prismatic=0.0),
    case('chain 6', 6, 2, branching=0),
    case('square chain 7', 7, 3, branching=0, square=True),
    case('chain 30', 30, 4, branching=0),
    case('chain 100', 100, 5, branching=0),
    case('rotors 8', 8, 6, branching=0, armature=True),
    case('tree 12', 12, 7, branching=0.4),
    case('tree 25 with rotors', 25, 8, branching=0.3, armature=True),
    case('square tree 20', 20, 9, branching=0.5, square=True),
    ('puma_rods', *paper_robot('puma_rods')),
    ('stanford', *paper_robot('stanford')),
]
NAMES = [robot[0] for robot in ROBOTS]


def random_state(geometry, seed):
    """Return q, qd and a third vector for accelerations or torques."""
    rng = np.random.default_rng(seed)
    return rng.uniform(-2.0, 2.0, (3, len(geometry.parent)))


def relative_error(found, expected):
    return np.max(np.abs(found - expected)) / max(1e-3, np.max(np.abs(expected)))
