# SPDX-License-Identifier: Apache-2.0
"""Products with relinearization of a batch on one device, and shared out among several.

Each set of devices has its keys before the clock starts; ciphertexts lie on the first device and
results return to it, so that what moves between devices is in the time. Every answer is compared
with that of the first device, word for word. A figure is the median of rounds.

    python bench/several_devices.py --sets cuda:0 cuda:0+cuda:1 --out FILE
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import nttforge
from nttforge import bfv, cuda, multi


def product(c: Any, place: multi.Place) -> Any:
    return c.square().relinearize(place.keys)


def measure(log_n: int, devices: list[str], options: argparse.Namespace) -> dict[str, Any]:
    """Elements a second of one set of devices."""
    context = bfv.Context(bfv.Parameters.preset(1 << log_n), device=devices[0])
    keys = context.generate_keys()
    batch = keys.encrypt(np.arange(2 * options.batch).reshape(options.batch, 2))
    places = multi.Places(devices, keys.evaluation)
    expected = product(batch, multi.Place(devices[0], context, keys.evaluation)).to_bytes()
    seconds = []
    for round_ in range(options.rounds + 1):
        start = time.perf_counter()
        found = multi.map(product, batch, places, part=options.part)
        for place in places:
            if place.device != "cpu":
                cuda.synchronize(place.device)
        if round_:  # the first makes what is made once
            seconds.append(time.perf_counter() - start)
        elif found.to_bytes() != expected:
            sys.exit(f"several_devices.py: {devices} gave other words than {devices[0]}")
    best = statistics.median(seconds)
    return {
        "log_n": log_n,
        "devices": devices,
        "batch": options.batch,
        "part": options.part,
        "seconds": round(best, 5),
        "elements_per_s": round(options.batch / best, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    gpus = [device.name for device in cuda.devices()]
    sets = ["+".join(gpus[:1]), "+".join(gpus)] if len(gpus) > 1 else [gpus[0]] if gpus else ["cpu"]
    parser.add_argument("--sets", nargs="+", default=sets, help="devices, joined by +")
    parser.add_argument("--log-n", type=int, nargs="+", default=[13, 14])
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--part", type=int, default=None)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows = []
    for log_n in options.log_n:
        for devices in options.sets:
            row = measure(log_n, devices.split("+"), options)
            first = next(r for r in [*rows, row] if r["log_n"] == log_n)
            row["against_first"] = round(row["elements_per_s"] / first["elements_per_s"], 3)
            rows.append(row)
            print(json.dumps(row), flush=True)
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        document = {"schema": "nttforge-several-devices-1", "version": nttforge.__version__}
        document["cards"] = [device.card for device in cuda.devices()]
        options.out.write_text(json.dumps({**document, "results": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
