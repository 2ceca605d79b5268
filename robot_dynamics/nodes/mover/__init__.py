"""The demo's mover: a robot that moves as told."""
