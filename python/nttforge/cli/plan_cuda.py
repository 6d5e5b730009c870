# SPDX-License-Identifier: Apache-2.0
"""``nttforge plan --device cuda``: the recipes of GPU kernels."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..console.output import duration, table

if TYPE_CHECKING:
    from ..cuda import CudaRecipeCandidate
    from ..ntt.plan import NttPlan


def run_on_gpu(plan: NttPlan, options: argparse.Namespace) -> int:
    """The rest of :func:`nttforge.cli.plan.run` for a plan on a GPU."""
    from .. import cuda
    from ..ntt.explorer import Wisdom

    interrupted = False

    def progress(step: int, steps: int, recipe: dict[str, Any], _: float) -> bool:
        nonlocal interrupted
        try:
            print(f"{step}/{steps} {_short(recipe)}", file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            interrupted = True
        return not interrupted

    chosen, saved, found = plan.recipe, None, None
    candidates: list[CudaRecipeCandidate]
    if options.measure:
        found = cuda.explore(plan.spec, plan.device, options.batch, options.budget, progress)
        candidates, chosen = found.recipes, found.best.recipe
        if options.save is not None and not interrupted:
            place = options.save or Wisdom.default_path()
            wisdom = Wisdom.load(place) if Path(place).exists() else Wisdom()
            wisdom.remember(found)
            saved = os.fspath(wisdom.save(place))
    else:
        candidates = cuda.candidate_recipes(plan.spec, plan.device, options.batch)
    if options.json:
        spec = {k: getattr(plan.spec, k) for k in plan.spec.__dataclass_fields__}
        rows = [{k: getattr(c, k) for k in c.__dataclass_fields__} for c in candidates]
        answer: dict[str, Any] = {"spec": spec, "device": plan.device}
        answer |= {"recipe": chosen, "candidates": rows}
        if found:
            answer |= {"complete": found.complete, "elapsed_s": found.elapsed, "saved": saved}
        print(json.dumps(answer, indent=2))
    else:
        _print(candidates, chosen, cuda.describe(plan.device).card)
        if saved:
            print(f"saved in {saved}; plans use it when given: NttPlan(..., wisdom=Wisdom.load())")
    return 130 if interrupted else int(any(c.state == "wrong" for c in candidates))


def _print(candidates: list[CudaRecipeCandidate], chosen: dict[str, Any], card: str) -> None:
    rows = []
    for c in candidates:
        r = c.recipe
        split = str(r["split"]) if r["split"] else "-"
        row = ["->" if r == chosen else "", r["algorithm"], r["arithmetic"], split, r["points"]]
        row += [r["threads"], r["cluster"], duration(c.predicted_ns * 1e-9)]
        measured = duration(c.measured_ns * 1e-9) if c.measured_ns else "-"
        rows.append([*row, "wrong words" if c.state == "wrong" else measured])
    header = ["", "algorithm", "arithmetic", "split", "points", "threads", "cluster", "predicted"]
    print(table([*header, "measured"], rows))
    print(f"\n-> chosen; on {card}; times are for one transform of the whole batch, all limbs")


def _short(recipe: dict[str, Any]) -> str:
    parts = (recipe["algorithm"], recipe["arithmetic"], f"{recipe['points']} points")
    return f"{' '.join(parts)}, {recipe['threads']} threads, cluster {recipe['cluster']}"
