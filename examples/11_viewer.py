"""See it move: a page in the browser.

`rd.view` serves a page with the robot on it, on this machine alone; `page.show` moves the robot,
from a simulation or from whatever runs. It takes the extra `viewer`: `pip install '.[viewer]'` in
a checkout. With `--no-browser` no browser is opened, and it does not wait.
"""

import sys
import time

import numpy as np

import robot_dynamics as rd

robot = rd.load('panda_like')
watched = '--no-browser' not in sys.argv
page = rd.view(robot, browser=watched, port=8080 if watched else 0)
print('the robot is on', page.address)

start = np.array([0, -0.785, 0, -2.356, 0, 1.571, 0.785])
goal = start + np.array([1.2, 0.6, 0, 0.8, 0, 0.6, 1.0])
motion = rd.cycloidal(start, goal, 2.0)
law = rd.ComputedTorque(robot, motion, gain=10.0)
path = rd.simulate(robot, start, np.zeros(7), law, np.linspace(0, 2, 61), method='rk4')
for q in path.q:
    page.show('panda_like', q)
    time.sleep(1 / 30 if watched else 0)
page.close()
