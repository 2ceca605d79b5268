"""What `robot-dynamics bench` measures."""
