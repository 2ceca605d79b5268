"""The SROS 2 policy against the nodes as they run, and what no caller may have."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from robot_dynamics_interfaces.srv import GetDhTable
from urdf_text import joint, link

ROOT = Path(__file__).parents[2]
POLICY = ElementTree.parse(ROOT / 'config' / 'sros2' / 'robot_dynamics.policy.xml').getroot()
NODES = ['simulator', 'inverse_dynamics', 'gim_diagnostics']
ACTION_TOPICS = ('feedback', 'status')
ACTION_SERVICES = ('send_goal', 'cancel_goal', 'get_result')


def allowed(node, group, right):
    """Return the full names that the policy allows a node."""
    profile = POLICY.find(f".//profile[@node='{node}']")
    assert profile.get('ns') == '/'
    names = [item.text for block in profile.findall(group) if block.get(right) == 'ALLOW'
             for item in block]
    return {name.replace('~', f'/{node}', 1) if name.startswith('~')
            else name if name.startswith('/') else f'/{name}' for name in names}


@pytest.fixture(scope='module')
def graph(start, peer):
    """What each node publishes, subscribes to and serves, once all are there."""
    start('dynamics_stack', remaps={'~/commands': 'effort_commands'}, publish_clock='true',
          use_sim_time='true', robot_description_file=ROOT / 'urdf' / 'puma560.urdf')
    node = peer.node

    def interfaces(name):
        try:
            return [{topic for topic, _ in by_node(name, '/')} for by_node in (
                node.get_publisher_names_and_types_by_node,
                node.get_subscriber_names_and_types_by_node,
                node.get_service_names_and_types_by_node,
                node.get_client_names_and_types_by_node)]
        except Exception:  # not there yet
            return [set()] * 4

    def complete():
        found = {name: interfaces(name) for name in NODES}
        return found if all(
            {f'/{name}/transition_event', '/diagnostics'} <= found[name][0]
            and '/robot_description' in found[name][1] for name in NODES) else None

    peer.until(complete)
    peer.spin(1.0)
    return complete()


@pytest.mark.parametrize('node', NODES)
def test_the_policy_is_what_the_node_uses_and_no_more(graph, node):
    published, subscribed, served, called = graph[node]
    actions = allowed(node, 'actions', 'execute')
    topics = {f'{action}/_action/{name}' for action in actions for name in ACTION_TOPICS}
    services = {f'{action}/_action/{name}' for action in actions for name in ACTION_SERVICES}
    assert published == allowed(node, 'topics', 'publish') | topics
    assert subscribed == allowed(node, 'topics', 'subscribe')
    assert served == allowed(node, 'services', 'reply') | services
    assert called == set()


def test_one_enclave_for_each_node():
    paths = [enclave.get('path') for enclave in POLICY.iter('enclave')]
    assert paths == [f'/robot_dynamics/{node}' for node in NODES]


CODE = "${__import__('os').getpid()}"
HOSTILE = {
    'a path': '/etc/hostname',
    'an entity': '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
                 '<robot name="r"><link name="&x;"/></robot>',
    'a xacro': '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
               '<xacro:include filename="/etc/hostname"/><link name="l"/></robot>',
    'code': '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
            f'<link name="{CODE}"/>{link("arm")}{joint("j", CODE, "arm")}</robot>',
}


def set_parameter(peer, node, name, text):
    value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=text)
    request = SetParameters.Request(parameters=[Parameter(name=name, value=value)])
    return peer.call(SetParameters, f'/{node}/set_parameters', request).results[0]


@pytest.mark.parametrize('node', NODES)
def test_no_caller_reads_files_or_runs_code(graph, peer, node):
    assert not set_parameter(peer, node, 'robot_description_file', '/etc/hostname').successful
    host = Path('/etc/hostname').read_text().strip() if Path('/etc/hostname').exists() else '?'
    for what, text in HOSTILE.items():
        result = set_parameter(peer, node, 'robot_description', text)
        assert not result.successful, what
        assert host not in result.reason.replace('/etc/hostname', '')
    if node == 'inverse_dynamics':
        table = peer.call(GetDhTable, '/inverse_dynamics/get_dh_table', GetDhTable.Request())
        assert table.root_link == 'base'  # the robot is still the one it was
