"""ROS 2 nodes: thin skins over Robot, and the only place that imports rclpy."""
