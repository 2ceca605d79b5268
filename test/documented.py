"""What the pages print: their blocks of code, and their C++ made into programs."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / 'README.md', ROOT / 'CONTRIBUTING.md', *sorted((ROOT / 'docs').rglob('*.md'))]
BLOCK = re.compile(r'^( *)```(\w+)\n(.*?)^ *```', re.DOTALL | re.MULTILINE)
CMAKE_LISTS = """\
cmake_minimum_required(VERSION 3.16)
project(page CXX)
find_package(rclcpp QUIET)
if(NOT rclcpp_FOUND)
  message(FATAL_ERROR "no rclcpp")
endif()
foreach(package IN ITEMS {packages})
  find_package(${{package}} REQUIRED)
  list(APPEND targets ${{${{package}}_TARGETS}})
endforeach()
add_executable(program program.cpp)
target_link_libraries(program rclcpp::rclcpp ${{targets}})
"""


def blocks(page, kind):
    """Return the fenced blocks of a kind, without what they are indented by."""
    text = page.read_text(encoding='utf-8')
    return [''.join(line[len(indent):] for line in body.splitlines(keepends=True))
            for indent, language, body in BLOCK.findall(text) if language == kind]


def compiled(code, folder):
    """Return the program that C++ for ROS becomes; skip where cmake finds no rclcpp."""
    if not shutil.which('cmake'):
        pytest.skip('needs cmake')
    packages = sorted(set(re.findall(r'#include <(\w+)/', code)) - {'rclcpp'})
    (folder / 'CMakeLists.txt').write_text(CMAKE_LISTS.format(packages=' '.join(packages)))
    (folder / 'program.cpp').write_text(code)
    for command in (['-S', folder, '-B', folder], ['--build', folder]):
        done = subprocess.run(['cmake', *command], capture_output=True, text=True, check=False,
                              timeout=600)
        if 'no rclcpp' in done.stderr:
            pytest.skip('needs rclcpp, of a ROS distribution: cmake finds none')
        assert done.returncode == 0, done.stdout[-500:] + done.stderr[-2000:]
    return folder / 'program'
