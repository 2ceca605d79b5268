"""Small URDFs for tests, made of parts."""

INERTIAL = ('<inertial><mass value="{mass}"/><origin xyz="{com}"/><inertia ixx="0.02" ixy="0.001" '
            'ixz="0" iyy="0.03" iyz="0" izz="0.025"/></inertial>')


def link(name: str, mass: float | None = 1.0, com: str = '0.1 0 0.05') -> str:
    """Return a link; mass None leaves the inertial out."""
    body = '' if mass is None else INERTIAL.format(mass=mass, com=com)
    return f'<link name="{name}">{body}</link>'


def joint(name: str, parent: str, child: str, *, type: str = 'revolute', axis: str = '0 0 1',
          xyz: str = '0 0 0.3', rpy: str = '0 0 0', extra: str = '') -> str:
    """Return a joint."""
    axis = '' if type in ('fixed', 'floating') else f'<axis xyz="{axis}"/>'
    limit = '<limit lower="-2" upper="2" effort="10" velocity="3"/>' * (type in (
        'revolute', 'prismatic'))
    return (f'<joint name="{name}" type="{type}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{xyz}" rpy="{rpy}"/>{axis}{limit}{extra}</joint>')


def robot(*parts: str, name: str = 'test') -> str:
    """Return the URDF of the parts."""
    return f'<robot name="{name}">{"".join(parts)}</robot>'


def chain(*joints: dict, name: str = 'test') -> str:
    """Return a serial robot: one revolute joint j1, j2, ... for each dictionary of options."""
    parts = [link('base', None)]
    for k, options in enumerate(joints, start=1):
        parts += [link(f'l{k}'), joint(f'j{k}', f'l{k - 1}' if k > 1 else 'base', f'l{k}',
                                       **options)]
    return robot(*parts, name=name)


TWO_JOINTS = chain({}, {'axis': '0 1 0', 'xyz': '0.2 0 0.3'})
