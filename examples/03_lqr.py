"""Balance a double pendulum upright: LQR from exact derivatives.

`forward_dynamics_derivatives` are exact, not finite differences. At a pose where the robot rests
they are the matrices A and B of the linear system, and scipy's Riccati solver makes a regulator
of them. The double pendulum stands on its head, and stays there.
"""

import numpy as np
from scipy.linalg import solve_continuous_are

import robot_dynamics as rd

rod = rd.DHRow(a=1.0, b=0, alpha=0, theta=0, mass=1.0, com=[-0.5, 0, 0],
               inertia=np.diag([0.0, 1 / 12, 1 / 12]))
robot = rd.Robot.from_dh([rod, rod], gravity=(0, -9.81, 0), name='double_pendulum')

upright, rest = np.array([np.pi / 2, 0.0]), np.zeros(2)
hold = robot.gravity_torque(upright)
dq, dqd, dtau = robot.forward_dynamics_derivatives(upright, rest, hold)
A = np.block([[np.zeros((2, 2)), np.eye(2)], [dq, dqd]])
B = np.vstack([np.zeros((2, 2)), dtau])
P = solve_continuous_are(A, B, np.diag([100, 100, 1, 1]), np.eye(2))
K = B.T @ P
print('poles:', np.linalg.eigvals(A - B @ K).round(2))


def regulator(t, q, qd):
    """Return the torques of the regulator."""
    return hold - K @ np.concatenate([q - upright, qd])


start = upright + np.array([0.2, -0.3])
path = rd.simulate(robot, start, rest, regulator, np.linspace(0, 3, 301))
assert np.abs(path.q[-1] - upright).max() < 1e-3
path.plot('lqr.png')
