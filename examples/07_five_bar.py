"""A five-bar linkage: a closed loop has the same verbs.

A mechanism file names a URDF, where its loops close, and which joints have motors. What it loads
answers in the coordinates of its motors: two angles, two torques. The other joints follow.
"""

import numpy as np

import robot_dynamics as rd

linkage = rd.load('five_bar')
print(linkage, 'formulated by', linkage.formulation)
q = np.array([0.5236, 0.5236])  # [rad] of the two motors
for name, value in zip(linkage.tree_joint_names, linkage.assemble(q), strict=True):
    print(f'{name:15} {value:7.4f} rad')
print('torques at rest:', linkage.gravity_torque(q).round(3), 'N m')
print('inertia the motors feel:', linkage.inertia_matrix(q).round(4).tolist())

motion = rd.cycloidal(q, q + np.array([0.25, -0.2]), 1.0)
law = rd.ComputedTorque(linkage, motion, gain=20.0)
path = rd.simulate(linkage, q, np.zeros(2), law, np.linspace(0, 1, 101))
closed = max(np.abs(linkage.closure_error(tree)).max() for tree in path.q_tree)
print(f'loops stay closed within {closed:.0e}')
assert closed < 1e-8
path.plot('five_bar.png', ('q', 'tau', 'energy'))
