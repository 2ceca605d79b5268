"""What watches or drives a robot while its states arrive."""
