"""The simulator node: moves a robot under efforts, in real time."""
