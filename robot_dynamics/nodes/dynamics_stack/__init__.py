"""All nodes in one process: simulator, inverse_dynamics and gim_diagnostics."""
