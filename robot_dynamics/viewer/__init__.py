"""The robot on a page: a viewer for dynamics, in any browser. The only folder that imports viser.

page.py has the page, bodies.py what robots look like; `view` in opening.py is what users call.
"""
