# SPDX-License-Identifier: Apache-2.0
"""Show how a transform would be computed here, and why; measure it; remember the best.

examples:
  nttforge plan --n 4096 --bits 50 --limbs 4        candidates with predicted cost, and the choice
  nttforge plan --n 65536 --q 1152921504606584833 --measure
  nttforge plan --n 16384 --limbs 8 --threads 0 --batch 4 --measure --save
  nttforge plan --n 1024 --q 12289 --word-bits 32 --wisdom --json
  nttforge plan --n 65536 --bits 60 --limbs 21 --device cuda --measure --save

Interrupting a measurement (Ctrl-C) prints what is known so far and saves nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..console import arguments
from ..console.output import duration, table
from . import transform_arguments

if TYPE_CHECKING:
    from ..ntt.explorer import Exploration, Progress, Wisdom
    from ..ntt.plan import NttPlan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--n", type=arguments.integer, default=4096, help="transform size (default 4096)"
    )
    parser.add_argument("--q", type=arguments.integer, nargs="+", help="the primes, one per limb")
    parser.add_argument(
        "--bits", type=arguments.integer, default=50, help="without --q: their size (default 50)"
    )
    parser.add_argument(
        "--limbs", type=arguments.integer, default=1, help="without --q: how many (default 1)"
    )
    transform_arguments.add_ring_and_orders(parser)
    transform_arguments.add_transform(parser)
    transform_arguments.add_word_bits(parser)
    parser.add_argument(
        "--threads", type=arguments.integer, default=0, help="threads (default 0: all)"
    )
    parser.add_argument(
        "--batch", type=arguments.integer, default=1, help="polynomials per call (default 1)"
    )
    transform_arguments.add_target(parser, help="only this instruction set")
    parser.add_argument("--device", default="cpu", help="cpu (default), or a GPU: cuda, cuda:1 ...")
    parser.add_argument("--measure", action="store_true", help="measure the candidates")
    parser.add_argument(
        "--budget",
        type=arguments.number,
        default=3.0,
        metavar="SECONDS",
        help="for --measure (default 3)",
    )
    place: dict[str, Any] = {"nargs": "?", "const": "", "metavar": "PATH"}
    parser.add_argument(
        "--save", **place, help="with --measure: add the best to the wisdom file, by default yours"
    )
    parser.add_argument(
        "--wisdom", **place, help="choose by this wisdom file, by default yours, if it knows"
    )
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def run(options: argparse.Namespace) -> int:
    from .._arguments import seconds
    from ..errors import NttforgeError, ParameterError
    from ..ntt.explorer import Wisdom
    from ..ntt.plan import NttPlan
    from ..number_theory import ntt_primes

    if options.save is not None and not options.measure:
        raise ParameterError("--save is given without --measure: only measured choices are saved")
    if options.save is not None:
        _known(options.save or Wisdom.default_path())  # what is wrong is said before measuring
    if options.measure:
        seconds("--budget", options.budget)
    moduli = options.q or ntt_primes(options.n, options.bits, options.limbs)
    plan = NttPlan(
        options.n,
        moduli,
        options.ring,
        options.input_order,
        options.output_order,
        options.word_bits,
        threads=options.threads,
        target=options.target,
        transform=options.transform,
        wisdom=None if options.wisdom is None else _wisdom(options.wisdom),
        batch=options.batch,
        device=options.device,
    )
    if options.device != "cpu":
        from .plan_cuda import run_on_gpu

        return run_on_gpu(plan, options)
    found, interrupted = _explore(plan, options) if options.measure else (None, False)
    rows = _measured_rows(found) if found else _predicted_rows(plan, options)
    saved, failure = None, None
    if found and options.save is not None and not interrupted:
        try:
            saved = _save(found, options.save)
        except NttforgeError as error:  # after what was measured has been printed
            failure = error
    chosen = found.best.recipe if found else plan.recipe
    if options.json:
        spec = {k: getattr(plan.spec, k) for k in plan.spec.__dataclass_fields__}
        answer: dict[str, Any] = {"spec": spec, "recipe": chosen, "candidates": rows}
        if found:
            answer |= {"complete": found.complete, "elapsed_s": found.elapsed, "saved": saved}
        print(json.dumps(answer, indent=2))
    else:
        _print(plan, rows, chosen, found)
        if saved:
            print(f"saved in {saved}; plans use it when given: NttPlan(..., wisdom=Wisdom.load())")
    if failure is not None:
        raise failure
    return 130 if interrupted else int(any(row.get("state") == "wrong" for row in rows))


def _predicted_rows(plan: NttPlan, options: argparse.Namespace) -> list[dict[str, Any]]:
    from .. import _core
    from ..ntt.spec import core_spec

    names = [options.target] if options.target else _core.available_targets()
    threads = options.threads or _core.default_threads()
    found = _core.candidate_recipes(core_spec(plan.spec), names, threads, options.batch)
    if plan.recipe["threads"] != threads:  # wisdom found fewer to be faster
        found += _core.candidate_recipes(
            core_spec(plan.spec), names, plan.recipe["threads"], options.batch
        )
    return [{"recipe": json.loads(text), "predicted_ns": ns} for text, ns in found]


def _measured_rows(found: Exploration) -> list[dict[str, Any]]:
    return [
        {
            "recipe": r.recipe,
            "predicted_ns": r.predicted_ns,
            "measured_ns": r.measured_ns,
            "state": r.state,
        }
        for r in found
    ]


def _explore(plan: NttPlan, options: argparse.Namespace) -> tuple[Exploration, bool]:
    from ..errors import NttforgeError
    from ..ntt.explorer import explore

    interrupted = False
    shown = _Line()

    def progress(p: Progress) -> bool:
        nonlocal interrupted
        try:
            shown.show(p)
        except KeyboardInterrupt:
            interrupted = True
        return not interrupted

    targets = [options.target] if options.target else None
    try:
        found = explore(
            plan.spec, options.threads, options.batch, options.budget, targets, progress
        )
    except NttforgeError:
        if interrupted:  # before anything was measured
            raise KeyboardInterrupt from None
        raise
    finally:
        shown.clear()
    return found, interrupted


class _Line:
    """Progress on stderr: one line that changes on a terminal, now and then a line elsewhere."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._next = 0.0
        self._what = ""
        self._width = 0

    def show(self, p: Progress) -> None:
        text = f"{p.what} {p.step}/{p.steps} {_short(p.recipe)}"
        if p.what == "measuring":
            text += f" is best so far: {duration(p.measured_ns * 1e-9)}"
        if self._terminal:
            print(f"\r{text.ljust(self._width)}", end="", file=sys.stderr, flush=True)
            self._width = len(text)
        elif p.what == "preparing" or p.what != self._what or p.elapsed >= self._next:
            print(text, file=sys.stderr, flush=True)
            self._next = p.elapsed + 0.5
        self._what = p.what

    def clear(self) -> None:
        if self._terminal and self._width:
            print(f"\r{' ' * self._width}\r", end="", file=sys.stderr, flush=True)


