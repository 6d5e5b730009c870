# SPDX-License-Identifier: Apache-2.0
"""The documents of the repository as the source of the site, with links that hold there.

Pages stay where they are in the repository and read well there too. A copy of each goes to the
site's source: links between pages are kept, links to other files of the repository lead to GitHub,
and the pages that open a section get a list of what is in it.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
REPOSITORY = "https://github.com/nttforge/nttforge/blob/main/"

#: Documents outside docs/ that the site has, and where.
OTHERS = {
    "SECURITY.md": "project/security.md",
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "bench/README.md": "project/benchmarks.md",
}
#: What `nttforge paper all --kept` writes and the site has as it is, and what becomes its link.
REPORT = "papers/index.html"
_REPORT = (
    "<!-- the report -->",
    '* <a class="reference" href="index.html">The report</a>: all tables, figures and plots.',
)
#: Sections of the front page's list: title, pages.
SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Start": ("install/README", "five-minutes", "notebooks/README"),
    "Guides": ("encrypted-computing", "integers-without-end", "real-numbers",
               "real-numbers-without-end", "can-i", "functions-of-real-numbers",
               "examples/README", "coming-from", "c", "hexl", "gpu", "hardware", "hardware-league",
               "hardware-openxc7", "cluster", "scale", "serving", "web", "workloads", "ml",
               "compilers"),
    "Reference": ("reference/python", "reference/cpp", "reference/c", "reference/command-line",
                  "reference/verilog", "environment", "format", "algorithms", "terms"),
    "Background": ("overview", "papers/README", "bounds/README", "decisions/README", "lab/README",
                   "project/benchmarks", "references"),
    "Project": ("status", "platforms", "needs", "versioning", "project/security",
                "project/changelog", "project/contributing", "project/code"),
}  # fmt: skip
#: Pages that open a folder, and in which order its pages follow: those named, then the others.
FOLDERS = {
    "install/README": ("linux-x86-64", "linux-aarch64", "macos", "windows", "cuda", "source"),
    "notebooks/README": ("first-transform", "encrypted-statistics", "hardware-design"),
    "examples/README": (
        "statistics",
        "lookup",
        "retrieval",
        "network",
        "membership",
        "similarity",
        "life",
    ),
    "papers/README": ("summary", "errata"),
    "bounds/README": (),
    "decisions/README": (),
    "lab/README": (),
}
PICTURES = (".svg", ".png")
_LINK = re.compile(r"(\]\()([^)\s]+)(\))|^(\[[^\]]+\]: )(\S+)()$", re.MULTILINE)
#: A page of docs/ that is named without a link, in code or not.
_NAMED = re.compile(r"(?<![\w/(\[`])(`?)(docs/[\w/-]+\.md)\1(?![\w)\]`])")
_SEEN = re.compile(r"^<!-- seen of: (.*?) -->$", re.MULTILINE)


def places() -> dict[str, str]:
    """Path in the repository -> path in the site's source, of every page."""
    docs = ROOT / "docs"
    found = {
        path.relative_to(ROOT).as_posix(): path.relative_to(docs).as_posix()
        for path in sorted(docs.rglob("*.md"))
        if path.parent != HERE
    }
    return {**found, **OTHERS}


def linked(text: str, name: str, where: Mapping[str, str]) -> str:
    """``text`` of the document ``name`` with links that hold in the site."""
    here = Path(where[name]).parent.as_posix()

    def changed(found: re.Match[str]) -> str:
        before, target, after = (found[1], found[2], found[3]) if found[1] else found.group(4, 5, 6)
        file, mark, fragment = target.removeprefix(REPOSITORY).partition("#")
        own = target.startswith(REPOSITORY)
        file = file.removesuffix("?raw=true")
        if not own and (re.match(r"[a-z]+:", target) or not file):
            return found[0]
        path = file if own else os.path.normpath(f"{Path(name).parent.as_posix()}/{file}")
        if path in where:
            return f"{before}{os.path.relpath(where[path], here)}{mark}{fragment}{after}"
        if Path(path).suffix in PICTURES and (ROOT / path).is_file():
            return f"{before}{os.path.relpath(f'pictures/{path}', here)}{after}"
        if not (ROOT / path).exists():
            raise SystemExit(f"{name}: the link to {target} leads nowhere")
        return f"{before}{REPOSITORY}{path}{mark}{fragment}{after}"

    def named(found: re.Match[str]) -> str:
        if found[2] not in where:
            return found[0]
        return f"[{found[1]}{found[2]}{found[1]}]({os.path.relpath(where[found[2]], here)})"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(
        part if part.startswith("```") else _NAMED.sub(named, _LINK.sub(changed, part))
        for part in parts
    )


def seen_of(platform: str) -> str:
    """The row of docs/platforms.md whose first cell begins with ``platform``, as a list."""
    text = (ROOT / "docs/platforms.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("| ").split("|")]
            for line in text.splitlines() if line.startswith("|")]  # fmt: skip
    for row in rows[2:]:
        if row[0].startswith(platform):
            cells = zip(rows[0][1:], row[1:], strict=True)
            said = [f"* {head}: {cell}" for head, cell in cells if cell != "—"]
            return "\n".join(said)
    raise SystemExit(f"docs/platforms.md has no row of {platform!r}")


def toctree(pages: tuple[str, ...], caption: str = "", depth: int = 1) -> str:
    head = f":caption: {caption}\n" if caption else ""
    return (
        f"\n```{{toctree}}\n:hidden:\n:maxdepth: {depth}\n{head}\n" + "\n".join(pages) + "\n```\n"
    )


def contents(page: str, where: Mapping[str, str]) -> str:
    """The list of pages below one that opens the site or a folder."""
    if page == "index":
        return "".join(toctree(pages, title) for title, pages in SECTIONS.items())
    if page not in FOLDERS:
        return ""
    folder = page.rpartition("/")[0]
    there = [Path(to).stem for to in where.values() if Path(to).parent.as_posix() == folder]
    first = FOLDERS[page]
    if missing := set(first) - set(there):
        raise SystemExit(f"docs/{folder}: there are no pages {sorted(missing)}")
    others = sorted(set(there) - set(first) - {"README"})
    return toctree((*first, *others))


def write(path: Path, text: str) -> None:
    """Writes a file unless it is there with this text, so that its page is not built again."""
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def stage(source: Path, generated: Mapping[str, str]) -> None:
    """Fills the folder ``source`` with the documents and the generated pages, and nothing else."""
    where = places()
    wanted: set[str] = set()
    pictures: set[str] = set()
    for name, to in where.items():
        text = linked((ROOT / name).read_text(encoding="utf-8"), name, where)
        text = text.replace(*_REPORT)
        text = _SEEN.sub(lambda found: seen_of(found[1]), text)
        pictures |= set(re.findall(r"\]\((?:\.\./)*pictures/([^)]+)\)", text))
        write(source / to, text + contents(to.removesuffix(".md"), where))
        wanted.add(to)
    for to, text in generated.items():
        write(source / to, text)
        wanted.add(to)
    for name in sorted(pictures):
        (source / "pictures" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, source / "pictures" / name)
        wanted.add(f"pictures/{name}")
    for path in list(source.rglob("*")):
        if path.is_file() and path.relative_to(source).as_posix() not in wanted:
            path.unlink()
