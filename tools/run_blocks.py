# SPDX-License-Identifier: Apache-2.0
"""Run the code blocks of the documents: python tools/run_blocks.py BUILD [PAGE ...].

The python blocks of a page are one program, whose errors name the page's lines; C and C++ blocks
are built as the projects of tests/consumer are, against the installed library of BUILD; of console
blocks the lines that begin with "$ " are run, and so are the examples of the commands' help.
--quick leaves commands out, but for the README's: that is what make test does. --long runs what
takes minutes too: builds in a clone of the last commit, measurements, syntheses.
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
from help_examples import HELP, PAGE, examples, give_files
from test_consumer import build_consumer, installed_prefix

#: A scratch folder has links to these of the clone; results of commands go to the folder itself.
CLONE = (
    "bench",
    "docs",
    "examples",
    "hardware",
    "nttforge",
    "packages",
    "papers",
    "python",
    "tests",
    "tools",
)
#: Where the clone's documents say that the sources are; commands get them from here.
PUBLIC = "https://github.com/nttforge/nttforge"
#: Folders of a home in which shells look for completions.
SHELLS = (".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions")
#: What a C or C++ block includes, the project of tests/consumer for it, its source, its program.
PROJECTS = (
    ("nttforge/cxx17.hpp", "cxx17", "main.cpp", "cxx17_consumer"),
    ("nttforge/nttforge.h", "c", "main.c", "c_consumer"),
    ("", "", "main.cpp", "consumer"),
)


class Scratch:
    """A folder like a clone, in which a page's code runs.

    A page that builds gets a clone of the last commit, and one that installs gets an environment of
    Python of its own, into which "a release on a package index" comes from dist/.
    """

    def __init__(self, home: Path, blocks: Sequence[Block], prefix: Path | None) -> None:
        builds = any(block.long for block in blocks)
        self.folder = home / "clone"
        self.own = any("pip install" in block.code for block in blocks)
        self.interpreter = Path(sys.executable)
        path = os.environ["PATH"]
        self.variables = {
            "BROWSER": "true",
            "HOME": str(home),
            "PIP_FIND_LINKS": str(ROOT / "dist"),
            "XDG_CACHE_HOME": str(home),
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"url.{ROOT}.insteadOf",
            "GIT_CONFIG_VALUE_0": PUBLIC,
        }
        if builds:
            programs.output(BlockError, ["git", "clone", "--quiet", ROOT, self.folder], home)
        else:
            self.folder.mkdir()
            for name in CLONE:
                (self.folder / name).symlink_to(ROOT / name)
            if prefix is not None:
                (self.folder / "PREFIX").symlink_to(prefix)
        for name in SHELLS:
            (home / name).mkdir(parents=True)
        if self.own:
            programs.output(BlockError, [sys.executable, "-m", "venv", home / "environment"], home)
            self.interpreter = home / "environment/bin/python"
            self.variables["PATH"] = f"{self.interpreter.parent}{os.pathsep}{path}"

    def run(self, words: Sequence[str | Path]) -> None:
        """A command; its end is shown where it fails. Caches and settings are the folder's too."""
        programs.output(BlockError, words, self.folder, **self.variables)

    def python(self, page: str, blocks: Sequence[Block]) -> None:
        program = ""
        for block in blocks:
            program += "\n" * (block.line - program.count("\n")) + block.code
        file = self.folder / Path(page).with_suffix(".py").name
        file.write_text(program, encoding="utf-8")
        self.run([self.interpreter, file])

    def console(self, block: Block) -> None:
        """The commands of a block, in one shell that ends where one of them fails."""
        lines = block.code.replace("\\\n", "").splitlines()
        commands = [f"{{ {line[2:]}\n}} || exit" for line in lines if line.startswith("$ ")]
        self.run(["bash", "-c", "\n".join(commands)])

    def compiled(self, block: Block, prefix: Path) -> None:
        _, project, source, program = next(row for row in PROJECTS if row[0] in block.code)
        there = self.folder / f"source-{block.line}"
        there.mkdir()
        lists = ROOT / "tests/consumer" / project / "CMakeLists.txt"
        shutil.copyfile(lists, there / "CMakeLists.txt")
        for folder in (there, self.folder):
            (folder / source).write_text(block.code, encoding="utf-8")
        build_consumer(there, self.folder / f"build-{block.line}", prefix, program)


def run_page(page: str, blocks: Sequence[Block], prefix: Path | None) -> float:
    """Every block that is run, in a new folder; the seconds that they took."""
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        scratch = Scratch(Path(name), blocks, prefix)
        if page.endswith(HELP):
            give_files(scratch.folder)
        python = [block for block in blocks if block.language == "python"]
        if python and not scratch.own:
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
        if python and scratch.own:
            scratch.python(page, python)
    return time.perf_counter() - begin


def chosen(pages: Sequence[str], quick: bool, long: bool) -> dict[str, list[Block]]:
    """The blocks to run of each page; prints what is not run, and why."""
    found: dict[str, list[Block]] = {}
    listed = [
        block for page in pages for block in (examples(long) if page == PAGE else blocks_of(page))
    ]
    for block in listed:
        if reason := block.left_out(long):
            print(f"not run ({reason}): {block.at}: {block.code.splitlines()[0][:60]}")
        elif block.language in RUN:
            if quick and block.language == "console" and block.page != "README.md":
                continue
            found.setdefault(block.page, []).append(block)
    left = [block.page for block in listed if block.reason]
    later = sum(1 for block in listed if block.left_out(long)) - len(left)
    helps = sum(1 for page in left if page.endswith(HELP))
    texts = sum(1 for block in listed if block.language in NOT_PROGRAMS)
    cells = sum(1 for block in listed if block.language == NOTEBOOK)
    count = sum(len(blocks) for blocks in found.values())
    print(
        f"{count} blocks to run on {len(found)} pages; not run, with a reason: "
        f"{len(left) - helps} of pages, {helps} examples of help; left to --long: {later}; "
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
    parser.add_argument("--long", action="store_true", help="what takes minutes too, one by one")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    options = parser.parse_intermixed_args()
    pages = chosen(options.pages or [*documents(), PAGE], options.quick, options.long)
    begin = time.perf_counter()
    failed = run_all(pages, options.build.resolve(), 1 if options.long else options.jobs)
    seconds = time.perf_counter() - begin
    print(f"blocks of {len(pages) - failed} pages ran in {seconds:.0f} s, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
