"""Panels beside the scene: torques against their limits, the GIM, energies. HTML and numbers."""
