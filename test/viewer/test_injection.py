"""Names and texts of others are shown on the page and never run, in a real browser."""

import pytest

pytest.importorskip('viser')

import robot_dynamics as rd
from robot_dynamics.viewer.escaping import LONGEST, plain, visible
from robot_dynamics.viewer.live_panel import LivePanel, Note, Stream, joints_of
from robot_dynamics.viewer.page import opened

PATIENCE = 60_000  # [ms]
ATTACKS = (
    '<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '"><svg onload=alert(1)>',
    "'-alert(1)-'", '[click](javascript:alert(1))', '`<b onmouseover=alert(1)>`',
    '</style><iframe src="javascript:alert(1)">', '&lt;script&gt;alert(1)&lt;/script&gt;',
    '![x](x"onerror="alert(1))', '${alert(1)}', '{{alert(1)}}', '\u2028alert(1)\x00')
ATTACK = ' '.join(ATTACKS)
NAME = ' '.join(ATTACKS[:9])  # the others are xacro, or no XML


def test_plain_has_no_markup():
    for attack in ATTACKS:
        text = plain(attack)
        assert not set('<>"\'`[]()*_{}$!|~\\\n') & set(text)
    assert plain('joint 1') == 'joint 1'
    assert len(visible('a' * 10 * LONGEST)) == LONGEST
    assert plain('Gelenk ä 関節') == 'Gelenk ä 関節'


def robot():
    """A robot of which all names are attacks."""
    from xml.sax.saxutils import quoteattr
    return rd.load(
        f'<robot name={quoteattr(ATTACKS[0])}><link name="base"/><link name={quoteattr(NAME)}>'
        '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        f'</inertial></link><joint name={quoteattr(ATTACKS[1])} type="revolute"><parent '
        f'link="base"/><child link={quoteattr(NAME)}/><axis xyz="0 1 0"/><limit lower="-1" '
        'upper="1" effort="1" velocity="1"/></joint></robot>')


def test_a_browser_shows_attacks_and_runs_none(browser):
    with opened(port=0) as page:
        model = robot()
        page.add_robot(model)
        page.message(ATTACK, title=ATTACK)
        panel = LivePanel(page.server, ATTACK, allowed=True, send=lambda wish: None)
        panel.offer(joints_of(model, model.joint_names), model.link_names)
        panel.turn(True)
        panel.tell(ATTACK, [Stream(ATTACK, 1.0, 0.0, False)], [(ATTACK, ATTACK)],
                   [Note('error', ATTACK, f'the end {ATTACK}')])
        panel.answer(ATTACK)
        # What slips through one day is not run either
        page.server.gui.add_markdown('slipped <img src=x onerror=alert(2)><script>alert(2)'
                                     '</script>')
        page.server.gui.add_html('<img src=y onerror=alert(3)>')
        tab, dialogs, errors = browser.new_page(viewport={'width': 640, 'height': 480}), [], []
        tab.on('dialog', lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        tab.on('console', lambda message: errors.append(message.text))
        tab.goto(page.address, timeout=PATIENCE)
        tab.get_by_text('the end <script>alert(1)</script>').first.wait_for(timeout=PATIENCE)
        tab.get_by_text('slipped').first.wait_for(timeout=PATIENCE)
        for _ in range(50):  # the browser says what it did not run
            if sum('inline event handler' in text for text in errors) >= 2:
                break
            tab.wait_for_timeout(100)
        else:
            pytest.fail(f'the policy was not applied: {errors}')
        assert not dialogs
        tab.close()
