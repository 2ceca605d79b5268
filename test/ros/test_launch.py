"""The launch files with the real launch, where launch_ros and the installed package are."""

import os
import shutil
from pathlib import Path

import pytest

launch_pytest = pytest.importorskip('launch_pytest', reason='needs a ROS distribution')
pytest.importorskip('launch_ros', reason='needs a ROS distribution')

from ament_index_python.packages import (  # noqa: E402
    PackageNotFoundError,
    get_package_share_directory,
)

try:
    SHARE = Path(get_package_share_directory('robot_dynamics'))
except PackageNotFoundError:
    pytest.skip('needs the package installed: colcon build', allow_module_level=True)
if not (SHARE / 'launch').is_dir():
    pytest.skip('needs the package installed: colcon build', allow_module_level=True)

from diagnostic_msgs.msg import DiagnosticArray  # noqa: E402
from launch import LaunchDescription, LaunchService  # noqa: E402
from launch.actions import IncludeLaunchDescription  # noqa: E402
from launch.launch_description_sources import AnyLaunchDescriptionSource  # noqa: E402
from robot_dynamics_interfaces.srv import GetDhTable  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

FILES = ('bringup.launch.py', 'bringup.launch.xml', 'simulator.launch.py',
         'inverse_dynamics.launch.py', 'rviz.launch.py', 'viewer.launch.py')


def launching(file, **arguments):
    """Return the description that launches a file of the package."""
    return LaunchDescription([
        IncludeLaunchDescription(AnyLaunchDescriptionSource(str(SHARE / 'launch' / file)),
                                 launch_arguments=list(arguments.items())),
        launch_pytest.actions.ReadyToTest()])


@launch_pytest.fixture
def puma(domain):
    return launching('bringup.launch.py', robot='puma560')


@launch_pytest.fixture
def panda(domain):
    return launching('bringup.launch.py', namespace='arm', one_process='true',
                     xacro_args='damping:=0.1')


@pytest.fixture(scope='module')
def spaced(tmp_path_factory):
    """The file of a robot that the package has no parameters for, in a folder with a space."""
    file = tmp_path_factory.mktemp('of another') / "somebody's robot.urdf"
    shutil.copy(SHARE / 'urdf' / 'rtx.urdf', file)
    file.write_text(file.read_text().replace('"base"', '"pedestal"'))
    return file


@pytest.fixture(scope='module')
def rviz(tmp_path_factory):
    """A program in the place of rviz2 that writes down what it was started with."""
    prefix = tmp_path_factory.mktemp('prefix')
    (prefix / 'share/ament_index/resource_index/packages').mkdir(parents=True)
    (prefix / 'share/ament_index/resource_index/packages/rviz2').touch()
    (prefix / 'lib/rviz2').mkdir(parents=True)
    program, found = prefix / 'lib/rviz2/rviz2', prefix / 'arguments'
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {found}\n')
    program.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('AMENT_PREFIX_PATH', f'{prefix}:{os.environ.get("AMENT_PREFIX_PATH", "")}')
        yield found


@launch_pytest.fixture
def another(domain, rviz, spaced):
    rviz.unlink(missing_ok=True)
    return launching('bringup.launch.py', urdf=str(spaced), rviz='true')


@launch_pytest.fixture
def another_twin(domain, rviz, spaced):
    rviz.unlink(missing_ok=True)
    return launching('bringup.launch.xml', urdf=str(spaced), rviz='true')


@launch_pytest.fixture
def alone(domain, spaced):
    return launching('simulator.launch.py', urdf=str(spaced))


@pytest.fixture(scope='module')
def linkage(tmp_path_factory):
    """A mechanism file and its tree in a folder with a space."""
    folder = tmp_path_factory.mktemp('of another')
    for name in ('five_bar.yaml', 'five_bar.urdf'):
        shutil.copy(SHARE / 'urdf' / name, folder / name)
    return folder / 'five_bar.yaml'


@launch_pytest.fixture
def mechanism(domain, rviz, linkage):
    rviz.unlink(missing_ok=True)
    return launching('bringup.launch.py', mechanism_file=str(linkage), rviz='true')


@launch_pytest.fixture
def mechanism_twin(domain, rviz, linkage):
    rviz.unlink(missing_ok=True)
    return launching('bringup.launch.xml', mechanism_file=str(linkage), rviz='true')


