"""A humanoid in free fall: a floating base has the same verbs too.

`base='floating'` gives the root link six degrees of freedom: q begins with its position and
quaternion, the rates with its angular and linear velocity. Nothing holds the robot, it tumbles
and waves; its angular momentum about the mass centre does not change, and the mass centre falls
as a stone does.
"""

import numpy as np

import robot_dynamics as rd

robot = rd.load('humanoid', base='floating', friction=False)
print(robot.nq, 'values,', robot.nv, 'rates:', robot.joint_names[:7], '...')
q, qd = robot.neutral, np.zeros(robot.nv)
qd[:3] = [0.5, 1.0, 0.2]  # it tumbles [rad/s]


def wave(t, q, qd):
    """Return torques of the joints alone: nothing acts on the base."""
    return np.concatenate([np.zeros(6), 2 * np.sin(8 * t + np.arange(robot.nv - 6))])


path = rd.simulate(robot, q, qd, wave, np.linspace(0, 0.5, 51), limits=False, rtol=1e-9, atol=1e-9)
momentum = robot.centroidal_momentum(path.q, path.qd)
height = robot.center_of_mass(path.q)[:, 2]
fall = height[0] + momentum[0, 5] / robot.total_mass * path.t - 9.81 / 2 * path.t**2
print('angular momentum changes by', np.ptp(momentum[:, :3], axis=0).max())
print('the mass centre is off a parabola by', np.abs(height - fall).max(), 'm')
assert np.ptp(momentum[:, :3], axis=0).max() < 1e-5 and np.abs(height - fall).max() < 1e-6
path.plot('humanoid.png', ('q', 'qd', 'energy'))
