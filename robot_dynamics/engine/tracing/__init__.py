"""Runs algorithms over symbols: from a robot to a straight-line program."""
