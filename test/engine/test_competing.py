"""What a definition calls alike is alike: nothing lean is kept out of the competition."""

import pytest
from engine.engine_robots import CASES

import robot_dynamics as rd
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.tracing.program import make_program
from robot_dynamics.engine.tracing.trace import candidates, trace


def specs():
    found = {robot: CASES[robot].kernels().spec for robot in CASES}
    found['floating'] = rd.load('quadruped', base='floating')._kernels.spec
    return found | {name: rd.load(name)._kernels.spec for name in ('five_bar', 'gripper')}


SPECS = specs()


@pytest.mark.parametrize('name', [name for name, x in DEFINITIONS.items() if x.algorithms])
@pytest.mark.parametrize('robot', SPECS)
def test_the_leanest_is_among_those_that_compete(robot, name):
    spec, definition = SPECS[robot], DEFINITIONS[name]

    def operations(algorithm):
        count = make_program(trace(spec, name, (('algorithm', algorithm),))).count()
        return tuple(sorted(count.items()))
    competing = [x['algorithm'] for x in candidates(spec, definition, (), False)]
    counts = {operations(algorithm) for algorithm in competing}
    assert competing
    for algorithm in definition.algorithms:
        if algorithm not in competing:
            assert operations(algorithm) in counts
