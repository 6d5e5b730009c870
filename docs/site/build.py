# SPDX-License-Identifier: Apache-2.0
"""Build the documentation site into build/docs/site, with warnings as errors, and check it.

python docs/site/build.py [--out FOLDER] [--external]

make docs runs this in an environment of its own, after every code block of the documents has been
run. The site's folder is read from disk as it is: no server and no network are needed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tools")]

import check_pages  # noqa: E402
import command_reference  # noqa: E402
import header_reference  # noqa: E402
import python_reference  # noqa: E402
import stage  # noqa: E402
import verilog_reference  # noqa: E402
from code_blocks import RUN, blocks_of, documents  # noqa: E402
from help_examples import examples  # noqa: E402
from prose import escaped  # noqa: E402

#: Leads from a page that is no page of Sphinx back to the site.
BACK = '<p><a href="README.html">nttforge documentation</a></p>'


def blocks_page(long: bool) -> dict[str, str]:
    """The page that says which code of the site was run, and why some was not.

    long: what takes minutes was run too.
    """
    blocks = [block for page in documents() for block in blocks_of(page)]
    blocks += examples(long)
    run = sum(1 for block in blocks if block.language in RUN and not block.left_out(long))
    rows = "\n".join(
        f"   * - ``{block.at}``\n     - {block.language}\n     - {escaped(reason)}"
        + ("" if block.reason else ": make docs LONG=1 runs it")
        for block in blocks
        if (reason := block.left_out(long))
    )
    text = f"""The code on this site
=====================

Every program and command on these pages is run by ``make docs``, in a folder like a clone: {run}
blocks of Python, C, C++ and commands. The cells of the notebooks are run when their pages are made.
Docstrings' examples are run by the tests. These blocks were not run where this site was built:

.. list-table::
   :header-rows: 1
   :widths: 40 10 50

   * - block
     - language
     - why not
{rows}
"""
    return {"project/code.rst": text}


def require_documented() -> None:
    """Ends the program where a public name has no comment, or a part of the package no page."""
    missing = [f"no docstring: {name}" for name in python_reference.undocumented()]
    missing += [f"no comment: nttforge/{name}" for name in header_reference.undocumented()]
    missing += [
        f"neither in MODULES nor in WITHOUT_PAGE of python_reference.py: nttforge.{name}"
        for name in python_reference.without_page()
    ]
    if missing:
        sys.exit("\n".join(missing))


def generated(long: bool) -> dict[str, str]:
    """Every page that has no document in the repository."""
    pages: dict[str, str] = {}
    for part in (
        python_reference.pages(),
        header_reference.cpp_pages(),
        header_reference.c_page(),
        command_reference.page(),
        verilog_reference.page(),
        blocks_page(long),
    ):
        pages |= part
    return pages


def build(out: Path, long: bool) -> Path:
    """The site's folder, filled."""
    source, site, extra = out / "source", out / "site", out / "extra"
    stage.stage(source, generated(long))
    report = out / "report"
    command = [sys.executable, "-m", "nttforge_papers", "all", "--kept", "--out", str(report)]
    subprocess.run(command, cwd=ROOT, check=True)
    text = (report / "index.html").read_text(encoding="utf-8")
    stage.write(extra / stage.REPORT, text.replace("<body>", f"<body>{BACK}", 1))
    command = [
        sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-j", "2",
        "-c", str(HERE), "-d", str(out / "doctrees"),
        "-D", f"html_extra_path={extra}", "-D", f"nb_execution_cache_path={out / 'notebooks'}",
        str(source), str(site),
    ]  # fmt: skip
    if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
        sys.exit("the site has warnings")
    return site


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build/docs")
    parser.add_argument("--long", action="store_true", help="the long blocks were run too")
    parser.add_argument("--external", action="store_true", help="ask other sites' addresses too")
    parser.add_argument("--no-check", action="store_true", help="leave the checks of pages out")
    options = parser.parse_args()
    begin = time.perf_counter()
    require_documented()
    site = build(options.out.resolve(), options.long)
    problems = [] if options.no_check else check_pages.check(site, options.external)
    print("\n".join(problems) or f"{site / 'index.html'}: {time.perf_counter() - begin:.0f} s")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
