"""A robot that moves a few steps at a time under commands: what the simulator node runs."""
