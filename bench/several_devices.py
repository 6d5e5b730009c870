# SPDX-License-Identifier: Apache-2.0
"""Products of a batch on one device, and shared out among several; or bootstraps of CKKS, or one.

Each set of devices has its keys before the clock starts. Ciphertexts lie on the first device
("card") or in host memory ("host") and results return there, so that what moves is in the time.
Every answer is compared with one call's, word for word. A figure is the median of rounds.

    python bench/several_devices.py --sets cuda:0 cuda:0+cuda:1 --out FILE
    python bench/several_devices.py --bootstraps boot16w_fast --batch 32
    python bench/several_devices.py --bootstraps boot16w_fast --one
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import nttforge
from nttforge import bfv, ckks, cuda, multi
from nttforge.rlwe import stack

#: Ciphertexts of which a batch is made.
DISTINCT = 16


def product(c: Any, place: multi.Place) -> Any:
    return c.square().relinearize(place.keys)


def median_of_rounds(
    function: Callable[[Any, multi.Place], Any],
    batch: Any,
    places: multi.Places,
    expected: Any,
    home: str,
    options: argparse.Namespace,
) -> float:
    """Seconds of a call on the batch, which has the words of `expected` again and again."""
    period = len(expected)
    seconds = []
    for round_ in range(options.rounds + 1):
        start = time.perf_counter()
        found = multi.map(function, batch, places, part=options.part)
        if home != "cpu":
            cuda.synchronize(home)
        if round_:  # the first makes what is made once
            seconds.append(time.perf_counter() - start)
        elif any(
            not (found[i : i + period].residues == expected).all()
            for i in range(0, options.batch, period)
        ):
            sys.exit(f"several_devices.py: {places} gave other words than one call")
        del found
    return statistics.median(seconds)


def measure(
    log_n: int, size: int, devices: list[str], home: str, options: argparse.Namespace
) -> dict[str, Any]:
    """Elements a second of one set of devices."""
    parameters = bfv.Parameters.preset(1 << log_n)
    context = bfv.Context(parameters, device="cpu" if home == "host" else devices[0])
    keys = context.generate_keys()
    few = keys.encrypt(np.arange(2 * DISTINCT).reshape(DISTINCT, 2))
    batch = stack([few] * (size // DISTINCT))
    places = multi.Places(devices, keys.evaluation)
    expected = product(few, multi.Place(devices[0], context, keys.evaluation)).residues
    best = median_of_rounds(product, batch, places, expected, context.device, options)
    return {
        "log_n": log_n,
        "home": home,
        "devices": devices,
        "batch": size,
        "part": options.part,
        "seconds": round(best, 5),
        "elements_per_s": round(size / best, 1),
    }


def measure_bootstraps(
    name: str, size: int, devices: list[str], options: argparse.Namespace
) -> dict[str, Any]:
    """The same of bootstraps of a set by name; ciphertexts lie on the first device."""
    small = {"insecure_n": options.insecure_n} if options.insecure_n else {}
    machine = ckks.Bootstrapper.of(name, device=devices[0], **small)
    keys = machine.context.generate_keys()
    evaluation = machine.make_keys(keys)

    def there(place: multi.Place) -> ckks.BootstrapKeys:
        assert isinstance(place.context, ckks.Context)
        return evaluation.to(place.context)

    def bootstrap(x: Any, place: multi.Place) -> Any:
        return place.once(there).bootstrap(x)

    values = np.linspace(-1, 1, machine.slots)
    low = keys.encrypt(values).mod_switch(machine.input_level)
    expected = stack([evaluation.bootstrap(low)]).residues
    batch = stack([low] * size)
    places = multi.Places(devices, context=machine.context)
    best = median_of_rounds(bootstrap, batch, places, expected, devices[0], options)
    home = "host" if devices[0] == "cpu" else "card"
    row = {"bootstraps": name, "n": machine.context.n, "home": home, "devices": devices}
    return {
        **row,
        "batch": size,
        "part": options.part,
        "seconds": round(best, 5),
        "elements_per_s": round(size / best, 2),
    }


#: Bootstraps one after the other, without a wait between.
IN_A_ROW = 10


def measure_one(
    name: str, real: bool, devices: list[str], options: argparse.Namespace
) -> dict[str, Any]:
    """Milliseconds of one ciphertext's bootstrap: alone, in a row, and as a graph."""
    small = {"insecure_n": options.insecure_n} if options.insecure_n else {}
    machine = ckks.Bootstrapper.of(name, device=devices[0], **small)
    context = machine.context
    keys = context.generate_keys()
    made = machine.make_keys(keys)
    values = np.linspace(-1, 1, machine.slots) * (1 if real else 1 + 0.5j)
    low = keys.encrypt(values).mod_switch(machine.input_level)
    expected = made.bootstrap(low).residues
    both = made.beside(devices[1]) if len(devices) > 1 else made

    def wait() -> None:
        for device in devices:
            if device != "cpu":
                cuda.synchronize(device)

    def timed(function: Callable[[Any], Any]) -> float:
        seconds = []
        for round_ in range(options.rounds + 1):
            wait()
            start = time.perf_counter()
            found = function(low)
            wait()
            seconds.append(time.perf_counter() - start)
            if not round_ and not (found.residues == expected).all():
                sys.exit(f"several_devices.py: {devices} gave other words than one device")
        return round(1e3 * statistics.median(seconds[1:]), 4)

    def row(x: Any) -> Any:
        for _ in range(IN_A_ROW):
            found = both.bootstrap(x)
        return found

    found: dict[str, Any] = {"one_bootstrap": name, "n": context.n, "real": real}
    found |= {"devices": devices, "ms": timed(both.bootstrap)}
    found["ms_in_a_row"] = round(timed(row) / IN_A_ROW, 4)
    if not options.no_graph:
        graph = context.graph(both.bootstrap, low)
        if graph.is_recorded:
            found["ms_as_a_graph"] = timed(graph)
    found["elements_per_s"] = round(1e3 / found["ms"], 2)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    gpus = [device.name for device in cuda.devices()]
    sets = ["+".join(gpus[:1]), "+".join(gpus)] if len(gpus) > 1 else [gpus[0]] if gpus else ["cpu"]
    parser.add_argument("--sets", nargs="+", default=sets, help="devices, joined by +")
    parser.add_argument("--log-n", type=int, nargs="+", default=[13, 14])
    parser.add_argument("--homes", nargs="+", default=["host", "card"], choices=["host", "card"])
    parser.add_argument("--batch", type=int, default=1024, help=f"a multiple of {DISTINCT}")
    parser.add_argument("--part", type=int, default=None)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--bootstraps", metavar="SET", help="bootstraps of this set alone")
    parser.add_argument("--one", action="store_true", help="one ciphertext, by one device or two")
    parser.add_argument("--no-graph", action="store_true", help="do not record it")
    parser.add_argument("--insecure-n", type=int, help="a smaller n for them, to try this out")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.batch < DISTINCT or options.batch % DISTINCT:
        parser.error(f"--batch {options.batch} is no multiple of {DISTINCT}")
    rows: list[dict[str, Any]] = []
    jobs: list[Callable[[list[str]], dict[str, Any]]] = [
        partial(measure, log_n, options.batch, home=home, options=options)
        for log_n, home in itertools.product(options.log_n, options.homes)
    ]
    if options.bootstraps:
        jobs = [partial(measure_bootstraps, options.bootstraps, options.batch, options=options)]
    if options.bootstraps and options.one:
        jobs = [
            partial(measure_one, options.bootstraps, real, options=options)
            for real in (False, True)
        ]
    for job in jobs:
        alone = None
        for devices in options.sets:
            row = job(devices.split("+"))
            alone = alone or row["elements_per_s"]
            row["against_first"] = round(row["elements_per_s"] / alone, 3)
            rows.append(row)
            print(json.dumps(row), flush=True)
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        document = {"schema": "nttforge-several-devices-1", "version": nttforge.__version__}
        document["cards"] = [device.card for device in cuda.devices()]
        options.out.write_text(json.dumps({**document, "results": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
