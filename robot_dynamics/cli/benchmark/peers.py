"""The peers of the benchmark: Pinocchio and MuJoCo, on the robot as we have it.

Both read the URDF that our robot writes of itself, so that all compute the same thing. They are
not requirements: a peer that is not installed is left out.
"""

import importlib
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from robot_dynamics.robot import Robot

COMPILER = ('<mujoco><compiler balanceinertia="true" discardvisual="true" boundmass="1e-9" '
            'boundinertia="1e-12"/></mujoco>')
Call = Callable[[], Any]
# [bytes] a peer may take, a quarter of what there is: Pinocchio's data hold four n x n x n tensors
MEMORY = os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 4


class Pinocchio:
    """Pinocchio's model of a robot."""

    def __init__(self, robot: Robot) -> None:
        self.pin = importlib.import_module('pinocchio')
        self.memory = 32.0 * robot.n ** 3
        if self.memory > MEMORY:
            raise MemoryError(f'its data of {robot.n} joints take {self.memory / 1e9:.1f} GB')
        self.model = self.pin.buildModelFromXML(robot.to_urdf())
        self.model.gravity.linear = np.array(robot.inertials.base.gravity)
        self.data = self.model.createData()
        names = [str(name) for name in self.model.names]
        joints = [self.model.joints[names.index(name)] for name in robot.joint_names]
        if self.model.nv != robot.n:
            raise ValueError('joints that Pinocchio counts differently')
        self.joints = joints
        self.order = np.argsort([joint.idx_v for joint in joints])

    def arranged(self, state: np.ndarray) -> np.ndarray:
        """Return rates, accelerations or torques in Pinocchio's order of the joints."""
        return np.ascontiguousarray(state[..., self.order])

    def position(self, q: np.ndarray) -> np.ndarray:
        """Return one configuration or several; endless joints are a cosine and a sine."""
        result = np.zeros((*q.shape[:-1], self.model.nq))
        for k, joint in enumerate(self.joints):
            if joint.nq == 2:
                result[..., joint.idx_q] = np.cos(q[..., k])
                result[..., joint.idx_q + 1] = np.sin(q[..., k])
            else:
                result[..., joint.idx_q] = q[..., k]
        return result

    def call(self, name: str, q: np.ndarray, qd: np.ndarray, x: np.ndarray, *, link: str = '',
             wrench: np.ndarray | None = None) -> Call | None:
        """Return its nearest call to a function of ours, None where it has none."""
        pin, model, data = self.pin, self.model, self.data
        q, qd, x = self.position(q), self.arranged(qd), self.arranged(x)
        frame, axes = model.getFrameId(link), pin.LOCAL_WORLD_ALIGNED
        if wrench is not None:
            pulls = pin.StdVec_Force()
            for _ in range(model.njoints):
                pulls.append(pin.Force.Zero())
            pulls[model.frames[frame].parentJoint] = pin.Force(wrench)
            function = {'inverse_dynamics': pin.rnea, 'forward_dynamics': pin.aba}.get(name)
            return None if function is None else lambda: function(model, data, q, qd, x, pulls)

        def factors() -> None:
            pin.crba(model, data, q)
            pin.cholesky.decompose(model, data)

        def rate() -> Any:
            pin.computeJointJacobiansTimeVariation(model, data, q, qd)
            return pin.getFrameJacobianTimeVariation(model, data, frame, axes)

        def place() -> Any:
            pin.forwardKinematics(model, data, q)
            return pin.updateFramePlacement(model, data, frame)

        return {
            'inverse_dynamics': lambda: pin.rnea(model, data, q, qd, x),
            'forward_dynamics': lambda: pin.aba(model, data, q, qd, x),
            'inertia_matrix': lambda: pin.crba(model, data, q),
            'inertia_matrix_inverse': lambda: pin.computeMinverse(model, data, q),
            'bias': lambda: pin.nonLinearEffects(model, data, q, qd),
            'gravity_torque': lambda: pin.computeGeneralizedGravity(model, data, q),
            'udu': factors, 'jacobian_rate': rate, 'pose': place,
            'convective_matrix': lambda: pin.computeCoriolisMatrix(model, data, q, qd),
            'reaction_wrenches': lambda: pin.rnea(model, data, q, qd, x),
            'kinetic_energy': lambda: pin.computeKineticEnergy(model, data, q, qd),
            'potential_energy': lambda: pin.computePotentialEnergy(model, data, q),
            'center_of_mass': lambda: pin.centerOfMass(model, data, q),
            'centroidal_momentum': lambda: pin.computeCentroidalMomentum(model, data, q, qd),
            'jacobian': lambda: pin.computeFrameJacobian(model, data, q, frame, axes),
            'manipulability': lambda: pin.computeFrameJacobian(model, data, q, frame, axes),
            'inverse_dynamics_derivatives': lambda: pin.computeRNEADerivatives(
                model, data, q, qd, x),
            'forward_dynamics_derivatives': lambda: pin.computeABADerivatives(
                model, data, q, qd, x),
            'regressor': lambda: pin.computeJointTorqueRegressor(model, data, q, qd, x),
        }.get(name)

    def batch(self, name: str, threads: int, *states: np.ndarray) -> Call | None:
        """Return a call over a batch (N, n), None where Pinocchio has none."""
        pin = self.pin
        function = {'inverse_dynamics': 'rneaInParallel', 'forward_dynamics': 'abaInParallel'}
        if not hasattr(pin, function.get(name, '-')) or self.memory * threads > MEMORY / 20:
            return None
        run = getattr(pin, function[name])
        pool = pin.ModelPool(self.model, threads)
        columns = [np.asfortranarray(x.T) for x in (
            self.position(states[0]), *map(self.arranged, states[1:]))]
        out = np.zeros_like(columns[1])
        return lambda: run(threads, pool, *columns, out)


