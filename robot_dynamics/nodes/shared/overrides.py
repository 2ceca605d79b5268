"""Parameters given to a node that has none of that name: ROS drops them without a word."""

from __future__ import annotations

from typing import Any

ROS_OWN = ('use_sim_time', 'start_type_description_service')
ROS_GROUPS = ('qos_overrides.',)


def unknown_parameters(node: Any) -> str:
    """Return a sentence on the parameters given that no node here has; empty: there are none.

    What another node of the package has is no mistake: launch files and parameter files give
    several nodes the same.
    """
    own = vars(node.settings)
    strange = [name for name in node._parameter_overrides  # rclpy tells of them nowhere else
               if name not in own and name not in ROS_OWN and not name.startswith(ROS_GROUPS)
               and not node.has_parameter(name)]
    if strange:
        from robot_dynamics.nodes.parameters import all_names  # imports something of each node
        strange = [name for name in strange if name not in all_names()]
    if not strange:
        return ''
    return ('given, but no parameters of this node: '
            + ', '.join(name + _near(name, list(own)) for name in strange))


def _near(name: str, names: list[str]) -> str:
    import difflib  # for those who mistype
    near = difflib.get_close_matches(name, names, n=1)
    return f' ({near[0]}?)' if near else ''
