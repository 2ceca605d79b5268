"""Compiles, keeps, loads and calls machine code; answers without it meanwhile."""
