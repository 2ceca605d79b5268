"""Writes programs as LLVM code: arithmetic, loops over a batch, the function Python calls."""
