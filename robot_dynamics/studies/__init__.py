"""The papers' experiments: their arms, their numbers beside ours."""
