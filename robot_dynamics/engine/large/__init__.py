"""Robots too large to be traced: algorithms whose loops over the links stay loops."""
