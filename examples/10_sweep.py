"""Sweep a workspace.

A verb over a space of states: 160,000 poses here, millions on a cluster. Results go to a folder
chunk by chunk; a sweep that was killed goes on where it was when the same call is made again. It
takes the extra `cluster`: `pip install '.[cluster]'` in a checkout.
"""

import matplotlib
import numpy as np
import zarr

import robot_dynamics as rd

matplotlib.use('Agg')
import matplotlib.pyplot as plt

robot = rd.load('panda_like')
joint_2, joint_4 = np.linspace(-1.7, 1.7, 400), np.linspace(-3.0, -0.1, 400)
space = rd.Grid({'q.joint_1': [0.0], 'q.joint_2': joint_2, 'q.joint_3': [0.0],
                 'q.joint_4': joint_4, 'q.joint_5': [0.0], 'q.joint_6': [1.57],
                 'q.joint_7': [0.8]})
done = rd.sweep('gravity_torque', space, 'torques.zarr', robot=robot, workers=1)
print(f'{done.points} points, {done.computed} of {done.chunks} chunks computed')
again = rd.sweep('gravity_torque', space, 'torques.zarr', robot=robot, workers=1)
print(f'the same call again: {again.computed} computed')
assert again.computed == 0  # all of it is there

torque = zarr.open(done.output, mode='r')['gravity_torque'][:, 1].reshape(400, 400)
print('the shoulder gives up to', np.abs(torque).max().round(1), 'of 87 N m')
figure, axis = plt.subplots(figsize=(6, 4.5), layout='constrained')
image = axis.pcolormesh(joint_4, joint_2, torque, cmap='RdBu', shading='nearest')
axis.set(xlabel='joint_4 [rad]', ylabel='joint_2 [rad]', title='torque that holds joint_2')
figure.colorbar(image, label='[N m]')
figure.savefig('sweep.png', dpi=110)
