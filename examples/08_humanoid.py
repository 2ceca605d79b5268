"""A humanoid in free fall: a floating base has the same verbs too.

`base='floating'` gives the root link six degrees of freedom: q begins with its position and
quaternion, the rates with its angular and linear velocity. The robot is thrown up, tumbles and
waves. Nothing holds it, so that the mass centre flies as a stone does, and the angular momentum
about it stays what it was, however the base is turned about by what the limbs do.
"""

import matplotlib
import numpy as np

import robot_dynamics as rd

matplotlib.use('Agg')
import matplotlib.pyplot as plt

robot = rd.load('humanoid', base='floating')
print(robot.nq, 'values,', robot.nv, 'rates:', robot.joint_names[:7], '...')
lower, upper, effort = (values[6:] for values in (  # six of the base come first
    robot.limits.lower, robot.limits.upper, robot.limits.effort))
rest = (lower + upper) / 2
q = np.concatenate([robot.neutral[:7], rest])
qd = np.concatenate([[0.5, 1.0, 0.2, 0, 0, 2.0], np.zeros(robot.nv - 6)])  # omega, v of the base


def wave(t, q, qd):
    """Return torques of the joints alone: nothing acts on the base."""
    there = rest + 0.15 * (upper - lower) * np.sin(6 * t + np.arange(robot.nv - 6))
    return np.concatenate([np.zeros(6), effort * (2.0 * (there - q[7:]) - 0.1 * qd[6:])])


path = rd.simulate(robot, q, qd, wave, np.linspace(0, 0.8, 81), rtol=1e-9, atol=1e-9)
momentum = robot.centroidal_momentum(path.q, path.qd)
height = robot.center_of_mass(path.q)[:, 2]
stone = height[0] + momentum[0, 5] / robot.total_mass * path.t - 9.81 / 2 * path.t**2
print(f'angular momentum changes by {np.ptp(momentum[:, :3], axis=0).max():.0e} N m s')
print(f'the mass centre is off the parabola by {np.abs(height - stone).max():.0e} m')
assert np.ptp(momentum[:, :3], axis=0).max() < 1e-5 and np.abs(height - stone).max() < 1e-6

figure, axes = plt.subplots(3, sharex=True, figsize=(7, 7), layout='constrained')
axes[0].plot(path.t, np.stack([path.q[:, 2], height], 1), label=['base', 'mass centre'])
axes[0].plot(path.t, stone, 'k--', label='a stone')
axes[1].plot(path.t, path.qd[:, :3], label=['about x', 'about y', 'about z'])
axes[2].plot(path.t, momentum[:, :3], label=['about x', 'about y', 'about z'])
for axis, text in zip(axes, ('height [m]', 'base turns [rad/s]', 'momentum [N m s]'), strict=True):
    axis.set_ylabel(text)
    axis.legend(loc='center left', bbox_to_anchor=(1, 0.5))
axes[2].set_xlabel('time [s]')
figure.savefig('humanoid.png', dpi=110)
