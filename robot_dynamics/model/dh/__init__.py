"""Denavit-Hartenberg tables: rows, the choice of frames, text and files."""
