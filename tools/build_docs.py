"""Build the documentation's site in .cache/site: `make docs`.

Pages of docs/ are laid out in .cache/docs beside what is made from the code: tutorials of
examples/, the command line's help, the nodes' parameters, topics and services. Warnings are
errors. It is read from file:// as well as from a server.
"""

import argparse
import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

from api_pages import api_pages

ROOT = Path(__file__).resolve().parents[1]
PAGES, SITE = ROOT / '.cache' / 'docs', ROOT / '.cache' / 'site'
REPOSITORY = 'https://github.com/robot-dynamics/robot_dynamics/blob/main/'
FIRST = {  # what search finds first, and last: the beginning of a page's name, a factor
    'tutorials/': 3, 'controllers': 2, 'operators': 2, 'guides/': 2, 'simulator': 2, 'batches': 2,
    'ros/': 1.5, 'reference/robot': 1.5, 'reference/command_line': 0.7, 'equations': 0.5,
    'engine': 0.5,  # a word in a heading counts 1000 times as one in a text
    'contributing': 1e-3, 'changelog': 1e-3, 'decisions': 1e-3}


def main() -> int:
    """Lay out, generate, build; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--pages', action='store_true', help='stop when the pages are laid out')
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    shutil.rmtree(PAGES, ignore_errors=True)
    shutil.copytree(ROOT / 'docs', PAGES)
    for page in PAGES.rglob('*.md'):
        page.write_text(inside(page.read_text(encoding='utf-8')), encoding='utf-8')
    (PAGES / 'reference').mkdir(exist_ok=True)
    for name in ('CHANGELOG', 'CONTRIBUTING'):
        (PAGES / f'{name.lower()}.md').write_text(
            moved((ROOT / f'{name}.md').read_text(encoding='utf-8')), encoding='utf-8')
    titles = tutorials()
    for name, text in api_pages().items():
        write(f'reference/{name}.md', text)
    write('reference/command_line.md', command_line())
    write('reference/nodes.md', nodes())
    rank()
    write_configuration(titles)
    if options.pages:
        return 0
    status = subprocess.call([sys.executable, '-m', 'mkdocs', 'build', '--strict', '--quiet', '-f',
                              str(PAGES.parent / 'mkdocs.yml')], cwd=ROOT,
                             env={**os.environ, 'NO_MKDOCS_2_WARNING': '1'})
    if status:
        return status
    missing = SITE / '404.html'
    missing.write_text(from_anywhere(missing.read_text(encoding='utf-8')), encoding='utf-8')
    dead = dead_links(SITE)
    print('\n'.join(dead), end='\n' * bool(dead), file=sys.stderr)
    return int(bool(dead))


def write(name: str, text: str) -> None:
    """Write a page."""
    (PAGES / name).write_text(text, encoding='utf-8')


def rank() -> None:
    """Tell search, and the layout, what a page is: by the words at its head."""
    for page in PAGES.rglob('*.md'):
        name = page.relative_to(PAGES).as_posix()
        words = [f'search:\n  boost: {factor}\n' for start, factor in FIRST.items()
                 if name.startswith(start)]
        if name.startswith('tutorials/'):
            words.append('hide: [toc]\n')  # there are no headings
        if words:
            page.write_text(f'---\n{"".join(words)}---\n{page.read_text(encoding="utf-8")}',
                            encoding='utf-8')


def inside(text: str) -> str:
    """Return a page with its links to examples and README as they are in the site.

    docs/ lies one folder deeper in the repository than in the site.
    """
    text = re.sub(r'\]\(\.\./((?:\.\./)*)examples/(\w+)\.py\)', r'](\1tutorials/\2.md)', text)
    return re.sub(r'\]\(\.\./((?:\.\./)*)README\.md#nodes-and-topics\)',
                  r'](\1reference/nodes.md)', text)


def moved(text: str) -> str:
    """Return a page of the repository's root with its links as they are in the site."""
    text = re.sub(r'\]\(docs/([^)]+)\)', r'](\1)', text)
    text = re.sub(r'\]\((CHANGELOG|CONTRIBUTING)\.md', lambda found: found[0].lower(), text)
    return re.sub(r'\]\((?!https?:|#)([^)]*\.(?:py|yaml|cff|cfg|toml|txt))\)',
                  rf']({REPOSITORY}\1)', text)


