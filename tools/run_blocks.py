# SPDX-License-Identifier: Apache-2.0
"""Run the code blocks of the documents: python tools/run_blocks.py BUILD [PAGE ...].

The python blocks of a page are one program, whose errors name the page's lines; C and C++ blocks
are built as the projects of tests/consumer are, against the installed library of BUILD; of console
blocks the lines that begin with "$ " are run, and so are the examples of the commands' help.
--quick leaves commands out, but for the README's: that is what make test does.
Everything runs in a scratch folder that looks like a clone. What is not run is listed with its
reason (tools/code_blocks.py).
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import programs
from code_blocks import NOT_PROGRAMS, NOTEBOOK, ROOT, RUN, Block, BlockError, blocks_of, documents
from help_examples import PAGE, examples
from test_consumer import build_consumer, installed_prefix

#: A scratch folder has links to these of the clone; results of commands go to the folder itself.
CLONE = ("bench", "docs", "examples", "hardware", "nttforge", "python", "tests", "tools")
#: Folders of a home in which shells look for completions.
SHELLS = (".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions")
#: What a C or C++ block includes, the project of tests/consumer for it, its source, its program.
PROJECTS = (
    ("nttforge/cxx17.hpp", "cxx17", "main.cpp", "cxx17_consumer"),
    ("nttforge/nttforge.h", "c", "main.c", "c_consumer"),
    ("", "", "main.cpp", "consumer"),
)


class Scratch:
    """A folder like a clone, in which a page's code runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in CLONE:
            (folder / name).symlink_to(ROOT / name)
        for name in SHELLS:
            (folder / "home" / name).mkdir(parents=True)

    def run(self, words: Sequence[str]) -> None:
        """A command; its end is shown where it fails. Caches and settings are the folder's too."""
        home = str(self.folder / "home")
        programs.output(BlockError, words, self.folder, HOME=home, XDG_CACHE_HOME=home)

    def python(self, page: str, blocks: Sequence[Block]) -> None:
        program = ""
        for block in blocks:
            program += "\n" * (block.line - program.count("\n")) + block.code
        file = self.folder / Path(page).with_suffix(".py").name
        file.write_text(program, encoding="utf-8")
        self.run([sys.executable, str(file)])

    def console(self, block: Block) -> None:
        for line in block.code.replace("\\\n", "").splitlines():
            if line.startswith("$ "):
                self.run(["bash", "-ec", line[2:]])

    def compiled(self, block: Block, prefix: Path) -> None:
        _, project, source, program = next(row for row in PROJECTS if row[0] in block.code)
        there = self.folder / f"source-{block.line}"
        there.mkdir()
        lists = ROOT / "tests/consumer" / project / "CMakeLists.txt"
        shutil.copyfile(lists, there / "CMakeLists.txt")
        (there / source).write_text(block.code, encoding="utf-8")
        build_consumer(there, self.folder / f"build-{block.line}", prefix, program)


def run_page(page: str, blocks: Sequence[Block], prefix: Path | None) -> float:
    """Every block that is run, in a new folder; the seconds that they took."""
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        scratch = Scratch(Path(name))
        python = [block for block in blocks if block.language == "python"]
        if python:
            scratch.python(page, python)
        for block in blocks:
            try:
                if block.language == "console":
                    scratch.console(block)
                elif block.language in ("c", "cpp"):
                    assert prefix is not None
                    scratch.compiled(block, prefix)
            except (BlockError, SystemExit) as error:
                raise BlockError(f"{block.at}: {error}") from None
    return time.perf_counter() - begin


def chosen(pages: Sequence[str], quick: bool) -> dict[str, list[Block]]:
    """The blocks to run of each page; prints what is not run, and why."""
    found: dict[str, list[Block]] = {}
    listed = [
        block for page in pages for block in (examples() if page == PAGE else blocks_of(page))
    ]
    for block in listed:
        if block.reason:
            print(f"not run ({block.reason}): {block.at}: {block.code.splitlines()[0][:60]}")
        elif block.language in RUN:
            if quick and block.language == "console" and block.page != "README.md":
                continue
            found.setdefault(block.page, []).append(block)
    left = [block.page for block in listed if block.reason]
    helps = sum(1 for page in left if page.endswith("--help"))
    texts = sum(1 for block in listed if block.language in NOT_PROGRAMS)
    cells = sum(1 for block in listed if block.language == NOTEBOOK)
    count = sum(len(blocks) for blocks in found.values())
    print(
        f"{count} blocks to run on {len(found)} pages; not run, with a reason: "
        f"{len(left) - helps} of pages, {helps} examples of help; "
        f"formulas and the like: {texts}; cells of notebooks, run by the site's build: {cells}"
    )
    return found


def run_all(pages: dict[str, list[Block]], build: Path, jobs: int) -> int:
    """Runs pages side by side; returns how many failed."""
    compiled = any(block.language in ("c", "cpp") for blocks in pages.values() for block in blocks)
    prefix = installed_prefix(build, "prefix-blocks") if compiled else None
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        begun = {
            pool.submit(run_page, page, blocks, prefix): page for page, blocks in pages.items()
        }
        for done in concurrent.futures.as_completed(begun):
            page = begun[done]
            try:
                print(f"{page}: {len(pages[page])} blocks ran, {done.result():.1f} s", flush=True)
            except BlockError as error:
                failed += 1
                print(f"{page}: FAILED: {error}", flush=True)
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="CMake build folder of the library")
    parser.add_argument("pages", nargs="*", help="default: every document, and the help's examples")
    parser.add_argument("--quick", action="store_true", help="no commands, but for the README's")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    options = parser.parse_intermixed_args()
    pages = chosen(options.pages or [*documents(), PAGE], options.quick)
    begin = time.perf_counter()
    failed = run_all(pages, options.build.resolve(), options.jobs)
    seconds = time.perf_counter() - begin
    print(f"blocks of {len(pages) - failed} pages ran in {seconds:.0f} s, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
