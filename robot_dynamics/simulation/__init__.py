"""Motion in time: integrators, reference motions, control laws, trajectories."""
