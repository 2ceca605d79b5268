"""From a URDF to a Denavit-Hartenberg table, and from a table to a robot.

The table has the convention of the papers: rotate theta about Z, move b along it, move a along
the new X, rotate alpha about that. Inertias are carried over; `hub` and `armature` are inertias
about the joint's axis alone, of what turns with the link and of the motor's rotor. The table is a
robot again, with the same torques; or write one yourself.
"""

import numpy as np

import robot_dynamics as rd

robot = rd.load('puma560')  # the arm of the papers; warnings say that its wrist is slender
print(robot.dh)
with open('puma560.yaml', 'w', encoding='utf-8') as file:
    file.write(robot.dh.to_yaml())

again = rd.load('puma560.yaml')
q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 6))
assert np.array_equal(robot.inverse_dynamics(q, qd, qdd), again.inverse_dynamics(q, qd, qdd))

upper = rd.DHRow(a=0.4, b=0, alpha=0, theta=0, mass=4, com=[-0.2, 0, 0], inertia=0.05 * np.eye(3))
lower = rd.DHRow(a=0.3, b=0, alpha=0, theta=0, mass=3, com=[-0.1, 0, 0], inertia=0.03 * np.eye(3))
slider = rd.DHRow(a=0, b=0, alpha=0, theta=0, joint='prismatic', mass=1, inertia=0.01 * np.eye(3))
scara = rd.Robot.from_dh([upper, lower, slider], name='scara')
print(scara.dh.to_markdown())
motion = rd.cycloidal([0, 0, 0], [1, -1, 0.1], 1.0)
rd.simulate(scara, [0, 0, 0], [0, 0, 0], rd.FeedForward(scara, motion), 1.0).plot('dh_table.png')
