"""Hold an arm still, with a load in its hand.

An arm is held still by torques that balance gravity. With a load in the hand they are other
torques: `with_payload` gives the robot that knows of it, at once, since masses are arguments of
the compiled code. Here a controller compensates gravity and adds a little damping; one that has
not been told of the load sinks. The picture shows that: `joint_4` gives way until it strikes its
stop at 0.54 s, which jolts the other joints, and the damping with them: the spikes in the efforts.
"""

import numpy as np

import robot_dynamics as rd

empty = rd.load('panda_like')
loaded = empty.with_payload('flange', mass=2.0, com=[0, 0, 0.1])  # [kg], [m] in the flange's axes

ready = np.array([0, -0.785, 0, -2.356, 0, 1.571, 0.785])  # [rad]
print('empty: ', empty.gravity_torque(ready).round(2))  # [N m]
print('loaded:', loaded.gravity_torque(ready).round(2))


def compensate(model):
    """Return the control law that a model of the arm gives."""
    return lambda t, q, qd: model.gravity_torque(q) - 1.0 * qd


times = np.linspace(0, 1, 101)
told = rd.simulate(loaded, ready, np.zeros(7), compensate(loaded), times, method='rk4')
sinks = rd.simulate(loaded, ready, np.zeros(7), compensate(empty), times, method='rk4')
print(f'told of the load, it moves by {np.abs(told.q[-1] - ready).max():.1e} rad,',
      f'else by {np.abs(sinks.q[-1] - ready).max():.2f} rad')
assert np.abs(told.q[-1] - ready).max() < 1e-9
sinks.plot('gravity_compensation.png', ('q', 'tau'))
