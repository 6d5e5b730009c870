# SPDX-License-Identifier: Apache-2.0
"""The code blocks of the repository's documents, and which of them are run.

A fenced block names its language. Blocks of python, cpp, c and console are run by
tools/run_blocks.py, unless the line before says why not:

    <!-- not run: reason -->           never
    <!-- run with: an NVIDIA GPU -->   only on machines that have this (NEEDED)
    <!-- long: what takes minutes -->  with --long only

Blocks of text, cmake and of other projects' languages are never programs of ours: text is a formula
or a layout, cmake is what a C++ block beside it is built with. A block that is merely indented is a
formula, and only pages of formulas have such.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import platforms

ROOT = Path(__file__).resolve().parent.parent
RUN = ("python", "cpp", "c", "console")
NOT_PROGRAMS = ("text", "cmake")
NOTEBOOK = "{code-cell}"
#: Folders of the site whose indented blocks are formulas or figures.
FORMULAS = ("docs/bounds/", "docs/lab/", "docs/decisions/", "docs/papers/")
BLOCK = re.compile(
    r"(?:^<!-- (?P<word>not run|run with|long): (?P<said>[^>]*) -->\n)?"
    r"^(?P<fence>```)(?P<language>[^\n]*)\n(?P<code>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


def _gpu() -> bool:
    if shutil.which("nvidia-smi") is None:
        return False
    said = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False)
    return "GPU 0" in said.stdout


def _cupy() -> bool:
    try:
        import cupy
    except ImportError:
        return False
    return bool(cupy.cuda.is_available())


def _wheel(project: str) -> bool:
    version = f"3.{sys.version_info.minor}"
    return platforms.newest_wheel(ROOT / "dist", version, os.uname().machine, project) is not None


#: What a block may need, and whether it is here.
NEEDED: dict[str, Callable[[], bool]] = {
    "a release on a package index, or its wheel in dist/": lambda: _wheel("nttforge"),
    "a release on a package index, or both wheels in dist/": lambda: (
        _wheel("nttforge") and _wheel("nttforge_cuda")
    ),
    "pkg-config": lambda: shutil.which("pkg-config") is not None,
    "xdsl": lambda: importlib.util.find_spec("xdsl") is not None,
    "an NVIDIA GPU": _gpu,
    "an NVIDIA GPU and CuPy": lambda: _gpu() and _cupy(),
}


class BlockError(Exception):
    """A block that the rules do not allow, with page and line."""


@dataclass(frozen=True)
class Block:
    """A fenced block.

    ``reason``: why it is not run here, or empty. ``long``: why only --long runs it, or empty.
    """

    page: str
    line: int
    language: str
    code: str
    reason: str
    long: str = ""

    @property
    def at(self) -> str:
        return f"{self.page}:{self.line}"

    def left_out(self, long: bool) -> str:
        """Why this run, with --long or without, leaves it out; empty if it does not."""
        return self.reason or ("" if long else self.long)


def documents() -> list[str]:
    """Every page of the site that stands in the repository, and the README."""
    found = [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")]
    pages = [page for page in found if not page.startswith("docs/site/")]
    others = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "bench/README.md"]
    return [*others, *sorted(pages)]


def _indented(text: str) -> int:
    """Line of the first block that is indented and not a part of a list; 0 if there is none."""
    listed, fenced, before = False, False, ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and line.strip():
            if re.match(r"\s*([-*+]|\d+\.)\s", line):
                listed = True
            elif not line.startswith(" "):
                listed = False
            if line.startswith("    ") and not before.strip() and not listed:
                return number
        before = line
    return 0


def blocks_of(page: str, text: str | None = None) -> list[Block]:
    """The fenced blocks of a page; raises BlockError at one that could be overlooked."""
    if text is None:
        text = (ROOT / page).read_text(encoding="utf-8")
    found = list(BLOCK.finditer(text))
    fences = re.findall(r"^\s*(```|~~~)", text, re.MULTILINE)
    if len(fences) != 2 * len(found):
        raise BlockError(f"{page}: a block is not between ``` and ``` at the beginning of a line")
    if (at := _indented(text)) and not page.startswith(FORMULAS):
        raise BlockError(f"{page}:{at}: an indented block has no language: use ``` and a language")
    if len(re.findall(r"^<!-- (?:not run|run with|long):", text, re.MULTILINE)) != sum(
        1 for block in found if block["word"]
    ):
        raise BlockError(f"{page}: a marker does not stand directly before a block")
    blocks = []
    for block in found:
        line = text.count("\n", 0, block.start("fence")) + 1
        language, reason, long = block["language"].split(" ")[0], "", ""
        if block["word"] == "not run":
            reason = block["said"]
        elif block["word"] == "long":
            long = block["said"]
        elif block["word"]:
            if block["said"] not in NEEDED:
                raise BlockError(f"{page}:{line}: {block['said']!r} is not in NEEDED")
            reason = "" if NEEDED[block["said"]]() else f"needs {block['said']}"
        known = (*RUN, *NOT_PROGRAMS, NOTEBOOK)
        if language not in known and not reason:
            raise BlockError(
                f"{page}:{line}: {language or 'no language'}: known: {', '.join(known)}"
            )
        if language == "console" and not re.search(r"^\$ ", block["code"], re.MULTILINE):
            raise BlockError(f"{page}:{line}: a console block has no line that begins with '$ '")
        blocks.append(Block(page, line, language, block["code"], reason, long))
    return blocks
