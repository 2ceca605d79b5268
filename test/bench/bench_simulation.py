"""Measures motion: energy over 60 s, steps per second beside MuJoCo's, a batch beside its rollout.

    python test/bench/bench_simulation.py [--json]

The arm is the Panda without its hand, frictionless, contacts off, the same integrator (RK4) and
step (1 ms) for both, in one run, in turns.
"""

import argparse
import json
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
STEP, STEPS, ARMS, ROUNDS = 1e-3, 20_000, 1000, 5


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


def best(function):
    """Return the shortest time of some rounds."""
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        function()
        times.append(time.perf_counter() - began)
    return min(times)


def single(robot):
    """Return microseconds per step of one arm."""
    def ours():
        rd.simulate(robot, START, np.zeros(7), None, [0.0, STEPS * STEP], method='rk4', step=STEP,
                    limits=False)
    ours()
    result = {'ours': best(ours) / STEPS * 1e6}
    for name, limits in (('mj_step, constraints off too', False), ('mj_step', True)):
        model = mujoco_model(robot, limits=limits)
        data = mujoco.MjData(model)

        def theirs(model=model, data=data):
            mujoco.mj_resetData(model, data)
            data.qpos[:] = START
            mujoco.mj_step(model, data, nstep=STEPS // 10)
        theirs()
        result[name] = best(theirs) / (STEPS // 10) * 1e6
        result[f'times {name}'] = result[name] / result['ours']
    return result


def batch(robot, steps=100):
    """Return microseconds per step and arm of 1,000 arms, on all cores for both."""
    from robot_dynamics.engine.calls import cores
    generator = np.random.default_rng(1)
    q0 = START + generator.uniform(-0.2, 0.2, (ARMS, 7))
    times = np.array([0.0, steps * STEP])

    def ours():
        rd.simulate(robot, q0, np.zeros(7), None, times, method='rk4', step=STEP, limits=False)
    ours()
    threads = cores()
    result = {'threads': threads, 'ours': best(ours) / steps / ARMS * 1e6}
    for name, limits in (('rollout, constraints off too', False), ('rollout', True)):
        model = mujoco_model(robot, limits=limits)
        datas = [mujoco.MjData(model) for _ in range(threads)]
        state = np.zeros((ARMS, mujoco.mj_stateSize(model,
                                                    mujoco.mjtState.mjSTATE_FULLPHYSICS)))
        state[:, 1:8] = q0
        with mujoco.rollout.Rollout(nthread=threads) as pool:
            def theirs(pool=pool, model=model, datas=datas, state=state):
                pool.rollout(model, datas, state, nstep=10)
            theirs()
            result[name] = best(theirs) / 10 / ARMS * 1e6
        result[f'times {name}'] = result[name] / result['ours']
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--json', action='store_true')
    args = parser.parse_args()
    robot = panda()
    report = {'energy over 60 s': energy(robot), 'one arm [us per step]': single(robot),
              f'{ARMS} arms [us per step and arm]': batch(robot)}
    if args.json:
        print(json.dumps(report, indent=2))
        return
    for title, numbers in report.items():
        print(title)
        for name, value in numbers.items():
            print(f'  {name:<60} {value:.4g}')


if __name__ == '__main__':
    main()
