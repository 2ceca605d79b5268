"""The robot on a page: what needs viser and no ROS."""