@launch_pytest.fixture
def five_bar(domain):
    return launching('bringup.launch.py', robot='five_bar', one_process='true')


@launch_pytest.fixture
def mechanism_alone(domain, linkage):
    return launching('simulator.launch.py', mechanism_file=str(linkage))


@launch_pytest.fixture
def twin(domain):
    return launching('bringup.launch.xml', publish_clock='true')


@launch_pytest.fixture
def hardware(domain):
    return launching(
        'simulator.launch.py', urdf=str(SHARE / 'urdf' / 'puma560.urdf'),
        config=str(SHARE / 'config' / 'topic_based.yaml'),
        joint_states_topic='/robot_joint_states', joint_commands_topic='/robot_joint_command')


@launch_pytest.fixture
def on_a_page(domain):
    return launching('bringup.launch.py', namespace='arm', viewer='true',
                     viewer_args='--no-open --port 0')


@launch_pytest.fixture
def on_a_page_twin(domain):
    return launching('bringup.launch.xml', viewer='true', viewer_args='--no-open --port 0')


@launch_pytest.fixture
def quadruped(domain):
    return launching('bringup.launch.py', robot='quadruped', viewer='true',
                     viewer_args='--no-open --port 0')


@launch_pytest.fixture
def humanoid_twin(domain):
    return launching('bringup.launch.xml', urdf=str(SHARE / 'urdf' / 'humanoid.urdf'),
                     base='floating', config=str(SHARE / 'config' / 'humanoid.yaml'),
                     viewer='true', viewer_args='--no-open --port 0')


@launch_pytest.fixture
def controller_as_configured(domain):
    return launching('inverse_dynamics.launch.py', config=str(SHARE / 'config' / 'humanoid.yaml'),
                     urdf=str(SHARE / 'urdf' / 'humanoid.urdf'))


@launch_pytest.fixture
def controller(domain):
    return launching('inverse_dynamics.launch.py', mode='gravity')


def follows(peer, namespace=''):
    """Wait until the simulator says that it follows its commands."""
    heard = []
    subscription = peer.node.create_subscription(
        DiagnosticArray, '/diagnostics', lambda message: heard.extend(
            status.name for status in message.status if status.level == b'\x00'), 10)
    name = f'{namespace}/simulator: simulation'.strip('/')
    peer.until(lambda: name in [entry.strip('/') for entry in heard], patience=60)
    peer.node.destroy_subscription(subscription)


@pytest.mark.launch(fixture=puma)
def test_bringup_closes_the_loop(puma, peer):
    follows(peer)


@pytest.mark.launch(fixture=panda)
def test_bringup_of_another_robot_in_one_process_and_a_namespace(panda, peer):
    follows(peer, 'arm')


def frame(peer, rviz):
    """Return the fixed frame that rviz was told."""
    peer.until(lambda: rviz.exists() and rviz.read_text().endswith('\n'))
    arguments = rviz.read_text().splitlines()
    return arguments[arguments.index('-f') + 1]


@pytest.mark.launch(fixture=another)
def test_bringup_of_another_robot_shows_it_in_its_own_frame(another, peer, rviz):
    follows(peer)
    assert frame(peer, rviz) == 'pedestal'


@pytest.mark.launch(fixture=another_twin)
def test_the_twin_of_another_robot_shows_it_in_its_own_frame(another_twin, peer, rviz):
    follows(peer)
    assert frame(peer, rviz) == 'pedestal'


@pytest.mark.launch(fixture=alone)
def test_the_simulator_alone_takes_a_file_with_a_space_in_its_path(alone, peer):
    states = []
    peer.node.create_subscription(JointState, '/joint_states', states.append, 10)
    peer.until(lambda: states, patience=60)


@pytest.mark.launch(fixture=mechanism)
def test_bringup_of_a_mechanism(mechanism, peer, rviz):
    follows(peer)
    assert frame(peer, rviz) == 'ground'


@pytest.mark.launch(fixture=mechanism_twin)
def test_the_twin_of_a_mechanism(mechanism_twin, peer, rviz):
    follows(peer)
    assert frame(peer, rviz) == 'ground'


