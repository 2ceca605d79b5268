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
            additional_constraints=f'one of: {", ".join(self.choices)}' if self.choices else '',
            dynamic_typing=self.real)  # 500 will do for 500.0
        if self.low is not None and isinstance(self.default, int):
            descriptor.integer_range = [
                IntegerRange(from_value=int(self.low), to_value=int(self.high or 2**53))]
        elif self.low is not None:
            descriptor.floating_point_range = [FloatingPointRange(
                from_value=float(self.low), to_value=float(self.high or 1e300))]
        return descriptor

    @property
    def real(self) -> bool:
        """Whether this is a real number, or several."""
        return isinstance(self.default, float) or (
            isinstance(self.default, list) and bool(self.default)
            and isinstance(self.default[0], float))

    def converted(self, value: Any) -> Any:
        """Return a value as it is kept: whole numbers become real where those are asked for."""
        if self.real:
            return float(value) if isinstance(self.default, float) else list(map(float, value))
        return [] if value is None else value

    def real_fault(self, value: Any) -> str:
        """Return what is wrong with a value that should be real numbers, or nothing."""
        single = isinstance(self.default, float)
        values = [value] if single else value
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable) or any(
                isinstance(x, bool) or not isinstance(x, (int, float)) for x in values):
            return f'{value!r}, expected {"a number" if single else "numbers"}'
        low, high = self.low, self.high or 1e300
        if low is not None and any(not low <= x <= high for x in values):
            return f'{value}, expected {low:g} to {high:g}'
        return ''

    def fault(self, value: Any) -> str:
        """Return what is wrong with a value, or nothing."""
        if self.real and (fault := self.real_fault(value)):
            return fault
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
            known = {parameter.name: table[parameter.name].converted(parameter.value)
                     for parameter in parameters if parameter.name in table}
            vars(self).update(known)
            if known:
                changed(set(known))

        node.add_on_set_parameters_callback(check)
        for name, setting in table.items():
            default = (Parameter.Type.STRING_ARRAY if setting.default == [] else setting.default)
            declared = node.declare_parameter(name, default, setting.descriptor())
            setattr(self, name, setting.converted(declared.value))
        node.add_post_set_parameters_callback(keep)
