# SPDX-License-Identifier: Apache-2.0
"""What every page that the package writes must keep to: ids, contrast, tables, numbers, bars."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_VOID = {"meta", "link", "br", "hr", "img", "input"}
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}\b")
_PHONE = 310  # pixels that a picture has on a page 400 wide
_WIDE = 720  # pixels that a picture has on the narrowest page that is not a telephone's


class Page(HTMLParser):
    """Elements with their attributes and ancestors, and the text outside code, style and svg."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.source = text
        self.elements: list[tuple[str, dict[str, str], list[tuple[str, dict[str, str]]]]] = []
        self.text = ""
        self._open: list[tuple[str, dict[str, str]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.elements.append((tag, attributes, list(self._open)))
        if tag not in _VOID:
            self._open.append((tag, attributes))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {k: v or "" for k, v in attrs}, list(self._open)))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        silent = {"style", "svg", "code", "footer", "title"}
        if not silent & {tag for tag, _ in self._open}:
            self.text += data


def check_ids(page: Page) -> None:
    """Each id once, and every reference has its id."""
    ids = [attributes["id"] for _, attributes, _ in page.elements if "id" in attributes]
    assert sorted(ids) == sorted(set(ids))
    wanted = set(re.findall(r"url\(#([^)]+)\)", page.source))
    for _, attributes, _ in page.elements:
        for name in ("href", "xlink:href"):
            if attributes.get(name, "").startswith("#"):
                wanted.add(attributes[name][1:])
    assert wanted <= set(ids), wanted - set(ids)


def check_tables(page: Page) -> None:
    """Each table is in a region that scrolls, has a name and takes the keyboard's focus."""
    tables = [above for tag, _, above in page.elements if tag == "table"]
    assert tables
    for above in tables:
        regions = [a for _, a in above if a.get("role") == "region"]
        assert regions and regions[-1].get("tabindex") == "0" and regions[-1].get("aria-label")
    assert ".scroll:focus-visible" in page.source
    assert "overflow-x: auto" in page.source and "Scroll sideways" in page.source


def check_numbers(page: Page) -> None:
    """Numbers of five digits and more are grouped."""
    assert re.findall(r"(?<![\w.,])\d{5,}", page.text) == []


def contrast(a: str, b: str) -> float:
    """The ratio that WCAG 2 defines.

    >>> contrast("#000000", "#ffffff")
    21.0
    """

    def luminance(colour: str) -> float:
        if len(colour) == 4:
            colour = "#" + "".join(2 * c for c in colour[1:])
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def check_contrast(page: Page, backgrounds: tuple[str, ...]) -> None:
    """Text 4.5 on every background it can stand on; lines, bars and points of charts 3."""
    style = "".join(re.findall(r"<style[^>]*>(.*?)</style>", page.source, re.DOTALL))
    names = dict(re.findall(r"--([\w-]+): (#[0-9a-fA-F]{3,6})", style))
    style = re.sub(r"var\(--([\w-]+)(?:, [^)]*)?\)", lambda m: names.get(m[1], m[0]), style)
    checked = 0
    for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", style):
        found = re.search(r"(?<![\w-])color:\s*(#\w+)", body)
        own = re.search(r"background:\s*(#\w+)", body)
        if found is None:
            continue
        checked += 1
        for background in (own[1],) if own else backgrounds:
            ratio = contrast(found[1], background)
            assert ratio >= 4.5, f"{selector.strip()}: {found[1]} on {background}: {ratio:.2f}"
    for pattern in re.findall(r"\.bar\.\w+[^{]*\{([^{}]*)\}", style):
        checked += 1
        assert any(contrast(c, backgrounds[0]) >= 3 for c in _COLOUR.findall(pattern)), pattern
    assert checked > 4


def check_pictures(page: Page, faint: tuple[str, ...] = ("#ffffff",)) -> None:
    """Colours, opacity and letters of the pictures inside, as a telephone would show them.

    ``faint`` are colours of grids and of areas, which carry no meaning alone.
    """
    parts = re.findall(r'(?:--least: (\d+)px">)?(<svg.*?</svg>)', page.source, re.DOTALL)
    for least, picture in parts:
        if 'class="whole"' in picture[:40]:  # a wide page's, hidden on a telephone
            least = str(_WIDE)
        for colour in set(re.findall(r"(?:stroke|fill)(?:: ?|=['\"])(#\w+)", picture)):
            assert colour in faint or contrast(colour, "#ffffff") >= 3, colour
        for opacity in re.findall(r"opacity: ?([\d.]+)", picture):
            assert float(opacity) == 1 or float(opacity) == 0, opacity
        if 'aria-hidden="true"' in picture:  # a key of a legend, without letters
            continue
        width = float(re.search(r"viewBox=['\"]0 0 ([\d.]+)", picture)[1])  # type: ignore[index]
        # A letter of matplotlib's is drawn at 100 units and scaled.
        sizes = [100 * float(s) for s in re.findall(r"scale\(([\d.]+) -[\d.]+\)", picture)]
        shown = max(_PHONE, int(least or 0))
        sizes += [float(s) for s in re.findall(r"font-size=['\"]([\d.]+)", picture)]
        assert sizes and min(sizes) * min(1.2, shown / width) >= 9, (min(sizes), width)


def bars(page: Page) -> list[tuple[str, float]]:
    """Pattern and length, in per cent, of every bar made of boxes."""
    found = []
    for tag, attributes, _ in page.elements:
        if tag == "span" and attributes.get("class", "").startswith("bar "):
            width = re.search(r"width: ([\d.]+)%", attributes["style"])
            assert width is not None
            found.append((attributes["class"].removeprefix("bar "), float(width[1])))
    return found
