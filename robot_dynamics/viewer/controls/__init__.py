"""What people set on the page: the pose, what acts on the robot, what is drawn, what is played."""
