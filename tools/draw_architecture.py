# SPDX-License-Identifier: Apache-2.0
"""Draw the layers as a picture, docs/architecture.svg, from the arrows of layers.py.

A layer stands in the band above the highest one that it stands on, and arrows lead to those. What
implements a declared interface stands beside it. The picture has a ground of its own, so that it
can be read where a page is dark and the reader's setting is not known.
--check compares the committed picture with what would be drawn.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from xml.sax.saxutils import escape

from layers import CPP, HARDWARE, PYTHON, Layer, allowed

OUT = pathlib.Path(__file__).resolve().parent.parent / "docs/architecture.svg"
MARGIN, GAP, HEIGHT = 24, 30, 60  # around everything, between boxes, of a box in one band
CHAIN, BESIDE, PLAIN = 500, 216, 212  # widths: the chain of layers, what implements them, Python
FRAME = 9  # around the layers that others implement, beyond their boxes
NARROW = 148  # width of a box that is drawn through several bands
NAME, TEXT, LETTER = 16, 14, 6.7  # sizes of text, and the width of a letter of the smaller
WIDTH = 2 * MARGIN + CHAIN + BESIDE + PLAIN + 2 * GAP
TOP = "what a user sees: arrays of NumPy, CuPy and PyTorch, the command nttforge, demo, papers"
#: Parts of the house: ground and line in light, ground and line in dark.
COLOURS = {
    "base": ("#edf0f4", "#8391a5", "#262c35", "#74839a"),
    "transform": ("#e0f0f6", "#3b8aa8", "#15303b", "#4697b5"),
    "device": ("#fcefd6", "#c3861a", "#3b2e13", "#c48d34"),
    "implements": ("#fdf6e7", "#c3861a", "#2c2514", "#c48d34"),
    "scheme": ("#efe8fa", "#8560c4", "#2d2143", "#9573d3"),
    "python": ("#e4f2e1", "#55934a", "#1c331a", "#62a157"),
}
LETTERS = f"""
text {{ font: {TEXT}px -apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif; }}
.name {{ font-size: {NAME}px; font-weight: 600; }}
.name, .says {{ text-anchor: middle; }}
rect {{ stroke-width: 1.4; }}
.arrow, .dashed {{ fill: none; stroke-width: 1.6; }}
.dashed {{ stroke-dasharray: 4 3; }}"""
LIGHT = """.card { fill: #ffffff; stroke: #d5dbe3; }
.name { fill: #1a2028; }
.says, .note { fill: #434d59; }
.arrow, .dashed { stroke: #67727f; }
.head { fill: #67727f; }"""
DARK = """.card { fill: #11151b; stroke: #363f4b; }
.name { fill: #f0f3f7; }
.says, .note { fill: #bcc6d1; }
.arrow, .dashed { stroke: #93a0af; }
.head { fill: #93a0af; }"""


@dataclass(frozen=True)
class Box:
    """Where a layer is drawn."""

    title: str
    part: str
    says: str
    x: float
    y: float
    width: float
    height: float

    def svg(self) -> list[str]:
        lines = textwrap.wrap(self.says, int((self.width - 20) / LETTER))
        tall = NAME + 5 + 17 * len(lines)
        if tall + 12 > self.height:
            raise ValueError(f"{self.title}: {self.says!r} does not fit into its box")
        x, y = self.x + self.width / 2, self.y + (self.height - tall) / 2 + NAME - 1
        place = f'x="{self.x:g}" y="{self.y:g}" width="{self.width:g}" height="{self.height:g}"'
        found = [f'<rect class="{self.part}" {place} rx="7"/>']
        found.append(f'<text class="name" x="{x:g}" y="{y:g}">{escape(self.title)}</text>')
        for i, line in enumerate(lines, 1):
            at = f'x="{x:g}" y="{y + 3 + 17 * i:g}"'
            found.append(f'<text class="says" {at}>{escape(line)}</text>')
        return found


def levels(layers: Sequence[Layer]) -> dict[str, int]:
    """The band of each layer of the chain, counted from the lowest: one above what it stands on.

    >>> levels((Layer("a", (), "base"), Layer("b", ("a",), "base"), Layer("c", ("a", "b"), "base")))
    {'a': 0, 'b': 1, 'c': 2}
    """
    found: dict[str, int] = {}
    for layer in layers:
        if layer.part and layer.part != "implements":
            found[layer.name] = 1 + max((found[below] for below in layer.on), default=-1)
    return found


def chain(layers: Sequence[Layer], top: float) -> dict[str, Box]:
    """The boxes of the C++ library: bands of the chain, and beside them what implements them.

    A layer goes on, at the right end, through the bands above in which nothing stands on it.
    """
    known = {layer.name: layer for layer in layers}
    level = levels(layers)
    users = {n: [level[u] for u in level if n in known[u].on] for n in level}
    highest = max(level.values())
    last = {n: min(users[n], default=highest + 1) - 1 for n in level}
    beside = [layer for layer in layers if layer.part == "implements"]
    upper = max(level[below] for layer in beside for below in layer.on)
    lower = min(level[n] for n in level if known[n].part == "transform")

    def y(band: int) -> float:
        return top + (highest - band) * (HEIGHT + GAP)

    boxes = {}
    for band in range(highest + 1):
        tall = [n for n in level if level[n] <= band <= last[n] and last[n] > level[n]]
        flat = [n for n in level if level[n] == band == last[n]]
        whole = CHAIN + GAP + BESIDE if band < lower else CHAIN
        room = whole - len(tall) * (NARROW + GAP) - GAP * (len(flat) - 1)
        x = float(MARGIN)
        for n in flat:
            boxes[n] = _box(known[n], x, y(band), room / len(flat), HEIGHT)
            x += room / len(flat) + GAP
        for n in tall:
            height = (last[n] - level[n]) * (HEIGHT + GAP) + HEIGHT
            boxes[n] = _box(known[n], x, y(last[n]), NARROW, height)
            x += NARROW + GAP
    height = (y(lower) + HEIGHT - y(upper) - GAP * (len(beside) - 1)) / len(beside)
    for i, layer in enumerate(beside):
        at = y(upper) + i * (height + GAP)
        boxes[layer.name] = _box(layer, MARGIN + CHAIN + GAP, at, BESIDE, height)
    return boxes


def _box(layer: Layer, x: float, y: float, width: float, height: float) -> Box:
    title = "nttforge_hardware" if layer.name == "__init__" else layer.name.rpartition("/")[2]
    return Box(title, layer.part, layer.says, x, y, width, height)


def arrow(above: Box, below: Box) -> str:
    """From a box straight down to one right below it.

    Raises
    ------
    ValueError
        If the one is not right below the other.
    """
    left = max(above.x, below.x)
    right = min(above.x + above.width, below.x + below.width)
    if right <= left or below.y <= above.y:
        raise ValueError(f"no straight arrow from {above.title} down to {below.title}")
    return _line((left + right) / 2, above.y + above.height, (left + right) / 2, below.y)


def _line(x1: float, y1: float, x2: float, y2: float, kind: str = "arrow") -> str:
    tip = 7 if kind == "arrow" else 5
    back = (x2, y2 - tip) if x1 == x2 else (x2 + tip, y2)
    head = f"M{x2:g} {y2:g}" + ("l-5 -8h10z" if x1 == x2 else "l8 -5v10z")
    body = f'<path class="{kind}" d="M{x1:g} {y1:g}L{back[0]:g} {back[1]:g}"/>'
    return f'{body}<path class="head" d="{head}"/>'


def declared(beside: Sequence[Box]) -> str:
    """The frame around the layers that those beside them implement."""
    y = min(box.y for box in beside) - FRAME
    height = max(box.y + box.height for box in beside) + FRAME - y
    place = f'x="{MARGIN - FRAME}" y="{y:g}" width="{CHAIN + 2 * FRAME}" height="{height:g}"'
    return f'<rect class="dashed" {place} rx="11"/>'


def legend(x: float, y: float) -> list[str]:
    """What the arrows mean."""
    return [
        _line(x + 14, y, x + 14, y + 26),
        f'<text class="note" x="{x + 34:g}" y="{y + 17:g}">uses; it may use what lies</text>',
        f'<text class="note" x="{x + 34:g}" y="{y + 33:g}">below that as well</text>',
        _line(x + 28, y + 53, x, y + 53, "dashed"),
        f'<text class="note" x="{x + 34:g}" y="{y + 57:g}">implements what is</text>',
        f'<text class="note" x="{x + 34:g}" y="{y + 74:g}">declared in the frame</text>',
    ]


def picture(cpp: Sequence[Layer], python: Sequence[Layer]) -> str:
    """The whole picture as SVG."""
    may = allowed(cpp)
    top = Box("python/nttforge", "python", TOP, MARGIN, MARGIN, WIDTH - 2 * MARGIN, HEIGHT)
    below = MARGIN + HEIGHT + GAP
    boxes = chain(cpp, below)
    floor = max(box.y + box.height for box in boxes.values())
    drawn = [layer for layer in python if layer.part]
    height = (floor - below - GAP * (len(drawn) - 1)) / len(drawn)
    plain = [
        _box(layer, WIDTH - MARGIN - PLAIN, floor - height - i * (height + GAP), PLAIN, height)
        for i, layer in enumerate(drawn)
    ]
    beside = [boxes[layer.name] for layer in cpp if layer.part == "implements"]
    used = {name for layer in cpp for name in layer.on if layer.name in boxes}
    parts = [declared(beside)]
    parts += [part for box in [top, *boxes.values(), *plain] for part in box.svg()]
    for layer in cpp:
        if layer.name in boxes and layer.part != "implements":
            named = [n for n in layer.on if not any(n in may[m] for m in layer.on if m != n)]
            parts += [arrow(boxes[layer.name], boxes[n]) for n in named]
            if layer.name not in used:
                parts.append(arrow(top, boxes[layer.name]))
    column = [top, *reversed(plain)]
    parts += [arrow(a, b) for a, b in pairwise(column)]
    for box in beside:
        middle = box.y + box.height / 2
        parts.append(_line(box.x, middle, MARGIN + CHAIN + FRAME, middle, "dashed"))
    parts += legend(MARGIN + CHAIN + GAP + 6, below + 2)
    tall = floor + MARGIN
    size = f'viewBox="0 0 {WIDTH} {tall:g}" width="{WIDTH}" height="{tall:g}"'
    place = f'x="0.5" y="0.5" width="{WIDTH - 1}" height="{tall - 1:g}"'
    told = "The layers of nttforge, and which stands on which"
    head = [
        "<!-- SPDX-License-Identifier: Apache-2.0 -->",
        "<!-- Written by tools/draw_architecture.py from tools/layers.py. -->",
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{told}">',
        f"<title>{told}</title>",
        f"<style>{style()}</style>",
        f'<rect class="card" {place} rx="12"/>',
    ]
    return "\n".join([*head, *parts, "</svg>"]) + "\n"


def style() -> str:
    """Letters, and colours in light and in dark."""
    light, dark = (
        [f".{part} {{ fill: {c[k]}; stroke: {c[k + 1]}; }}" for part, c in COLOURS.items()]
        for k in (0, 2)
    )
    night = ["@media (prefers-color-scheme: dark) {", *dark, DARK, "}"]
    return "\n".join([LETTERS, *light, LIGHT, *night])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args()
    text = picture(CPP, (*PYTHON, *HARDWARE))
    if not options.check:
        OUT.write_text(text, encoding="utf-8")
        return 0
    if not OUT.is_file() or OUT.read_text(encoding="utf-8") != text:
        print("docs/architecture.svg is not what tools/draw_architecture.py writes: run it")
        return 1
    print("docs/architecture.svg is what tools/layers.py says")
    return 0


if __name__ == "__main__":
    sys.exit(main())
