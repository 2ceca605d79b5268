"""The documentation's site: its links lead somewhere, from a server and from files."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / 'tools'))
from api_pages import REST, block, grouped, members, summary
from build_docs import ROOT, dead_links, from_anywhere, moved

import robot_dynamics as rd


def test_pages_of_the_root_link_to_each_other_by_the_names_of_the_site():
    text = moved((ROOT / 'CONTRIBUTING.md').read_text(encoding='utf-8'))
    assert '](changelog.md)' in text
    assert '](decisions.md)' in text
    assert '](CHANGELOG' not in text


def test_the_page_of_wrong_addresses_leads_on_from_files_too():
    page = from_anywhere('<html><head><link href="/here/style.css"></head><a href="/here/a.html">'
                         '<a href="https://x.org/here/"><script>{"base": "/here/"}</script>')
    assert 'href="style.css"' in page
    assert 'href="a.html"' in page
    assert 'href="https://x.org/here/"' in page
    assert page.index('<base href="/here/">') < page.index('style.css')
    assert '"base": "/here/"' in page


def test_links_that_lead_nowhere_are_found(tmp_path):
    (tmp_path / 'in').mkdir()
    (tmp_path / 'a.html').write_text('<a href="in/b.html#top"><a href="GONE.md"><a href="#x">'
                                     '<pre>href="not meant"</pre><a href="https://x.org/">')
    (tmp_path / 'in' / 'b.html').write_text('<img src="../pic.png"><a href="../a.html">')
    assert dead_links(tmp_path) == ['a.html: GONE.md leads nowhere',
                                    'in/b.html: ../pic.png leads nowhere']


@pytest.mark.parametrize('thing', [rd.Robot, rd.Mechanism], ids=lambda thing: thing.__name__)
def test_members_are_in_one_group_each(thing):
    groups = grouped(thing)
    names = [name for group in groups.values() for name in group]
    assert sorted(names) == sorted(members(thing))
    assert next(iter(groups.values()))[0] == 'inverse_dynamics'
    assert 'with_payload' not in groups[REST]


def test_a_stack_has_its_own_members_only_and_says_where_the_others_are():
    page = block(rd.Stack)
    assert '::: robot_dynamics.robot.stacks.Stack.with_payload' in page
    assert 'Stack.inverse_dynamics' not in page
    assert '[Robot](#robot_dynamics.robot.robot.Robot)' in page


def test_a_summary_is_the_first_sentence():
    assert summary(rd.Robot, 'variants').startswith('A stack of N robots')
    assert summary(rd.Robot, 'jacobian_rate').startswith('dJ/dt')
    assert summary(rd.Robot, 'n') == 'Number of joints that move freely, which is `nv`'