class MuJoCo:
    """MuJoCo's model of a robot, without contacts and constraints."""

    def __init__(self, robot: Robot) -> None:
        self.mujoco = importlib.import_module('mujoco')
        text = robot.to_urdf()
        end = text.index('>', text.index('<robot')) + 1
        self.model = self.mujoco.MjModel.from_xml_string(text[:end] + COMPILER + text[end:])
        flags = self.mujoco.mjtDisableBit
        self.model.opt.disableflags = flags.mjDSBL_CONSTRAINT | flags.mjDSBL_CONTACT
        self.data = self.mujoco.MjData(self.model)
        if self.model.nv != robot.n:
            raise ValueError('joints that MuJoCo counts differently')

    def call(self, name: str, q: np.ndarray, qd: np.ndarray, x: np.ndarray, *, link: str = '',
             wrench: np.ndarray | None = None) -> Call | None:
        """Return its call for a function of ours; the state is already in place."""
        mujoco, model, data = self.mujoco, self.model, self.data
        if wrench is not None or name not in (
                'inverse_dynamics', 'forward_dynamics', 'inertia_matrix'):
            return None
        data.qpos[:], data.qvel[:] = q, qd
        if name == 'inverse_dynamics':
            data.qacc[:] = x
            return lambda: mujoco.mj_inverse(model, data)
        if name == 'forward_dynamics':
            data.qfrc_applied[:] = x
            return lambda: mujoco.mj_forward(model, data)

        def matrix() -> None:
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_crb(model, data)
        return matrix


def peers(robot: Robot) -> dict[str, Any]:
    """Return the peers that are installed and can read this robot."""
    found: dict[str, Any] = {}
    for name, peer in (('pinocchio', Pinocchio), ('mujoco', MuJoCo)):
        try:
            found[name] = peer(robot)
        except ModuleNotFoundError:
            print(f'bench: without {name}, which is not installed; make bench brings it',
                  file=sys.stderr)
        except Exception as error:  # an unwilling peer is no reason to stop
            reason = str(error).splitlines()[:1]
            print(f'bench: without {name}: {type(error).__name__} {reason}', file=sys.stderr)
    return found
