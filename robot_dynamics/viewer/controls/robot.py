"""All that hands can do with one robot: its sliders and its loads, each in a folder of its tab."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from robot_dynamics.viewer.controls.loads import LoadControls
from robot_dynamics.viewer.controls.pose import PoseControls
from robot_dynamics.viewer.escaping import visible
from robot_dynamics.viewer.shown_robot import ShownRobot

if TYPE_CHECKING:
    from robot_dynamics.viewer.page import Page


class RobotControls:
    """The controls of a robot; none on a page without."""

    def __init__(self, page: Page, robot: ShownRobot):
        self.robot = robot
        self.pose: PoseControls | None = None
        self.loads: LoadControls | None = None
        self._folders: list[Any] = []
        if not page.controls:
            return
        gui = page.server.gui
        with page.pose_tab:
            self._folders.append(gui.add_folder(visible(robot.name, 40)))
            with self._folders[-1]:
                self.pose = PoseControls(page.server, robot, page.guarded)
        with page.load_tab:
            self._folders.append(gui.add_folder(visible(robot.name, 40)))
            with self._folders[-1]:
                self.loads = LoadControls(page.server, robot, page.guarded)

    def follow(self) -> None:
        """Follow the robot's pose in the scene."""
        if self.loads is not None:
            self.loads.follow()

    def follow_slowly(self) -> None:
        """Follow it on the panels."""
        if self.pose is not None:
            self.pose.follow()

    def gizmos(self) -> list[Any]:
        """Return what is in the scene for hands alone."""
        found = [gizmo for _, gizmo in self.pose.gizmos] if self.pose is not None else []
        return [*found, *((self.loads.handle, self.loads.rings) if self.loads else ())]

    def remove(self) -> None:
        """Take the controls off the page."""
        for folder in self._folders:
            folder.remove()
