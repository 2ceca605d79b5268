"""Measures motion: energy over 60 s, steps per second beside MuJoCo's, a batch beside its rollout.

    python test/bench/bench_simulation.py [--json]

The arm is the Panda without its hand, frictionless, contacts off, the same integrator (RK4) and
step (1 ms) for both, in one run, in turns.
"""

import argparse
import json
import os
import sys
import time
import warnings
from pathlib import Path

import mujoco
import mujoco.rollout
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from oracle import ROBOTS

import robot_dynamics as rd

START = np.array([0.1, 0.3, 0.2, -1.5, 0.3, 1.0, 0.0])
STEP, ALONE, TOGETHER, ARMS, ROUNDS = 1e-3, 20_000, 200, 1000, 25
NAMES = {'contacts off': True, 'all constraints off': False}


def panda():
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return rd.load(ROBOTS / 'panda_description/urdf/panda.urdf', tip='panda_link8',
                       friction=False)


def mujoco_model(robot, *, limits):
    """Return MuJoCo's model of the arm; limits: leave its constraint solver on, contacts off."""
    model = mujoco.MjModel.from_xml_string(robot.to_urdf())
    flags = mujoco.mjtDisableBit
    model.opt.disableflags = int(flags.mjDSBL_CONTACT if limits else
                                 flags.mjDSBL_CONTACT | flags.mjDSBL_CONSTRAINT)
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.timestep = STEP
    model.dof_damping[:] = 0
    return model


def energy(robot):
    """Return how well 60 s of free fall keep the energy."""
    rest = np.zeros(7)
    exact = rd.simulate(robot, START, rest, None, np.linspace(0, 60, 6001), method='DOP853',
                        rtol=1e-10, atol=1e-12, limits=False)
    result = {'DOP853, largest relative change':
              float(np.abs(exact.energy - exact.energy[0]).max() / abs(exact.energy[0]))}
    for method in ('implicit_midpoint', 'gauss4'):
        found = rd.simulate(robot, START, rest, None, 60.0, method=method, step=STEP,
                            limits=False)
        change = (found.energy - found.energy[0]) / found.kinetic.max()
        late = found.t >= 50
        result[f'{method}, largest change over peak kinetic energy'] = float(np.abs(change).max())
        result[f'{method}, mean of the last 10 s'] = float(abs(change[late].mean()))
    return result


def in_turns(functions):
    """Return the shortest time of each function over rounds in which all take their turn.

    The shortest is what a function takes when nothing else has the processor.
    """
    times = {name: [] for name in functions}
    for function in functions.values():
        function()
    for _ in range(ROUNDS):
        for name, function in functions.items():
            began = time.perf_counter()
            function()
            times[name].append(time.perf_counter() - began)
    return {name: min(found) for name, found in times.items()}


def compared(functions, steps, arms=1):
    """Return microseconds per step (and arm) of each, and how many times ours each takes.

    Theirs take a tenth of our steps, so that both take about as long.
    """
    found = {name: x / arms / (steps if name == 'ours' else steps // 10) * 1e6
             for name, x in in_turns(functions).items()}
    return {**found, **{f'{name} / ours': x / found['ours'] for name, x in found.items()
                        if name != 'ours'}}


def single(robot):
    """Return microseconds per step of one arm."""
    def ours():
        rd.simulate(robot, START, np.zeros(7), None, [0.0, ALONE * STEP], method='rk4', step=STEP,
                    limits=False)
    functions = {'ours': ours}
    for name, limits in NAMES.items():
        model = mujoco_model(robot, limits=limits)
        data = mujoco.MjData(model)

        def theirs(model=model, data=data):
            mujoco.mj_resetData(model, data)
            data.qpos[:] = START
            mujoco.mj_step(model, data, nstep=ALONE // 10)
        functions[f'mj_step, {name}'] = theirs
    return compared(functions, ALONE)


def batch(robot, threads):
    """Return microseconds per step and arm of 1,000 arms on some threads."""
    generator = np.random.default_rng(1)
    q0 = START + generator.uniform(-0.2, 0.2, (ARMS, 7))
    times = np.array([0.0, TOGETHER * STEP])

    def ours():
        rd.simulate(robot, q0, np.zeros(7), None, times, method='rk4', step=STEP, limits=False)
    functions = {'ours': ours}
    pools = []
    for name, limits in NAMES.items():
        model = mujoco_model(robot, limits=limits)
        datas = [mujoco.MjData(model) for _ in range(threads)]
        state = np.zeros((ARMS, mujoco.mj_stateSize(model,
                                                    mujoco.mjtState.mjSTATE_FULLPHYSICS)))
        state[:, 1:8] = q0
        pools.append(mujoco.rollout.Rollout(nthread=threads))

        def theirs(pool=pools[-1], model=model, datas=datas, state=state):
            pool.rollout(model, datas, state, nstep=TOGETHER // 10)
        functions[f'rollout, {name}'] = theirs
    result = compared(functions, TOGETHER, ARMS)
    for pool in pools:
        pool.close()
    return result


def batches(robot):
    """Return the batch on one core, then on all there are, for both."""
    available = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(available)})
    report = {f'{ARMS} arms, 1 thread [us per step and arm]': batch(robot, 1)}
    os.sched_setaffinity(0, available)
    many = len(available)
    if many > 1:
        report[f'{ARMS} arms, {many} threads [us per step and arm]'] = batch(robot, many)
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--json', action='store_true')
    args = parser.parse_args()
    robot = panda()
    report = {'energy over 60 s': energy(robot), 'one arm [us per step]': single(robot),
              **batches(robot)}
    if args.json:
        print(json.dumps(report, indent=2))
        return
    for title, numbers in report.items():
        print(title)
        for name, value in numbers.items():
            print(f'  {name:<60} {value:.4g}')


if __name__ == '__main__':
    main()
