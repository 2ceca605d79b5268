"""Parameters of a node: declared with descriptors, checked at run time, kept at hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.node import Node
from rclpy.parameter import Parameter

from robot_dynamics.errors import RobotDynamicsError


@dataclass(frozen=True)
class Setting:
    """One parameter.

    low, high: range of a number; choices: of a text; size: of an array, any if None
    check: called with the new value, raises a RobotDynamicsError that says what is wrong
    """

    name: str
    default: Any
    description: str
    low: float | None = None
    high: float | None = None
    choices: Sequence[str] = ()
    size: int | None = None
    read_only: bool = False
    check: Callable[[Any], object] | None = None

    def descriptor(self) -> ParameterDescriptor:
        """Return what `ros2 param describe` shows."""
        descriptor = ParameterDescriptor(
            description=self.description, read_only=self.read_only,
            additional_constraints=f'one of: {", ".join(self.choices)}' if self.choices else '')
        if self.low is not None and isinstance(self.default, int):
            descriptor.integer_range = [
                IntegerRange(from_value=int(self.low), to_value=int(self.high or 2**53))]
        elif self.low is not None:
            descriptor.floating_point_range = [FloatingPointRange(
                from_value=float(self.low), to_value=float(self.high or 1e300))]
        return descriptor

    def fault(self, value: Any) -> str:
        """Return what is wrong with a value, or nothing."""
        if self.choices and value not in self.choices:
            return f'{value!r}, expected one of {", ".join(self.choices)}'
        if isinstance(self.default, (list, tuple)) and not isinstance(value, str):
            values = list(value or [])
            if self.size is not None and len(values) != self.size:
                return f'{len(values)} values, expected {self.size}'
            if len(set(values)) != len(values) and values and isinstance(values[0], str):
                return f'{values}: a name stands there twice'
        else:
            values = [value]
        if any(isinstance(number, float) and not math.isfinite(number) for number in values):
            return f'{value}, expected finite numbers'
        try:
            if self.check is not None:
                self.check(value)
        except RobotDynamicsError as error:
            return str(error)
        return ''


class Settings(SimpleNamespace):
    """The values of all parameters, as attributes: reading one in a callback costs nothing.

    changed: called with the names of parameters that have just been set.
    """

    def __init__(self, node: Node, settings: Iterable[Setting],
                 changed: Callable[[set[str]], None]):
        super().__init__()
        table = {setting.name: setting for setting in settings}

        def check(parameters: list[Parameter]) -> SetParametersResult:
            for parameter in parameters:
                setting = table.get(parameter.name)
                fault = setting.fault(parameter.value) if setting else ''
                if fault:
                    return SetParametersResult(
                        successful=False, reason=f'{parameter.name}: {fault}')
            return SetParametersResult(successful=True)

        def keep(parameters: list[Parameter]) -> None:
            known = {parameter.name: parameter.value for parameter in parameters
                     if parameter.name in table}
            vars(self).update(known)
            if known:
                changed(set(known))

        node.add_on_set_parameters_callback(check)
        for name, setting in table.items():
            default = (Parameter.Type.STRING_ARRAY if setting.default == [] else setting.default)
            declared = node.declare_parameter(name, default, setting.descriptor())
            setattr(self, name, [] if declared.value is None else declared.value)
        node.add_post_set_parameters_callback(keep)
