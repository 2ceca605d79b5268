"""The command robot-dynamics: one file per sub-command."""
