"""Robot: the one object users hold.

base.py: what a robot is; changes.py: how another is made of it; motion.py, kinematics.py and
derivatives.py: its verbs, each a kernel;
stacks.py: many robots in one call, made by stacking.py and variants.py, of those in members.py.
"""

from robot_dynamics.robot.robot import Robot

__all__ = ['Robot']
