"""Mechanisms that others wrote, where they lie beside the repository: ../shared/loops.

None of them says where it starts; the oracle finds a closed pose, and joints that determine it.
"""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
from mechanism.oracle import MechanismOracle
from mechanism.random_mechanisms import independent_joints

from robot_dynamics.description.mechanism import read_mechanism

LOOPS = Path(__file__).parents[3] / 'shared' / 'loops'
FILES = ('gepetto_delta/robot.yaml', 'urdf_plus/four_bar.urdf', 'urdf_plus/six_bar.urdf',
         'urdf_plus/planar_leg_linkage.urdf', 'constraint_element/fivebar_linkage.urdf.xacro',
         'mjcf/robotiq_2f85.xml')
# The five-bar's file for the tool is not among those shared: a frame that slides in its plane.
TOOL = """<robot>
  <link name="tool_y"/><link name="tool0"/>
  <joint name="tool_slide_y" type="prismatic"><parent link="base_link"/><child link="tool_y"/>
    <origin xyz="0.289 0 0.769"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="tool_slide_z" type="prismatic"><parent link="tool_y"/><child link="tool0"/>
    <axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
</robot>"""


def shared_file(file, folder):
    """Return the path and the arguments to read it with; folder: for files that are added."""
    if not file.startswith('constraint'):
        return LOOPS / file, {}
    for name in (LOOPS / file).parent.glob('*.xacro'):
        shutil.copy(name, folder)
    (folder / 'fivebar_linkage.moveit.xacro').write_text(TOOL)
    arguments = {'sim': 'false', 'planning': 'true', 'constraints': 'true'}
    return folder / Path(file).name, {'xacro_args': arguments}


def shared_mechanism(file, folder):
    """Return the record of a shared mechanism, with a start and what is independent."""
    path, arguments = shared_file(file, folder)
    record = read_mechanism(path, **arguments)
    return with_start(record, np.random.default_rng(7))


def with_start(record, rng):
    """Return the record with a closed pose as its start, and joints that determine the rest."""
    oracle = MechanismOracle(record)
    for _ in range(50):
        try:
            q = oracle.closed(oracle.start + rng.uniform(-0.5, 0.5, len(oracle.names)))
        except ValueError:
            continue
        chosen = independent_joints(oracle, q, record.independent or record.actuated or ())
        start = dict(zip(oracle.names, map(float, q), strict=True))
        found = replace(record, start=start, independent=chosen,
                        actuated=record.actuated or chosen)
        if chosen and MechanismOracle(found).condition(q) < 1e3:
            return found
    raise AssertionError(f'{record.where}: no closed pose found')
