"""Mechanisms beside Pinocchio's constraint dynamics and MuJoCo's equality constraints, one run.

Pinocchio is given assembled joint values and rates; our calls assemble them first, from a pose
near by or, without one, from the start. Its cuts are
points (3D): a revolute cut of a planar loop needs no more. MuJoCo steps with connect constraints.
The best of several rounds counts, ours and theirs in turn.
"""

import re
import tempfile
import time
from functools import partial
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
from digit_leg import write_leg

import robot_dynamics as rd
from robot_dynamics.description.mechanism import read_mechanism

URDF = Path(__file__).parents[2] / 'urdf'
NAMES = ('four_bar', 'five_bar', 'stewart', 'digit_leg', 'delta', 'palletizer')
METHODS = {'rk4': mujoco.mjtIntegrator.mjINT_RK4,
           'semi_implicit_euler': mujoco.mjtIntegrator.mjINT_EULER}
BATCH, STEPS, CALLS, ROUNDS = 4096, 4000, 200, 25


def best(functions, calls, rounds=ROUNDS):
    """Return the time of a call of each function in its best round [us], in turn."""
    times = np.empty((rounds, len(functions)))
    for row in times:
        for k, function in enumerate(functions):
            begin = time.perf_counter()
            for _ in range(calls):
                function()
            row[k] = (time.perf_counter() - begin) / calls
    return 1e6 * times.min(axis=0)


def pinocchio_call(file, mechanism, tree, rates, tau):
    """Return a call of constraintDynamics at an assembled state."""
    model = pin.buildModelFromUrdf(str(file.with_suffix('.urdf')))
    constraints = pin.StdVec_RigidConstraintModel()
    for loop in read_mechanism(file).loops:
        sides = []
        for frame in loop.frames:
            at = model.frames[model.getFrameId(frame.link)] if frame.link != 'world' else None
            sides += [0, pin.SE3(frame.T)] if at is None else [
                at.parentJoint, at.placement * pin.SE3(frame.T)]
        constraints.append(pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, model, *sides, pin.ReferenceFrame.LOCAL))
    parts, data = pin.StdVec_RigidConstraintData(), model.createData()
    for constraint in constraints:
        parts.append(constraint.createData())
    pin.initConstraintDynamics(model, data, constraints, parts)
    place = [model.joints[model.getJointId(x)].idx_v for x in mechanism.tree_joint_names]
    move, v, torque = (np.zeros(model.nv) for _ in range(3))
    move[place], v[place] = tree, rates
    q = pin.integrate(model, pin.neutral(model), move)  # continuous joints have two values
    for joint, x in zip(mechanism.joint_names, tau, strict=True):
        torque[model.joints[model.getJointId(joint)].idx_v] = x
    settings = pin.ProximalSettings(1e-12, 1e-12, 1)
    return lambda: pin.constraintDynamics(
        model, data, q, v, torque, constraints, parts, settings)


def mujoco_steps(file, tree, names, integrator, step=1e-3):
    """Return a function that takes STEPS steps of a mechanism in MuJoCo."""
    text = file.with_suffix('.urdf').read_text()
    text = re.sub(r'(i[xyz]{2})="0(\.0)?"', r'\1="1e-9"', text)  # rods: it wants thickness
    text = re.sub(r'(ixy|ixz|iyz)="1e-9"', r'\1="0"', text)
    spec = mujoco.MjSpec.from_string(text)
    spec.compiler.boundmass, spec.compiler.boundinertia = 1e-6, 1e-9  # of massless crosses
    spec.option.timestep = step
    spec.option.integrator = integrator
    for loop in read_mechanism(file).loops:
        first, second = loop.frames
        if first.link == 'world':
            first, second = second, first
        equality = spec.add_equality()
        equality.type = mujoco.mjtEq.mjEQ_CONNECT
        equality.objtype = mujoco.mjtObj.mjOBJ_BODY
        equality.name1, equality.name2 = first.link, second.link
        equality.data[:3] = first.T[:3, 3]
    model = spec.compile()
    data = mujoco.MjData(model)
    for joint, x in zip(names, tree, strict=True):
        data.qpos[model.joint(joint).qposadr[0]] = x

    def run():
        for _ in range(STEPS):
            mujoco.mj_step(model, data)
    return run


def measure(file):
    """Return times [us]: Pinocchio, forward, alone, inverse, in a batch, steps by METHODS."""
    mechanism = rd.load(file)
    n, generator = mechanism.n, np.random.default_rng(0)
    begin = mechanism.start[[mechanism.tree_joint_names.index(x) for x in mechanism.joint_names]]
    q, qd = begin + generator.uniform(-0.02, 0.02, n), 0.1 * generator.normal(size=n)
    tau, tree = generator.normal(size=n), mechanism.assemble(q, near=mechanism.start)
    *states, near = [np.tile(x, (BATCH, 1)) for x in (q, qd, tau, tree)]

    def forward():
        mechanism.forward_dynamics(q, qd, tau, near=tree)

    def alone():
        mechanism.forward_dynamics(q, qd, tau)

    def inverse():
        mechanism.inverse_dynamics(q, qd, tau, near=tree)

    def batch():
        mechanism.forward_dynamics(*states, near=near)

    for _ in range(2):
        forward()
        alone()
        inverse()
        batch()
        rd.wait_for_kernels()
    peer = pinocchio_call(file, mechanism, tree, mechanism.passive_rates(q, qd, near=tree), tau)
    times = [*best([peer, forward, alone, inverse], CALLS), best([batch], 1)[0] / BATCH]
    hold = mechanism.gravity_torque(q, near=tree)

    def simulate(method):
        rd.simulate(mechanism, q, np.zeros(n), hold, np.array([0.0, STEPS * 1e-3]), method=method,
                    step=1e-3, limits=False, near=tree)
    steps = []
    for method, integrator in METHODS.items():
        simulate(method)
        rd.wait_for_kernels()
        run = mujoco_steps(file, tree, mechanism.tree_joint_names, integrator)
        steps += [*(best([partial(simulate, method), run], 4, 7) / STEPS)]
    return *times, *steps


def main():
    print(f'{"":12}{"Pinocchio":>12}{"forward":>10}{"times":>7}'
          f'{"no near":>9}{"times":>7}{"inverse":>10}{"batch":>9}'
          f'{"times":>7} ' + ''.join(
              f'{name:>9}{"MuJoCo":>9}{"times":>7}' for name in ('rk4 step', 'Euler')))
    for name in NAMES:
        with tempfile.TemporaryDirectory() as folder:
            file = write_leg(Path(folder)) if name == 'digit_leg' else URDF / f'{name}.yaml'
            peer, forward, alone, inverse, batch, *steps = measure(file)
        print(f'{name:12}{peer:12.2f}{forward:10.2f}{peer / forward:7.1f}'
              f'{alone:9.2f}{peer / alone:7.1f}{inverse:10.2f}'
              f'{batch:9.3f}{peer / batch:7.1f} ' + ''.join(
                  f'{ours:9.2f}{theirs:9.2f}{theirs / ours:7.1f}'
                  for ours, theirs in zip(steps[::2], steps[1::2], strict=True)))


if __name__ == '__main__':
    main()
