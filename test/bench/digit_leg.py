"""A leg like Digit's: a knee behind a four-bar, an ankle moved by two rods; closed at zero."""

from pathlib import Path

import yaml

LINK = """<link name="{0}"><inertial><origin xyz="{1}"/><mass value="{2}"/>
  <inertia ixx="{3}" iyy="{3}" izz="{4}" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/>
  <origin xyz="{3}"/><axis xyz="{4}"/></joint>"""
X, Y, Z = '1 0 0', '0 1 0', '0 0 1'
# name of the joint, parent, child, origin, axis; the child's centre, mass, inertia across, along
PARTS = [
    ('hip_x', 'torso', 'hip_1', '0 0 0', X, '0 0 0', 1.2, 2e-3, 2e-3),
    ('hip_z', 'hip_1', 'hip_2', '0 0 0', Z, '0 0 -0.02', 1.0, 2e-3, 1e-3),
    ('hip_y', 'hip_2', 'thigh', '0 0 -0.05', Y, '0 0 -0.18', 4.0, 5e-2, 6e-3),
    ('knee', 'thigh', 'shin', '0 0 -0.4', Y, '0 0 -0.17', 2.0, 2e-2, 2e-3),
    ('knee_motor', 'thigh', 'knee_crank', '-0.05 0 -0.1', Y, '-0.04 0 0', 0.3, 3e-4, 3e-4),
    ('knee_rod', 'knee_crank', 'knee_bar', '-0.08 0 0', Y, '0 0 -0.15', 0.2, 2e-3, 1e-5),
    ('ankle_pitch', 'shin', 'ankle', '0 0 -0.4', Y, '0 0 0', 0.1, 1e-4, 1e-4),
    ('ankle_roll', 'ankle', 'foot', '0 0 0', X, '0.05 0 -0.05', 0.8, 2e-3, 3e-3),
]
PARTS += [part for side, y in (('left', 0.05), ('right', -0.05)) for part in (
    (f'{side}_motor', 'shin', f'{side}_crank', f'-0.05 {y} -0.15', Y, '-0.03 0 0', 0.2, 1e-4,
     1e-4),
    (f'{side}_rod_x', f'{side}_crank', f'{side}_cross', '-0.06 0 0', X, '0 0 0', 0.02, 1e-6,
     1e-6),
    (f'{side}_rod_y', f'{side}_cross', f'{side}_bar', '0 0 0', Y, '0 0 -0.12', 0.15, 1e-3, 1e-5))]
LOOPS = [('knee', 'knee_bar', '0 0 -0.3', 'shin', '-0.13 0 0'),
         ('left', 'left_bar', '0 0 -0.25', 'foot', '-0.11 0.05 0'),
         ('right', 'right_bar', '0 0 -0.25', 'foot', '-0.11 -0.05 0')]


def write_leg(folder: Path) -> Path:
    """Write digit_leg.urdf and digit_leg.yaml; return the latter."""
    parts = ['<link name="torso"/>']
    for name, parent, child, origin, axis, *body in PARTS:
        parts += [LINK.format(child, *body), JOINT.format(name, parent, child, origin, axis)]
    (folder / 'digit_leg.urdf').write_text(f'<robot name="digit_leg">{"".join(parts)}</robot>')
    loops = [{'name': name, 'joint': 'spherical', 'between': [first, second], 'at': [
        {'xyz': [float(x) for x in place.split()]} for place in (at_first, at_second)]}
        for name, first, at_first, second, at_second in LOOPS]
    path = folder / 'digit_leg.yaml'
    path.write_text(yaml.safe_dump({
        'robot': 'digit_leg.urdf', 'loops': loops, 'actuated': [
            'hip_x', 'hip_z', 'hip_y', 'knee_motor', 'left_motor', 'right_motor']}))
    return path