def _save(found: Exploration, path: str) -> str:
    from ..ntt.explorer import Wisdom

    place = path or Wisdom.default_path()
    wisdom = _known(place)
    wisdom.remember(found)
    return os.fspath(wisdom.save(place))


def _known(place: str) -> Wisdom:
    from ..ntt.explorer import Wisdom

    return Wisdom.load(place) if Path(place).exists() else Wisdom()


def _wisdom(path: str) -> Wisdom:
    """The file named, or the user's own, which need not exist yet."""
    from ..ntt.explorer import Wisdom

    if path:
        return Wisdom.load(path)
    place = Wisdom.default_path()
    if not Path(place).exists():
        print(f"no wisdom in {place} yet: --measure --save begins it", file=sys.stderr)
    return _known(place)


def _print(
    plan: NttPlan, rows: list[dict[str, Any]], chosen: dict[str, Any], found: Exploration | None
) -> None:
    s = plan.spec
    print(
        f"spec    n = {s.n}, {s.ring} {s.transform}, {s.input_order} -> {s.output_order}, "
        f"{s.word_bits}-bit words"
    )
    parts = len(s.roots) // len(s.moduli)  # a DGT's root is a pair
    for i, q in enumerate(s.moduli):
        root = " + i ".join(map(str, s.roots[parts * i : parts * (i + 1)]))
        print(f"        q = {q} ({q.bit_length()} bits), root {root}")
    print()
    header = ["", "target", "arithmetic", "radix", "threads", "predicted"]
    if found:
        header += ["measured", "measured/predicted", "slower than best"]
    lines = []
    for row in rows:
        r = row["recipe"]
        line = ["->" if r == chosen else "", r["target"], _arithmetic(r), r["radix"]]
        line += [r["threads"], duration(row["predicted_ns"] * 1e-9)]
        lines.append(line + (_measured_cells(row, found) if found else []))
    print(table(header, lines))
    print("\n-> chosen; times are for one transform of the whole batch, all limbs")
    if found:
        how = "measured" if found.complete else "stopped early: measured"
        print(f"   {how} in {found.elapsed:.1f} s, mean of forward and inverse, least of many runs")


def _measured_cells(row: dict[str, Any], found: Exploration) -> list[str]:
    measured = row["measured_ns"]
    if measured is None:
        return ["wrong words" if row["state"] == "wrong" else "-", "-", "-"]
    ratio = measured / row["predicted_ns"]
    behind = measured / min(r.measured_ns for r in found if r.measured_ns) - 1
    return [duration(measured * 1e-9), f"{ratio:.2f}", f"{behind * 100:.0f} %"]


def _arithmetic(recipe: dict[str, Any]) -> str:
    return " ".join(dict.fromkeys(recipe["arithmetic"]))


def _short(recipe: dict[str, Any]) -> str:
    return f"{recipe['target']} {_arithmetic(recipe)} radix {recipe['radix']} x{recipe['threads']}"
