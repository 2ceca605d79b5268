"""The pictures of the documentation: few colours, and no legend loses its own."""

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('viser', reason='needs viser: the extra viewer brings it')

from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[2] / 'tools'))
from gallery import shrink


def test_a_small_legend_keeps_its_colour_and_greys_stay_grey(tmp_path):
    generator = np.random.default_rng(1)
    picture = np.repeat(generator.integers(0, 256, (300, 400, 1)), 3, axis=2).astype(np.uint8)
    picture[..., 2] //= 2  # all hues of yellow, but for
    picture[:, :150] = 240, 241, 243  # much grey, and
    picture[10:18, 10:18] = 138, 99, 176  # eight points of violet
    file = tmp_path / 'picture.png'
    Image.fromarray(picture).save(file)
    before = file.stat().st_size
    shrink(file)
    drawn = Image.open(file)
    assert drawn.mode == 'P' and file.stat().st_size < before / 1.5
    found = np.asarray(drawn.convert('RGB')).astype(int)
    assert np.abs(found[12, 12] - [138, 99, 176]).max() <= 8
    assert np.abs(found[100, 50] - [240, 241, 243]).max() <= 1
