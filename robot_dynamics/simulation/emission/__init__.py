"""Writes loops of fixed steps as machine code."""
