"""The judge of friction against values that can be written down."""

import numpy as np
import pytest
from simulation.friction_oracle import FrictionOracle

# 2 kg on a level slide with 3 N of Coulomb friction
SLIDE = """<robot name="slide"><link name="b"/><link name="l"><inertial><mass value="2"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="prismatic"><parent link="b"/><child link="l"/><axis xyz="1 0 0"/>
<limit lower="-9" upper="9" effort="1" velocity="1"/><dynamics friction="3"/></joint></robot>"""


@pytest.mark.parametrize(('v', 'tau', 'end'), [
    (3.0, 0.0, 2 * 3.0**2 / (2 * 3)),  # comes to rest after m v^2 / 2 F and stays
    (0.0, 2.9, 0.0),  # less than friction moves nothing
    pytest.param(-3.0, 5.0, -0.5 * 3**2 / 4 + 0.5 * (4 - 3 / 4)**2,
                 marks=pytest.mark.slow),  # 8 N brake it, then 2 N drive it
])
def test_sliding_mass(v, tau, end):
    q, _ = FrictionOracle(SLIDE).fall([0.0], [v], [tau], np.linspace(0, 4, 5))
    assert q[-1, 0] == pytest.approx(end, abs=1e-9)
