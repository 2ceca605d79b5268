"""What the nodes do, without ROS.

The simulator node and the controller node are thin skins over plain classes. Here both run in one
loop: the simulated robot is moved on by cycles of 4 ms, the momentum observer looks at it from
outside and finds the push that nobody told it of. `LiveRobot` is not imported from
`robot_dynamics` itself; this page names it, so that it is as public as what is.
"""

import matplotlib
import numpy as np

import robot_dynamics as rd
from robot_dynamics.simulation.live.live_robot import LiveRobot

matplotlib.use('Agg')
import matplotlib.pyplot as plt

robot = rd.load('panda_like')
ready = np.array([0, -0.785, 0, -2.356, 0, 1.571, 0.785])
arm = LiveRobot(robot)  # what the simulator node moves
arm.place(ready, np.zeros(7))
law = rd.ComputedTorque(robot, ready, gain=10.0)  # what the controller node sends
observer = rd.MomentumObserver(robot, gain=50.0)  # what finds external torques

cycle, rows = 0.004, []
push = np.array([0, 0, 0, 5.0, 0, 0, 0])  # [N m], between 0.3 and 0.6 s
for k in range(250):
    t = k * cycle
    tau = law(t, arm.q, arm.qd)
    arm.advance(tau + push * (0.3 <= t < 0.6), cycle / 4, 4)
    found = observer.update(t + cycle, arm.q, arm.qd, tau)
    rows.append([arm.q - ready, found])
gone, found = np.array(rows).transpose(1, 0, 2)
print('found at 0.55 s:', found[137].round(2), 'N m')
assert np.abs(found[137] - push).max() < 0.1

t = cycle * np.arange(1, 251)
figure, axes = plt.subplots(2, sharex=True, figsize=(7, 5), layout='constrained')
axes[0].plot(t, push[3] * ((t > 0.3) & (t <= 0.6)), 'k--', label='push on joint_4')
axes[0].plot(t, found, label=[f'found at {name}' for name in robot.joint_names])
axes[0].set_ylabel('external torque [N m]')
axes[1].plot(t, gone)
axes[1].set(xlabel='time [s]', ylabel='away from ready [rad]')
figure.legend(loc='outside right upper')
figure.savefig('nodes_without_ros.png', dpi=110)
