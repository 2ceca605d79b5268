"""Follow a motion.

Computed torque makes up for the arm's own dynamics, so that the errors of all joints die out at
one rate, the gain. The arm begins a little beside the motion; the plot has the reference
(dashed), the error, and the limits of the joints. A load that the controller knows nothing of
leaves an error behind. So does dry friction (this arm has none): a joint may stand still until
its error has become so large that the torque exceeds it.
"""

import numpy as np

import robot_dynamics as rd

robot = rd.load('panda_like')
start = np.array([0, -0.785, 0, -2.356, 0, 1.571, 0.785])
goal = start + np.array([0.8, 0.5, -0.6, 0.7, 0.5, -0.4, 0.9])
motion = rd.quintic(start, goal, 1.5)  # also cycloidal, trapezoidal, straight_line

law = rd.ComputedTorque(robot, motion, gain=15.0)  # lambda [1/s]
times = np.linspace(0, 2, 201)
path = rd.simulate(robot, start + 0.05, np.zeros(7), law, times, method='rk4')
print(f'error at the end: {np.abs(path.q[-1] - goal).max():.1e} rad')
assert np.abs(path.q[-1] - goal).max() < 1e-4

heavier = robot.with_payload('flange', mass=1.0)
off = rd.simulate(heavier, start, np.zeros(7), law, times, method='rk4')
print(f'with a load it does not know: {np.abs(off.q[-1] - goal).max():.3f} rad')
path.plot('tracking.png', ('q', 'tau'))
