# SPDX-License-Identifier: Apache-2.0
"""The report's page: what every page must keep to, and how a real browser shows it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Tab, browser, started
from page_checks import (
    Page,
    check_contrast,
    check_ids,
    check_numbers,
    check_pictures,
    check_tables,
    contrast,
)

from nttforge_papers._exhibits import Chart, Series
from nttforge_papers._sections import number
from nttforge_papers.all import charts

needs_browser = pytest.mark.skipif(browser() is None, reason="no Chromium on PATH")


@pytest.fixture(scope="module")
def page(written: Path) -> Page:
    return Page((written / "index.html").read_text(encoding="utf-8"))


def test_page_keeps_the_rules(page: Page) -> None:
    check_ids(page)
    check_tables(page)
    check_numbers(page)
    check_contrast(page, ("#ffffff", "#f6f7f9", "#f1f4f9", "#eef6f0"))
    check_pictures(page, ("#ffffff", "#e1e5ea"))


def test_nothing_comes_from_a_network(page: Page) -> None:
    for _, attributes, _ in page.elements:
        for name in ("src", "href"):
            assert attributes.get(name, "#").startswith("#"), attributes
    assert not re.findall(r"url\((?!#)|@import|<script", page.source)


def test_headings_tables_and_pictures_say_what_they_are(page: Page) -> None:
    levels = [int(tag[1]) for tag, _, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b <= a + 1 for a, b in itertools.pairwise(levels))
    tables = page.source.count("<table>")
    assert tables == page.source.count("<table><caption>") > 50
    assert page.source.count("<th") == page.source.count("<th scope=") + page.source.count(
        "<thead>"
    )
    pictures = [attributes for tag, attributes, _ in page.elements if tag == "svg"]
    for attributes in pictures:
        assert attributes.get("aria-hidden") == "true" or attributes["role"] == "img"
    named = [a["aria-labelledby"] for a in pictures if "aria-labelledby" in a]
    assert len(named) > 20
    texts = re.findall(
        r'<title id="([^"]+)">[^<]+</title><desc id="([^"]+)">[^<]+</desc>', page.source
    )
    assert [" ".join(ids) for ids in texts] == named
    assert '<html lang="en">' in page.source and "<main>" in page.source


def test_charts_have_the_values_in_words() -> None:
    def points(*values: float) -> list[tuple[Any, str]]:
        return [(2.0**i, number(v, 2)) for i, v in enumerate(values)]

    chart = Chart("A < B", "n", "ms", [Series("one", "paper", points(1, 10, 100))], "xy")
    drawn = charts.draw(chart, "id")
    assert "one: 1.00 at 1, 100.00 at 4." in drawn and "A &lt; B" in drawn
    assert 'stroke-dasharray="6 4"' in drawn  # the paper's lines are dashed
    heights = [float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)(?=[L\"])", drawn)]
    a, b, c = heights[:3] if len(heights) == 3 else heights[-3:]
    assert abs((a - b) - (b - c)) < 0.2 and a > b > c  # equal steps on a logarithmic axis
    assert charts.draw(Chart("", "", "", []), "id") == ""
    assert charts.draw(chart, "id") == drawn


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with started() as found:
        yield found


@needs_browser
@pytest.mark.parametrize("width", [320, 400, 768, 1280])
def test_nothing_is_cut_off_or_scrolls_sideways(tab: Tab, written: Path, width: int) -> None:
    tab.open(written / "index.html", width)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    beyond = tab.evaluate(
        "[...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll') &&"
        f" !e.closest('.skip') && e.getBoundingClientRect().right > {width} + 1).length"
    )
    assert beyond == 0
    smallest = tab.evaluate(
        "Math.min(...[...document.querySelectorAll('p, li, td, th, figcaption')].map("
        "e => parseFloat(getComputedStyle(e).fontSize)))"
    )
    assert smallest >= 13


@needs_browser
def test_the_keyboard_reaches_everything_in_order(tab: Tab, written: Path) -> None:
    tab.open(written / "index.html", 1280)
    places = []
    for i in range(60):
        tab.press("Tab")
        found = tab.evaluate(
            "(() => { const e = document.activeElement; const s = getComputedStyle(e);"
            " return [e.className || e.tagName, e.getBoundingClientRect().top + scrollY,"
            " s.outlineStyle, e.textContent.slice(0, 20)] })()"
        )
        assert found[2] != "none", found  # the focus is seen
        places.append(found)
        if i == 0:
            assert found[0] == "skip" and found[3].startswith("Skip")
    tops = [top for _, top, _, _ in places[1:]]
    assert tops == sorted(tops) and len(set(tops)) > 20
    assert "scroll" in {name for name, *_ in places}


@needs_browser
def test_tables_scroll_with_the_arrow_keys(tab: Tab, written: Path) -> None:
    tab.open(written / "index.html", 400)
    tab.evaluate("document.querySelector('#first .scroll').focus()")
    for _ in range(3):
        tab.press("ArrowRight")
    tab.wait("document.querySelector('#first .scroll').scrollLeft > 0")


@needs_browser
def test_colours_as_the_browser_shows_them(tab: Tab, written: Path) -> None:
    tab.open(written / "index.html", 1280)
    pairs = tab.evaluate(
        "(() => { const found = new Set();"
        " for (const e of document.querySelectorAll('body *:not(svg *):not(.skip)')) {"
        "  if (![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim())) continue;"
        "  let b = e; while (getComputedStyle(b).backgroundColor == 'rgba(0, 0, 0, 0)')"
        "   b = b.parentElement;"
        "  found.add(getComputedStyle(e).color + '|' + getComputedStyle(b).backgroundColor) }"
        " return [...found] })()"
    )
    assert len(pairs) > 6
    for pair in pairs:
        text, ground = (
            "#" + "".join(f"{int(v):02x}" for v in re.findall(r"\d+", colour)[:3])
            for colour in pair.split("|")
        )
        assert contrast(text, ground) >= 4.5, pair


@needs_browser
def test_on_paper_tables_fit(tab: Tab, written: Path) -> None:
    tab.open(written / "index.html", 1030)  # A4 across, less its margins
    tab.call("Emulation.setEmulatedMedia", media="print")
    assert tab.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert (
        tab.evaluate("getComputedStyle(document.querySelector('.scroll')).overflowX") == "visible"
    )
    hint = (
        "[...document.querySelectorAll('.hint')].every(e => getComputedStyle(e).display == 'none')"
    )
    assert tab.evaluate(hint)
    wide = tab.evaluate(
        "[...document.querySelectorAll('table')].filter(t => t.scrollWidth > 1030).length"
    )
    tab.call("Emulation.setEmulatedMedia", media="")
    assert wide == 0
