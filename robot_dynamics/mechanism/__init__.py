"""Mechanisms: robots whose loops are closed, with the verbs of a robot over fewer joints."""
