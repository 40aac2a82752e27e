"""The pictures of the ready sweeps (python -m experiments.sweeps), drawn from made-up results."""

from __future__ import annotations

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from experiments.sweeps.pictures import PICTURES, files
from netsim.sweeps import load
from tests.show.test_sweep_pictures import RECORD, sweep_of

mpl.use("agg")
MADE_UP = RECORD | {"cpu.receiver": 0.7, "latency": 1e-4, "utilisation.sender bus": 0.3}


@pytest.mark.parametrize("name", PICTURES)
def test_no_two_lines_look_the_same(name: str) -> None:
    draw, _ = PICTURES[name]
    figure = Figure()
    draw(figure, {file.stem: sweep_of(load(file).scenario, load(file).axes, MADE_UP) for file in files(name)})
    for axes in figure.axes:
        looks = [(line.get_color(), line.get_marker()) for line, _, _ in axes.containers]
        assert looks
        assert len({*looks}) == len(looks)
