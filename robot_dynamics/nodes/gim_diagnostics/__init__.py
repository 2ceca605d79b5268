"""The gim_diagnostics node: judges and draws the inertia matrix."""
