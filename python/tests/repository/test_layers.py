# SPDX-License-Identifier: Apache-2.0
"""tools/layers.py: arrows as data, what is checked by them, and the picture that they give."""

import doctest
import importlib
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import ModuleType

import pytest

TOOLS = Path(__file__).resolve().parents[3] / "tools"
NAMES = ("layers", "python_imports", "check_layers", "check_sizes", "draw_architecture")


@pytest.fixture(scope="module")
def tools() -> dict[str, ModuleType]:
    sys.path.insert(0, str(TOOLS))
    try:
        return {name: importlib.import_module(name) for name in NAMES}
    finally:
        sys.path.remove(str(TOOLS))


@pytest.mark.parametrize("name", NAMES)
def test_examples_and_planted_faults(tools: dict[str, ModuleType], name: str) -> None:
    assert doctest.testmod(tools[name]).failed == 0
    if hasattr(tools[name], "self_test"):
        assert tools[name].self_test() == []


def test_arrows_cannot_go_up(tools: dict[str, ModuleType]) -> None:
    layer, allowed = tools["layers"].Layer, tools["layers"].allowed
    with pytest.raises(ValueError, match="a stands on b, which must come before it"):
        allowed((layer("a", ("b",)), layer("b")))
    with pytest.raises(ValueError, match="layer a is there twice"):
        allowed((layer("a"), layer("a")))


def test_every_layer_with_a_part_is_in_the_picture(tools: dict[str, ModuleType]) -> None:
    data, draw = tools["layers"], tools["draw_architecture"]
    python = (*data.PYTHON, *data.HARDWARE)
    text = draw.picture(data.CPP, python)
    drawn = [e.text for e in ElementTree.fromstring(text).iter() if e.get("class") == "name"]
    wanted = [row.name.rpartition("/")[2] for row in (*data.CPP, *python) if row.part]
    wanted[wanted.index("__init__")] = "nttforge_hardware"
    assert sorted(drawn) == sorted([*wanted, "python/nttforge"])
    assert text == draw.OUT.read_text("utf-8"), "run python tools/draw_architecture.py"


def test_layers_to_come_can_be_drawn(tools: dict[str, ModuleType]) -> None:
    """A longer chain, two schemes side by side, a layer that several bands lie above."""
    data, draw = tools["layers"], tools["draw_architecture"]
    more = (
        data.Layer("nttforge/shared", ("nttforge/multi",), "scheme", "what schemes share"),
        data.Layer("nttforge/one", ("nttforge/shared",), "scheme", "a scheme"),
        data.Layer("nttforge/other", ("nttforge/shared", "nttforge/device"), "scheme", "another"),
    )
    rows = [row for row in data.CPP if row.part != "scheme" and "/" in row.name and row.part]
    boxes = draw.chain([*rows, *more], 0)
    assert boxes["nttforge/one"].y == boxes["nttforge/other"].y < boxes["nttforge/shared"].y
    assert draw.picture([*rows, *more], data.PYTHON).count('class="head"') > 12
    long = data.Layer("nttforge/one", ("nttforge/shared",), "scheme", "word " * 60)
    with pytest.raises(ValueError, match="does not fit into its box"):
        draw.picture([*rows, more[0], long], data.PYTHON)
