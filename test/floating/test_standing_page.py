"""What docs/floating_base.md shows of standing is what its lines print."""

import re

from documented import ROOT

PAGE = ROOT / 'docs' / 'floating_base.md'


def test_the_contacts_are_those_that_are_printed(capsys):
    text = PAGE.read_text(encoding='utf-8')
    blocks = re.findall(r'```python\n(.*?)```', text, re.DOTALL)
    (standing,) = (block for block in blocks if 'contacts(' in block)
    (shown,) = re.findall(r'```\n(contact .*?)```', text, re.DOTALL)
    exec(compile(blocks[0] + standing, str(PAGE), 'exec'), {})
    printed = capsys.readouterr().out.splitlines()
    assert printed[:-1] == shown.splitlines()[:-1]
    assert abs(float(printed[-1]) - float(shown.splitlines()[-1])) < 1e-9
