"""From descriptions to models: bodies, DH trees, frozen DeNOC arrays."""
