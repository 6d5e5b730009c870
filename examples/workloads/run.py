# SPDX-License-Identifier: Apache-2.0
"""Run a public workload on encrypted data and check every answer.

    python examples/workloads/run.py zn_multiplication [--size small] [--device cuda] [--runs 3]
    python examples/workloads/run.py zn_multiplication --harness CLONE

The first calls the stages of the folder's ``submission`` in the order of the harness, on data that
is made here, and compares with plain Python. The second puts the folder into a clone of the public
harness, runs that, and shows what it says.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import inference
import plots
import products
import resnet
import similarity
import sorting
import training
from harness import HERE, by_harness

import nttforge

WORKLOADS: dict[str, Any] = {
    "zn_multiplication": products,
    "ml_inference": inference,
    "logistic_training": training,
    "fetch_by_similarity": similarity,
    "sorting": sorting,
    "resnet20": resnet,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("workload", choices=WORKLOADS)
    parser.add_argument("--size", help="by default small")
    parser.add_argument("--device", default="cpu", help="the server's: cpu, cuda, cuda:0 ...")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="for the stages' files, which then stay there")
    parser.add_argument("--harness", type=Path, help="a clone of the public harness")
    parser.add_argument("--json", type=Path, help="write what was measured")
    parser.add_argument("--plot", type=Path, help="draw what was measured (.svg, .png)")
    options = parser.parse_args()
    if options.runs < (0 if options.folder else 1):  # with a folder 0 prepares what stays there
        parser.error(f"--runs {options.runs}: must be at least 1")
    workload = WORKLOADS[options.workload]
    sizes = list(workload.SIZES)
    size = options.size or ("small" if "small" in sizes else sizes[0])
    if size not in sizes:
        parser.error(f"--size {size}: {options.workload} has {', '.join(sizes)}")
    if options.harness and not getattr(workload, "HARNESS", True):
        parser.error(f"--harness: there is none for {options.workload}")
    if options.harness:
        numbers = getattr(workload, "NUMBERS", {name: i for i, name in enumerate(sizes)})
        arguments = [str(numbers[size]), "--num_runs", str(options.runs)]
        by_harness(options.harness, options.workload, arguments, options.device)
        return
    with contextlib.ExitStack() as stack:
        folder = options.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        root = folder / options.workload
        ignored = shutil.ignore_patterns("model", "build", "target", "__pycache__")
        shutil.copytree(HERE / options.workload, root, ignore=ignored, dirs_exist_ok=True)
        found = workload.run(root, size, options.device, options.runs)
    if options.plot:
        plots.draw(options.workload, {"results": [found]}, options.plot)
    said = {"workload": options.workload, "device": options.device, **found}
    print(json.dumps(said, indent=1))
    if options.json:
        machine = {"machine": nttforge.describe_cpu().brand, "target": nttforge.active_target()}
        said = {**machine, "version": nttforge.__version__, **said}
        options.json.write_text(json.dumps(said, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
