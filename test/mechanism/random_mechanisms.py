"""Random mechanisms for property tests: planar and spatial loops with every kind of cut.

Each is a tree of random links whose loops are cut so that they close at a random pose, `start`.
"""

import numpy as np
import pinocchio as pin
import yaml
from mechanism.cut_rows import ROWS
from mechanism.oracle import MechanismOracle
from mechanism.pinocchio_tree import Tree
from urdf_text import joint, robot

from robot_dynamics.description.mechanism import (
    CUT_JOINTS,
    Coupling,
    CutFrame,
    Loop,
    MechanismRecord,
)
from robot_dynamics.description.source import read_description

KINDS = (
    'planar four-bar', 'planar five-bar', 'planar six-bar of two loops', 'RSSR',
    *(f'{cut} cut' for cut in CUT_JOINTS), *(f'{cut} cut to world' for cut in CUT_JOINTS),
    'two loops', 'three loops', 'mimic joint', 'coupling')


def random_mechanism(rng, kind):
    """Return the record of a random mechanism and the text of its URDF."""
    for _ in range(200):
        record, text = _attempt(rng, kind)
        if record is not None:
            return record, text
    raise AssertionError(f'no {kind} found')


def _attempt(rng, kind):
    planar = 'bar' in kind
    branches, loops = _plan(rng, kind)
    if kind == 'RSSR':
        text = robot(*_rssr(rng), name='RSSR')
    else:
        text = robot(*_links(rng, branches, planar, kind == 'mimic joint'), name='random')
    tree = read_description(text)
    open_tree = Tree(tree, (0, 0, -9.81))
    q = rng.uniform(-1.2, 1.2, len(open_tree.names))
    q[[joint.startswith('p_') for joint in open_tree.names]] *= 0.2
    for name, mimic in open_tree.mimics.items():
        leader = open_tree.names.index(mimic.leader)
        q[open_tree.names.index(name)] = mimic.multiplier * q[leader] + mimic.offset
    cuts = tuple(_cut(rng, f'loop_{k}', cut, first, second, open_tree, q, planar)
                 for k, (cut, first, second) in enumerate(loops))
    couplings = ()
    if kind == 'coupling':
        names = [str(name) for name in rng.choice(open_tree.names, 3, replace=False)]
        values = [1.0, *rng.uniform(-2, 2, 2)]
        constant = sum(v * q[open_tree.names.index(n)] for n, v in zip(names, values, strict=True))
        couplings = (Coupling('gears', dict(zip(names, map(float, values), strict=True)),
                              float(constant)),)
    start = dict(zip(open_tree.names, map(float, q), strict=True))
    record = MechanismRecord(kind.replace(' ', '_'), kind, tree, cuts, couplings, start=start)
    free = MechanismOracle(record)
    chosen = independent_joints(free, q)
    record = MechanismRecord(record.name, kind, tree, cuts, couplings, actuated=chosen,
                             start=start)
    oracle = MechanismOracle(record)
    good = chosen and oracle.closure_error(q) < 1e-12 and oracle.condition(q) < 100
    return (record, text) if good else (None, text)


