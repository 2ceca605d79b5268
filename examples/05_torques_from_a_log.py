"""Torques from a log.

A log has times and joint values, with noise. `rd.from_file` reads CSV, NPZ and rosbag2, filters
without delay and differentiates twice; inverse dynamics does the rest. Here the log is made
first, so that the true torques are known.
"""

import numpy as np

import robot_dynamics as rd

robot = rd.load('panda_like')
start = np.array([0, -0.785, 0, -2.356, 0, 1.571, 0.785])
t = np.arange(0, 3, 0.005)
true = rd.cycloidal(start, start + 0.6, 3.0)(t)
noisy = true[0] + np.random.default_rng(1).normal(0, 1e-4, true[0].shape)
table = np.column_stack([t, noisy])
heads = ','.join(['t', *(f'q.{name}' for name in robot.joint_names)])
np.savetxt('log.csv', table, delimiter=',', header=heads, comments='')

motion = rd.from_file('log.csv', robot.joint_names, filter=3.0)  # [Hz]
q, qd, qdd = motion(t)
tau, exact = robot.inverse_dynamics(q, qd, qdd), robot.inverse_dynamics(*true)
print(f'largest torque {np.abs(exact).max():.2f} N m,',
      f'largest error {np.abs(tau - exact).max():.2f} N m')
assert np.abs(tau - exact).max() < 0.05 * np.abs(exact).max()

nothing = np.zeros(len(t))
log = rd.Trajectory(robot.joint_names, t, q, qd, qdd, tau, nothing, nothing)
log.plot('torques_from_a_log.png', ('q', 'qdd', 'tau', 'power'))
