# SPDX-License-Identifier: Apache-2.0
"""What must hold of the built pages: links, nothing from elsewhere, no sideways scrolling.

Links between pages are followed to their file and anchor. What a page loads (scripts, styles,
pictures, fonts) must be in the site's folder. Where there is a Chromium, every page is opened at
400 and 1280 pixels, and none may be wider than its window.
"""

from __future__ import annotations

import concurrent.futures
import re
import sys
import urllib.error
import urllib.request
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

from stage import REPOSITORY

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python/tests/helpers"))

WIDTHS = (400, 1280)
#: Elements whose attribute makes a browser load something.
LOADED = {"script": "src", "img": "src", "link": "href", "source": "src", "iframe": "src"}


class _Page(HTMLParser):
    """What a page links to and loads, and its anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag in LOADED and found.get(LOADED[tag]) and found.get("rel") != "canonical":
            self.loads.append(found[LOADED[tag]])


def read(site: Path) -> dict[Path, _Page]:
    """Every page of the site."""
    return {path: _Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def wrong_links(site: Path, pages: dict[Path, _Page]) -> list[str]:
    """Links to files or anchors that are not there, and what is loaded from elsewhere."""
    problems = []
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        for target in [*page.links, *page.loads]:
            if target.startswith("data:"):
                continue
            if re.match(r"[a-z][a-z0-9+.-]*:|//", target):
                if target in page.loads:
                    problems.append(f"{name} loads {target}")
                continue
            file, fragment = urldefrag(target)
            there = path if not file else (path.parent / unquote(file.split("?")[0])).resolve()
            if not there.is_file():
                problems.append(f"{name} links to {target}, which is not there")
            elif fragment and there in pages and unquote(fragment) not in pages[there].anchors:
                problems.append(f"{name} links to {target}: there is no such anchor")
    for path in site.rglob("*.css"):
        for target in re.findall(r"url\(['\"]?([^)'\"]+)", path.read_text(encoding="utf-8")):
            if re.match(r"https?:|//", target):
                problems.append(f"{path.relative_to(site)} loads {target}")
    return problems


def _answers(address: str) -> str:
    request = urllib.request.Request(address, headers={"User-Agent": "nttforge-docs"})
    try:
        with urllib.request.urlopen(request, timeout=20):
            return ""
    except (urllib.error.URLError, OSError, ValueError) as error:
        return f"{address}: {error}"


def wrong_addresses(pages: dict[Path, _Page]) -> list[str]:
    """Addresses of other sites that do not answer; those of the repository stand for its files."""
    addresses = {
        urldefrag(link)[0]
        for page in pages.values()
        for link in page.links
        if re.match(r"https?:", link) and not link.startswith(REPOSITORY)
    }
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return [said for said in pool.map(_answers, sorted(addresses)) if said]


def too_wide(site: Path, pages: dict[Path, _Page]) -> list[str] | None:
    """Pages that scroll sideways at a width of WIDTHS; None where there is no browser."""
    import browser

    if browser.browser() is None:
        return None
    problems = []
    measure = "document.documentElement.scrollWidth"
    with browser.started() as tab:
        for path in pages:
            for width in WIDTHS:
                tab.open(path, width)
                found = tab.evaluate(measure)
                if found > width:
                    name = path.relative_to(site).as_posix()
                    problems.append(f"{name} is {found} pixels wide in a window of {width}")
    return problems


def search_finds(site: Path) -> list[str]:
    """The search's answers, with excerpts, are shown from the folder, without a server."""
    import browser

    words = {
        "polynomial_product": "NttPlan",
        "relinearize": "rlwe",
        "nttforge_forward": "reference/c",
        "hoisted+rotations": "encrypted-computing",
    }
    problems = []
    with browser.started() as tab:
        for word, expected in words.items():
            tab.open(site / "search.html", 400)
            address = (site / "search.html").resolve().as_uri()
            tab.evaluate("window.before = 1")
            tab.call("Page.navigate", url=f"{address}?q={word}")
            tab.wait("window.before === undefined && document.readyState == 'complete'")
            try:
                tab.wait("document.querySelectorAll('#search-results li').length > 0")
            except AssertionError:
                problems.append(f"the search for {word} finds nothing")
                continue
            tab.wait("document.querySelector('#search-results h2') !== null")
            excerpts = "[...document.querySelectorAll('#search-results .context')]"
            try:
                tab.wait(f"{excerpts}.some(p => p.textContent.length > 40)")
            except AssertionError:
                problems.append(f"the search for {word} shows no excerpts")
            links = tab.evaluate(
                "[...document.querySelectorAll('#search-results a')]"
                ".map(a => a.href + a.text).join()"
            )
            if expected not in links:
                problems.append(f"the search for {word} does not find {expected}")
    return problems


def check(site: Path, external: bool) -> list[str]:
    """What is wrong with the site, a line each."""
    pages = read(site)
    problems = wrong_links(site, pages)
    if external:
        problems += wrong_addresses(pages)
    wide = too_wide(site, pages)
    if wide is None:
        print("no browser here: widths and search were not looked at")
    else:
        problems += wide + search_finds(site)
        print(f"{len(pages)} pages opened at {' and '.join(map(str, WIDTHS))} pixels")
    links = sum(len(page.links) for page in pages.values())
    print(f"{len(pages)} pages, {links} links, {len(problems)} problems")
    return problems