def _plan(rng, kind):
    """Return the number of joints of each branch, and (cut, end, end) of each loop."""
    if kind == 'planar four-bar':
        return [3], [('revolute', 'end_0', 'world')]
    if kind == 'planar five-bar':
        return [2, 2], [('revolute', 'end_0', 'end_1')]
    if kind == 'planar six-bar of two loops':
        return [2, 2, 2], [('revolute', 'end_0', 'end_1'), ('revolute', 'end_2', 'end_1')]
    if kind == 'RSSR':
        return [], [('spherical', 'coupler', 'rocker')]
    if kind.endswith(('cut', 'cut to world')):
        cut, total = kind.split()[0], len(ROWS[kind.split()[0]]) + int(rng.integers(1, 3))
        if kind.endswith('world'):
            return [total], [(cut, 'end_0', 'world')]
        return [total // 2, total - total // 2], [(cut, 'end_0', 'end_1')]
    count = {'two loops': 2, 'three loops': 3}.get(kind, 1)
    cuts = [str(rng.choice(CUT_JOINTS)) for _ in range(count)]
    total = sum(len(ROWS[cut]) for cut in cuts) + 2 + (kind in ('mimic joint', 'coupling'))
    ends = [*(f'end_{b}' for b in range(count)), 'world' if rng.random() < 0.3 else
            f'end_{count}']
    branches = count if ends[-1] == 'world' else count + 1
    sizes = [total // branches + (b < total % branches) for b in range(branches)]
    return sizes, [(cut, ends[k], ends[k + 1]) for k, cut in enumerate(cuts)]


def _links(rng, branches, planar, mimics):
    """Return the links and joints of branches that hang on a base; the last are end_0, ..."""
    parts = ['<link name="base"/>']
    turning = []
    for b, count in enumerate(branches):
        parent = 'base'
        for k in range(count):
            child = f'end_{b}' if k == count - 1 else f'l{b}_{k}'
            slides = not planar and rng.random() < 0.25
            name = f'{"p" if slides else "r"}_{b}_{k}'
            xyz = rng.uniform(-0.5, 0.5, 3) + (k > 0) * np.array([0.5, 0, 0])
            rpy = rng.uniform(-3, 3, 3)
            axis = rng.normal(size=3)
            if planar:
                xyz, rpy, axis = xyz * [1, 1, 0] + (k > 0) * np.array([0.3, 0, 0]), (
                    np.zeros(3)), np.array([0, 0, 1.0])
            extra = f'<dynamics damping="{rng.uniform(0, 0.3):.3f}" friction="0"/>'
            if mimics and turning and not slides:
                extra += (f'<mimic joint="{turning[0]}" multiplier="{rng.uniform(-2, 2):.3f}" '
                          f'offset="{rng.uniform(-1, 1):.3f}"/>')
                mimics = False
            turning += [] if slides else [name]
            parts += [_link(rng, child), joint(
                name, parent, child, type='prismatic' if slides else 'continuous',
                axis=_text(axis / np.linalg.norm(axis)), xyz=_text(xyz), rpy=_text(rpy),
                extra=extra)]
            parent = child
    return parts


def _rssr(rng):
    """Return a crank, a coupler on a ball at its end, and a rocker; the other ball is cut."""
    parts = ['<link name="base"/>', _link(rng, 'crank'), _link(rng, 'rocker'),
             '<link name="ball_x"/>', '<link name="ball_y"/>', _link(rng, 'coupler')]
    for name, parent, child, axis, xyz in (
            ('r_crank', 'base', 'crank', rng.normal(size=3), rng.uniform(-0.3, 0.3, 3)),
            ('r_ball_x', 'crank', 'ball_x', [1, 0, 0], [0.3, 0, 0]),
            ('r_ball_y', 'ball_x', 'ball_y', [0, 1, 0], [0, 0, 0]),
            ('r_ball_z', 'ball_y', 'coupler', [0, 0, 1], [0, 0, 0]),
            ('r_rocker', 'base', 'rocker', rng.normal(size=3), rng.uniform(0.5, 1, 3))):
        axis = np.array(axis, float)
        parts.append(joint(name, parent, child, type='continuous', xyz=_text(xyz),
                           axis=_text(axis / np.linalg.norm(axis))))
    return parts


def _link(rng, name):
    """Return a link with the mass of a few random points."""
    points, masses = rng.uniform(-0.3, 0.3, (4, 3)), rng.uniform(0.1, 1.0, 4)
    mass, com = masses.sum(), masses @ points / masses.sum()
    r = points - com
    I = sum(m * (v @ v * np.eye(3) - np.outer(v, v)) for m, v in zip(masses, r, strict=True))
    inertia = ' '.join(f'i{"xyz"[i]}{"xyz"[j]}="{I[i, j]:.17g}"'
                       for i in range(3) for j in range(i, 3))
    return (f'<link name="{name}"><inertial><origin xyz="{_text(com)}"/>'
            f'<mass value="{mass:.17g}"/><inertia {inertia}/></inertial></link>')


def _text(vector):
    return ' '.join(f'{value:.17g}' for value in vector)


def _cut(rng, name, cut, first, second, tree, q, planar):
    """Return a cut joint that is closed at q, its own motion anywhere."""
    data = tree.model.createData()
    pin.forwardKinematics(tree.model, data, q)
    T_A = pin.SE3(_turn(rng, planar), rng.uniform(-0.4, 0.4, 3) * ([1, 1, 0] if planar else 1))
    T_B = (_pose(tree, data, second).inverse() * _pose(tree, data, first) * T_A
           * _allowed(rng, cut, planar))
    return Loop(name, cut, (CutFrame(first, T_A.homogeneous), CutFrame(second, T_B.homogeneous)))


def _pose(tree, data, link):
    if link == 'world':
        return pin.SE3.Identity()
    index, T = tree.home[link]
    return data.oMi[index] * T


def _turn(rng, planar=False):
    if planar:
        return pin.AngleAxis(rng.uniform(-3, 3), np.array([0, 0, 1.0])).toRotationMatrix()
    axis = rng.normal(size=3)
    return pin.AngleAxis(rng.uniform(-3, 3), axis / np.linalg.norm(axis)).toRotationMatrix()


def _allowed(rng, cut, planar):
    """Return a motion between the frames that the cut joint allows."""
    def about(axis):
        return pin.AngleAxis(rng.uniform(-1, 1), np.eye(3)[axis]).toRotationMatrix()

    slide = rng.uniform(-0.3, 0.3, 3)
    return {
        'fixed': lambda: pin.SE3.Identity(),
        'revolute': lambda: pin.SE3(about(2), np.zeros(3)),
        'prismatic': lambda: pin.SE3(np.eye(3), slide * [0, 0, 1]),
        'cylindrical': lambda: pin.SE3(about(2), slide * [0, 0, 1]),
        'universal': lambda: pin.SE3(about(0) @ about(1), np.zeros(3)),
        'spherical': lambda: pin.SE3(_turn(rng, planar), np.zeros(3)),
        'planar': lambda: pin.SE3(about(2), slide * [1, 1, 0]),
    }[cut]()


def independent_joints(oracle, q_tree, prefer=()):
    """Return joints that determine the rest at a pose, preferred ones first."""
    _, C, _ = oracle.constraints(q_tree)
    _, values, Vt = np.linalg.svd(C)
    free = Vt[(values > 1e-9 * values.max(initial=1.0)).sum():].T  # (n, k): the motions left
    names, rest, chosen = list(oracle.names), free.copy(), []
    followers = set(oracle.tree.mimics)
    while len(chosen) < free.shape[1]:
        size = np.linalg.norm(rest, axis=1)
        size[[name in followers or name in chosen for name in names]] = 0.0
        wanted = [k for k, name in enumerate(names) if name in prefer and size[k] > 0.05]
        k = wanted[0] if wanted else int(np.argmax(size))
        if size[k] < 1e-6:
            return ()
        chosen.append(names[k])
        direction = rest[k] / size[k]
        rest = rest - np.outer(rest @ direction, direction)
    return tuple(name for name in names if name in chosen)


def native_text(record, robot_file):
    """Return the mechanism file of a record whose tree stands in robot_file."""
    loops = [{'name': loop.name, 'joint': loop.joint, 'between': [f.link for f in loop.frames],
              'at': [{'xyz': f.T[:3, 3].tolist(), 'rpy': pin.rpy.matrixToRpy(f.T[:3, :3]).tolist()}
                     for f in loop.frames]} for loop in record.loops]
    couplings = [{'name': c.name, 'joints': dict(c.coefficients), 'constant': c.constant}
                 for c in record.couplings]
    return yaml.safe_dump({
        'name': record.name, 'robot': robot_file, 'loops': loops, 'couplings': couplings,
        'actuated': list(record.actuated), 'start': dict(record.start)}, sort_keys=False)
