"""Stacks: kernels over many robots of one structure, a state each."""
