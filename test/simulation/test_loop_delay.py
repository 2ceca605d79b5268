"""The delay of a control loop: where it becomes unstable, and that the gain is lowered in time."""


import numpy as np
import pytest

from robot_dynamics.simulation.online.loop_delay import LONGEST, MARGIN, LoopDelay

GAIN, STEP, LIMIT = 40.0, 1e-3, 0.3


def run(ages, holds, duration, *, limited, gain=GAIN):
    """Return the largest errors, early and late, of e'' = u held and answered late.

    ages: returns how old a state is when it is answered; holds: how long the answer acts [s]
    """
    delay, e, v, past = LoopDelay(), 0.01, 0.0, []
    sizes, t, until, u = [], 0.0, 0.0, 0.0
    for k in range(round(duration / STEP)):
        t = k * STEP
        past.append((e, v))
        if t >= until:
            age, hold = ages(), holds()
            old = past[max(0, k - round(age / STEP))]
            delay.take(t - age, age, t)
            lam = delay.gain(gain, LIMIT if limited else 0.0)
            u, until = -2 * lam * old[1] - lam**2 * old[0], t + hold - STEP / 2
        e, v = e + STEP * v + STEP**2 * u / 2, v + STEP * u
        sizes.append(abs(e))
        if abs(e) > 1e6:
            break
    return max(sizes[:len(sizes) // 4]), max(sizes[-len(sizes) // 4:])


@pytest.mark.parametrize(('part', 'stable'), [(0.93, True), (1.07, False)])
def test_the_margin_is_where_the_loop_becomes_unstable(part, stable):
    age = part * MARGIN / 5.0
    early, late = run(lambda: age, lambda: STEP, 20.0, limited=False, gain=5.0)
    assert (late < early) == stable


@pytest.mark.parametrize('age', [0.0, 0.01, 0.03, LONGEST])
@pytest.mark.parametrize('hold', [0.002, 0.02, 0.05, LONGEST])
def test_any_even_delay_is_outlasted(age, hold):
    early, late = run(lambda: age, lambda: hold, 8.0, limited=True)
    assert early < 0.2  # the first answer cannot know how long it will act
    assert late < 0.1 * early


@pytest.mark.parametrize('seed', range(10))
def test_pauses_of_a_busy_machine_are_outlasted(seed):
    random = np.random.default_rng(seed)

    def ages():
        return random.choice([0.001, 0.002, 0.01, 0.04], p=[0.6, 0.2, 0.1, 0.1])

    def holds():
        return random.choice([0.002, 0.004, 0.02, 0.1], p=[0.6, 0.2, 0.1, 0.1])

    assert run(ages, holds, 10.0, limited=False)[1] > 1.0  # it would run away
    assert run(ages, holds, 10.0, limited=True)[1] < 0.01


def test_a_quick_loop_keeps_its_gain_and_a_pause_is_forgotten():
    delay = LoopDelay()
    for k in range(100):
        delay.take(0.002 * k, 0.001, 0.002 * k)
    assert delay.delay == pytest.approx(0.002)
    assert delay.gain(GAIN, LIMIT) == GAIN
    delay.take(0.25, 0.03, 0.25)
    assert delay.gain(GAIN, LIMIT) * delay.delay == pytest.approx(LIMIT)
    for k in range(4000):
        delay.take(0.25 + 0.002 * k, 0.001, 0.25 + 0.002 * k)
    assert delay.gain(GAIN, LIMIT) == GAIN


def test_a_silence_is_no_delay():
    delay = LoopDelay()
    delay.take(0.0, 0.0, 0.0)
    delay.take(5.0, 0.001, 5.0)
    delay.take(5.0, 2.0, 5.001)  # not answered
    assert delay.delay < 0.0011