@pytest.mark.launch(fixture=five_bar)
def test_bringup_of_our_own_mechanism_in_one_process(five_bar, peer):
    follows(peer)


@pytest.mark.launch(fixture=mechanism_alone)
def test_the_simulator_alone_shows_all_joints_of_a_mechanism(mechanism_alone, peer):
    states = []
    peer.node.create_subscription(JointState, '/joint_states', states.append, 10)
    peer.until(lambda: states and 'left_elbow' in states[-1].name, patience=60)


@pytest.mark.launch(fixture=twin)
def test_the_twin_in_xml_closes_the_loop_on_simulated_time(twin, peer):
    follows(peer)


def watches(peer, namespace):
    """Wait until a viewer listens to the states of a robot that follows."""
    follows(peer, namespace)
    peer.until(lambda: any(
        (info.node_name, info.node_namespace) == ('viewer', f'/{namespace}')
        for info in peer.node.get_subscriptions_info_by_topic(
            f'/{namespace}/joint_states'.replace('//', '/'))), patience=60)


@pytest.mark.launch(fixture=on_a_page)
def test_bringup_shows_the_robot_on_a_page(on_a_page, peer):
    pytest.importorskip('viser')
    watches(peer, 'arm')


@pytest.mark.launch(fixture=on_a_page_twin)
def test_the_twin_shows_the_robot_on_a_page(on_a_page_twin, peer):
    pytest.importorskip('viser')
    watches(peer, '')


def afloat(peer, *names):
    """Wait until nodes listen to where the base is."""
    peer.until(lambda: set(names) <= {
        info.node_name for info in peer.node.get_subscriptions_info_by_topic('/odometry')},
        patience=60)


@pytest.mark.launch(fixture=quadruped)
def test_bringup_of_a_quadruped_on_its_feet(quadruped, peer):
    pytest.importorskip('viser')
    afloat(peer, 'inverse_dynamics', 'gim_diagnostics', 'viewer')
    follows(peer)


@pytest.mark.launch(fixture=humanoid_twin)
def test_the_twin_of_a_humanoid_that_floats(humanoid_twin, peer):
    pytest.importorskip('viser')
    afloat(peer, 'inverse_dynamics', 'gim_diagnostics', 'viewer')
    follows(peer)


@pytest.mark.launch(fixture=controller_as_configured)
def test_the_controller_alone_takes_the_base_of_its_parameters(controller_as_configured, peer):
    afloat(peer, 'inverse_dynamics')


@pytest.mark.launch(fixture=hardware)
def test_the_simulator_takes_the_topics_of_ros2_control(hardware, peer):
    states = []
    peer.node.create_subscription(JointState, '/robot_joint_states', states.append, 10)
    commands = peer.node.create_publisher(JointState, '/robot_joint_command', 10)
    goal = JointState(name=[f'joint_{k + 1}' for k in range(6)],
                      position=[0.1, -0.1, 0.2, 0.1, 0.3, 0.1])

    def arrived():
        commands.publish(goal)
        return states and max(abs(a - b) for a, b in zip(
            states[-1].position, goal.position, strict=True)) < 1e-3
    peer.until(arrived, patience=60)


@pytest.mark.launch(fixture=controller)
def test_the_controller_alone_answers(controller, peer):
    request = GetDhTable.Request()
    peer.until(lambda: peer.call(
        GetDhTable, '/inverse_dynamics/get_dh_table', request).success, patience=60)


@pytest.mark.parametrize('file', FILES)
def test_arguments_are_described(file):
    description = AnyLaunchDescriptionSource(str(SHARE / 'launch' / file))
    from launch import LaunchContext
    entities = description.get_launch_description(LaunchContext())
    arguments = entities.get_launch_arguments()
    assert arguments
    for argument in arguments:
        assert argument.description not in ('', 'no description given'), argument.name


@pytest.mark.parametrize('arguments', [
    {'one_process': 'maybe'}, {'robot': 'nobody'}, {'base': 'afloat'}, {'urdf': '/no/such.urdf'},
    {'mechanism_file': '/no/such.yaml'}, {'urdf': __file__, 'mechanism_file': __file__}])
def test_what_makes_no_sense_starts_nothing(arguments):
    service = LaunchService()
    service.include_launch_description(launching('bringup.launch.py', **arguments))
    assert service.run() == 1
