"""Choosing an arm: criteria of dynamics and kinematics over candidates, sizing, a report."""
