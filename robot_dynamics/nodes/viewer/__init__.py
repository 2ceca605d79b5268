"""The viewer node: a live robot on a page, and commands from it where they are allowed."""
