"""The site's pages of the API: what is on which; large classes by what members are for."""

import inspect
import re
from typing import Any

API = {  # page: title, what it says first, names of robot_dynamics
    'robot': ('Robot', 'What `rd.load` and `rd.Robot.from_dh` give.', ['Robot', 'Stack']),
    'loading': ('Loading', 'From files, names, text or DH rows to robots.',
                ['load', 'load_mechanism', 'robots', 'stack', 'wait_for_kernels']),
    'motion': ('Motion in time', 'Simulation, motions, control laws.',
               ['simulate', 'Trajectory', 'Motion', 'cycloidal', 'quintic', 'trapezoidal',
                'straight_line', 'sampled', 'from_file', 'inverse_kinematics', 'ComputedTorque',
                'PDGravity', 'FeedForward', 'MomentumObserver', 'standing']),
    'mechanism': ('Mechanism', 'Closed loops: the same verbs over the joints with motors.',
                  ['Mechanism', 'Contacts']),
    'choosing': ('Choosing, sweeping, showing', 'Many robots, many states, and one to look at.',
                 ['select', 'Selection', 'sweep', 'Grid', 'LatinHypercube', 'Sobol', 'states',
                  'view']),
    'tables': ('Tables and errors', 'DH rows, and what is raised.',
               ['DHTable', 'DHRow', 'Branch', 'Mimic', 'RobotDynamicsError', 'DescriptionError',
                'InputError', 'ModelError', 'SingularityError', 'RobotDynamicsWarning']),
}
VERBS = {  # of robots and mechanisms: what they are for, their names
    'Equations of motion': (
        'inverse_dynamics', 'forward_dynamics', 'inertia_matrix', 'inertia_matrix_inverse', 'bias',
        'gravity_torque', 'convective_matrix', 'udu', 'friction_torque', 'reaction_wrenches'),
    'Kinematics': ('pose', 'jacobian', 'jacobian_rate', 'manipulability', 'center_of_mass'),
    'Energy and momentum': ('kinetic_energy', 'potential_energy', 'centroidal_momentum',
                            'centroidal_momentum_matrix'),
    'Derivatives and identification': (
        'inverse_dynamics_derivatives', 'forward_dynamics_derivatives', 'regressor', 'parameters'),
    'Other robots from this one': ('with_payload', 'with_gravity', 'with_base_motion',
                                   'with_loops', 'variants', 'from_dh'),
    'Closed loops': (
        'assemble', 'closure_error', 'passive_rates', 'passive_accelerations', 'actuation_matrix',
        'motor_torques', 'generalized_force', 'constraint_wrenches', 'contacts', 'can_assemble',
        'tree', 'tree_joint_names', 'tree_limits', 'actuated_names', 'motor_limits', 'loop_names',
        'start', 'mobility', 'formulation', 'formulation_reason'),
    'Files and code': ('dh', 'to_urdf', 'export_c', 'operation_count'),
    'What it has': (
        'name', 'n', 'nq', 'nv', 'joint_names', 'value_names', 'neutral', 'limits', 'link_names',
        'tip_names', 'total_mass', 'moving_mass'),
}
REST = 'Further'  # what no group names
LIKE = {  # classes that have another's verbs: whose, and what is said of those
    'Stack': ('Robot', 'All else is as [Robot](#robot_dynamics.robot.robot.Robot) has it, with a '
              'leading axis of N.'),
    'Mechanism': ('Robot', 'Over the independent joints, and by functions of a state with `near=` '
                  'as well, it has what [Robot](robot.md) has:'),
}


def api_pages() -> dict[str, str]:
    """Return the pages by name; every public name is on one of them."""
    import robot_dynamics
    pages = dict(API)
    listed = {name for _, _, names in pages.values() for name in names}
    rest = [name for name in robot_dynamics.__all__ if name not in listed]
    if rest:
        pages['more'] = ('More', 'What else there is.', rest)
    return {page: f'# {title}\n\n{text}\n\n' + '\n\n'.join(
        block(getattr(robot_dynamics, name)) for name in names) + '\n'
        for page, (title, text, names) in pages.items()}


def block(thing: Any) -> str:
    """Return what has mkdocstrings show a function or a class; of large ones a table first."""
    if thing.__name__ not in ('Robot', *LIKE):
        return f'::: {path(thing)}'
    parts = [f'::: {path(thing)}\n    options:\n      members: []\n      inherited_members: false']
    groups = grouped(thing)
    if thing.__name__ in LIKE:
        import robot_dynamics
        whose, said = LIKE[thing.__name__]
        other = getattr(robot_dynamics, whose)
        same = {name for name in members(other) if documentation(thing, name)
                == documentation(other, name)}
        if said.endswith(':'):
            said += ' ' + ', '.join(link(other, name) for names in groups.values()
                                    for name in names if name in same) + '.'
        parts.append(said)
        groups = {title: [name for name in names if name not in same]
                  for title, names in groups.items()}
    groups = {title: names for title, names in groups.items() if names}
    rows = [row for title, names in groups.items() for row in (
        f'| **{title}** | |', *(f'| {link(thing, name)} | {summary(thing, name)} |'
                                for name in names))]
    parts.append('\n'.join(['| | what it answers |', '|---|---|', *rows]))
    for title, names in groups.items():
        parts.append(f'### {title} {{: #{thing.__name__}-{title.lower().replace(" ", "-")} }}')
        parts += [f'::: {path(thing)}.{name}\n    options:\n      heading_level: 4'
                  for name in names]
    return '\n\n'.join(parts)


def grouped(thing: type) -> dict[str, list[str]]:
    """Return a class's public members by what they are for; each is in one group."""
    here = members(thing)
    groups = {title: [name for name in names if name in here] for title, names in VERBS.items()}
    known = {name for names in groups.values() for name in names}
    return {**groups, REST: [name for name in here if name not in known]}


def members(thing: type) -> list[str]:
    """Return the names of a class's public members that say what they are."""
    return [name for name in dir(thing) if not name.startswith('_') and documentation(thing, name)]


def documentation(thing: type, name: str) -> str:
    """Return a member's docstring, '' where there is none."""
    return inspect.getdoc(getattr(thing, name, None)) or ''


def summary(thing: type, name: str) -> str:
    """Return the first sentence of a member's docstring, without 'Return'."""
    text = ' '.join(documentation(thing, name).split('\n\n')[0].split('\n'))
    text = text.split('. ')[0].split('; see ')[0].rstrip('.').removeprefix('Return ')
    word = re.match('[a-z]+(?= )', text)  # not a symbol, as in d tau/dq
    if word and (len(word[0]) > 1 or word[0] == 'a'):
        text = text[0].upper() + text[1:]
    return text.replace('|', r'\|')


def link(thing: type, name: str) -> str:
    """Return a link to a member's entry."""
    return f'[`{name}`][{path(thing)}.{name}]'


def path(thing: Any) -> str:
    """Return where a thing is, as mkdocstrings looks for it."""
    return f'{thing.__module__}.{thing.__qualname__}'
