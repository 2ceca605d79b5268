"""The inverse_dynamics node: answers joint states with efforts."""