def from_anywhere(text: str) -> str:
    """Return the page of addresses that do not exist with links that lead on from files too.

    A server shows it at any address, so that its links begin at the site's root, which file://
    does not know: they become relative to that root, or on file:// to the page itself.
    """
    found = re.search(r'"base": ?"(/[^"]*)"', text)
    root = found[1] if found else '/'
    text = re.sub(rf'(href|src)="{re.escape(root)}', r'\1="', text)
    base = (f'<base href="{root}"><script>if (location.protocol === "file:") '
            'document.querySelector("base").remove()</script>')
    return text.replace('<head>', f'<head>{base}', 1)


def dead_links(site: Path) -> list[str]:
    """Return the links of a site's pages that lead to files that are not there."""
    dead = []
    for page in sorted(site.rglob('*.html')):
        text = re.sub(r'<(pre|code|script)\b.*?</\1>|<base [^>]*>', '',
                      page.read_text(encoding='utf-8'), flags=re.DOTALL)
        for link in sorted(set(re.findall(r'\b(?:href|src)="([^"#?]+)', text))):
            if not re.match(r'[a-z]+:', link) and not (page.parent / unquote(link)).exists():
                dead.append(f'{page.relative_to(site)}: {link} leads nowhere')
    return dead


def tutorials() -> dict[str, str]:
    """Write a page for each example, with what it prints and draws; return titles."""
    titles = {}
    for file in sorted((ROOT / 'examples').glob('[0-9]*.py')):
        text = file.read_text(encoding='utf-8')
        found = re.match(r'"""(.*?)\n\n(.*?)\n"""\n\n(.*)', text, re.DOTALL)
        if found is None:
            raise SystemExit(f'{file}: expected a docstring of a title and a paragraph')
        title, prose, code = found.groups()
        page, name = f'tutorials/{file.stem}.md', file.stem.split('_', 1)[1]
        titles[page] = title.rstrip('.')
        printed = (PAGES / 'tutorials' / f'{name}.txt').read_text(encoding='utf-8')
        picture = f'![What it draws: {name}.png]({name}.png)' if name != 'viewer' else (
            '![The page, when the motion is over](../figures/view_panda_like.png)')
        write(page, f'# {title.rstrip(".")}\n\n{prose}\n\n```python\n{code}```\n\n'
                    f'It prints:\n\n```text\n{printed}```\n\n{picture}\n\nThe file is '
                    f'[examples/{file.name}]({REPOSITORY}examples/{file.name}).\n')
    return titles


def command_line() -> str:
    """Return the page of all commands and their help."""
    from robot_dynamics.cli.main import COMMANDS, make_parser
    parts = ['# Command line\n\nFILE is a `.urdf`, a `.xacro`, a DH `.yaml`, a mechanism file, or '
             'a name of `rd.robots()`. `--json` is for programs.\n']
    for name, does in COMMANDS.items():
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
            make_parser([name, '--help']).parse_args([name, '--help'])
        sentence = f'{does[0].upper()}{does[1:]}.'
        parts.append(f'## {name}\n\n{sentence}\n\n```text\n{said.getvalue()}```\n')
    return '\n'.join(parts)


def nodes() -> str:
    """Return the page of the nodes, as they describe themselves; a note where ROS is missing."""
    try:
        from node_pages import node_pages
    except ImportError as error:
        return f'# Nodes\n\nThis page is made where ROS 2 is: {error.name} is missing here.\n'
    return node_pages()


def write_configuration(titles: dict[str, str]) -> None:
    """Write mkdocs.yml for the pages that there are."""
    text = (ROOT / 'mkdocs.yml').read_text(encoding='utf-8')
    items = '\n'.join(f"      - '{title}': {page}" for page, title in titles.items())
    text = text.replace('  - Tutorials: TUTORIALS', f'  - Tutorials:\n{items}')
    extra = ''.join(f'      - reference/{page}.md\n' for page in ('more',)
                    if (PAGES / f'reference/{page}.md').exists())
    text = text.replace('      - reference/tables.md\n', f'      - reference/tables.md\n{extra}')
    listed = set(re.findall(r'[\w/]+\.md', text))
    new = [str(page.relative_to(PAGES)) for page in sorted(PAGES.rglob('*.md'))
           if str(page.relative_to(PAGES)) not in listed]
    text = text.replace('      - simulator.md\n',
                        '      - simulator.md\n' + ''.join(f'      - {page}\n' for page in new))
    text = text.replace('docs_dir: .cache/docs', f'docs_dir: {PAGES}').replace(
        'site_dir: .cache/site', f'site_dir: {SITE}').replace(
        'paths: [.]', f'paths: [{ROOT}]').replace(
        'tools/docstrings.py', str(ROOT / 'tools/docstrings.py'))
    (PAGES.parent / 'mkdocs.yml').write_text(text, encoding='utf-8')


if __name__ == '__main__':
    sys.exit(main())
