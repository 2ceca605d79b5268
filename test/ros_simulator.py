"""The test's end of a simulator node."""

from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from robot_dynamics_interfaces.srv import SetState
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

PANDA = Path(__file__).parents[1] / 'urdf' / 'panda_like.urdf.xacro'
HOME = [0.0, -0.6, 0.0, -1.9, 0.0, 1.4, 0.0]
NAN, INF = float('nan'), float('inf')


class Simulator:
    """The test's end of a simulator: what it publishes, and its services by name."""

    def __init__(self, peer, namespace=''):
        self.peer, self.namespace = peer, namespace
        self.states, self.diagnostics, self.clients = [], [], {}
        node = peer.node
        node.create_subscription(JointState, f'{namespace}/joint_states', self.states.append, 10)
        node.create_subscription(DiagnosticArray, '/diagnostics', self._on_diagnostics, 10)
        self.efforts = node.create_publisher(Float64MultiArray, f'{namespace}/effort_commands', 10)
        self.joints = node.create_publisher(JointState, f'{namespace}/joint_commands', 10)
        peer.until(lambda: self.states)
        peer.until(lambda: 'kernels' not in self.status()[1])

    def _on_diagnostics(self, message):
        self.diagnostics += [status for status in message.status
                             if status.name.startswith(f'{self.namespace}/simulator'.strip('/'))]

    def call(self, kind, name, **fields):
        if name not in self.clients:
            self.clients[name] = self.peer.node.create_client(
                kind, f'{self.namespace}/simulator/{name}')
        self.peer.until(self.clients[name].service_is_ready)
        future = self.clients[name].call_async(kind.Request(**fields))
        self.peer.until(future.done)
        return future.result()

    def trigger(self, name):
        return self.call(Trigger, name)

    def set(self, name, value):
        kind = {str: 'string', float: 'double', bool: 'bool', int: 'integer', list: 'double_array'}
        name_of = kind[type(value)]
        parameter = ParameterValue(
            type=getattr(ParameterType, f'PARAMETER_{name_of.upper()}'),
            **{f'{name_of}_value': value})
        return self.call(SetParameters, 'set_parameters',
                         parameters=[Parameter(name=name, value=parameter)]).results[0]

    def place(self, q=HOME, **fields):
        names = [f'joint_{k + 1}' for k in range(len(q))]
        return self.call(SetState, 'set_state', state=JointState(
            name=fields.pop('name', names), position=list(map(float, q)), **fields))

    def fresh(self, count=1):
        """Return the newest of states that are published from now on."""
        self.states.clear()
        self.peer.until(lambda: len(self.states) >= count)
        return self.states[-1]

    def status(self):
        """Return level, message and values of the next diagnostic."""
        self.diagnostics.clear()
        self.peer.until(lambda: self.diagnostics)
        status = self.diagnostics[-1]
        return status.level[0], status.message, {item.key: item.value for item in status.values}
