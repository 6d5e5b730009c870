# SPDX-License-Identifier: Apache-2.0
"""All five papers: one page with every table and figure, and the same as JSON.

For each: the paper's figures, its method reproduced here, the best here, the verdict on each of
the paper's conclusions, and what could not be measured. What this machine cannot measure is read
from the results kept in a clone, and the page says which. An interrupted command goes on where it
was: what is measured is kept in OUT/measured until --again.

examples:
  nttforge paper all --quick                       within a minute, without a GPU
  nttforge paper all --out out/papers --open       everything that this machine can measure
  nttforge paper all --kept --out docs/papers      kept results alone: the page in the repository
"""

from __future__ import annotations

import argparse
import json
import webbrowser
from pathlib import Path

from nttforge.console.output import require_writable, whole_file
from nttforge.console.scheduler import add_scheduler, on_scheduler
from nttforge.errors import ParameterError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        type=Path,
        default=Path("out/papers"),
        help="write index.html, report.json, summary.md and errata.md there (default out/papers)",
    )
    parser.add_argument(
        "--quick", action="store_true", help="measure only what takes seconds; no GPU"
    )
    parser.add_argument("--kept", action="store_true", help="measure nothing: kept results alone")
    parser.add_argument(
        "--again", action="store_true", help="measure again what FOLDER/measured has"
    )
    parser.add_argument(
        "--results",
        metavar="FOLDER",
        type=Path,
        help="kept results (default: bench/results of this clone)",
    )
    parser.add_argument("--programs", type=Path, help="folder of our benchmark programs")
    parser.add_argument("--open", action="store_true", help="show the page in a browser")
    add_scheduler(parser)


def run(options: argparse.Namespace) -> int:
    from . import document, measure
    from .errata import ERRATA, markdown
    from .page import page
    from .sources import kept_sources, trace
    from .summary import summary

    _check(options)
    folder = options.results or _results_of_clone()
    sources = kept_sources(folder)
    failed: list[str] = []
    if folder is None:
        failed.append(
            "kept results: there are none here; they are in the repository: run this inside a "
            "clone, or name its bench/results by --results"
        )
    if not options.kept:
        wanted = measure.steps(options.quick, sources, options.programs)
        with on_scheduler(options):
            here, said = measure.measure(
                options.out / "measured", wanted, options.quick, options.again
            )
        sources, failed = {**sources, **here}, failed + said
    exhibits = document.collect(trace(sources))
    report = document.to_json(exhibits, sources, [vars(e) for e in ERRATA])
    count = document.check(report, {name: s.content for name, s in sources.items()})
    with whole_file(options.out / "report.json") as file:
        file.write(_dump(report))
    with whole_file(options.out / "index.html") as file:
        file.write(page(exhibits, sources, failed, _command(options)))
    with whole_file(options.out / "summary.md") as file:
        file.write(summary(exhibits, sources, _command(options)))
    with whole_file(options.out / "errata.md") as file:
        file.write(markdown())
    path = options.out / "index.html"
    for text in failed:
        print(text)
    print(f"{len(exhibits)} tables and figures, {count} numbers compared with their data: {path}")
    if options.open and not webbrowser.open(path.resolve().as_uri()):
        raise OSError(f"no browser could be started: open {path} yourself")
    return 0


def _check(options: argparse.Namespace) -> None:
    """Everything that can be wrong is said before the work."""
    for name in ("quick", "again", "programs", "scheduler"):
        if options.kept and getattr(options, name):
            raise ParameterError(f"--kept measures nothing: leave --{name} out")
    if options.results is not None and not options.results.is_dir():
        raise ParameterError(f"--results {options.results} must be a folder like bench/results")
    if options.programs is not None and not options.programs.is_dir():
        raise ParameterError(f"--programs {options.programs} must be a folder of programs")
    require_writable(options.out)


def _results_of_clone() -> Path | None:
    from nttforge_bench import programs

    root = programs.clone_root(Path.cwd())
    return root / "bench/results" if root is not None else None


def _command(options: argparse.Namespace) -> str:
    words = ["nttforge paper all"]
    words += [f"--{name}" for name in ("quick", "kept") if getattr(options, name)]
    return " ".join(words)


def _dump(report: object) -> str:
    """JSON with a line for each table or figure and source."""
    lines = []
    assert isinstance(report, dict)
    for name, value in report.items():
        if isinstance(value, list):
            rows = ",\n".join(json.dumps(item, ensure_ascii=False) for item in value)
            lines.append(f"{json.dumps(name)}: [\n{rows}\n]")
        else:
            lines.append(f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"
