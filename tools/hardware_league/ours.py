# SPDX-License-Identifier: Apache-2.0
"""Our designs for the same jobs, as ``nttforge rtl generate`` emits them for 7-series."""

from __future__ import annotations

import random
from pathlib import Path

from runs import Prepared, hexadecimal, packed_word

from nttforge_hardware.emit.engine import engine_files
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.plan.design import Design, plan_design
from nttforge_hardware.plan.devices import device_pipeline
from nttforge_hardware.plan.engine import EngineParameters, plan_engines
from nttforge_hardware.plan.parameters import HardwareParameters
from nttforge_oracle.fast import forward_fast
from peers import BUTTERFLIES

FAMILY = "xc7"
CHOICES = ("fast", "balanced")


def loaded(scratch: Path, n: int, q: int, choice: str, narrow: bool) -> Prepared:
    """A modulus and tables that are loaded, both directions, buffers at both ends."""
    bits, dp = q.bit_length(), 2 * BUTTERFLIES
    pipeline = device_pipeline(FAMILY, choice)
    design = plan_engines(EngineParameters(n=n, bits=bits, dp=dp, pp=1, pipeline=pipeline))
    files = engine_files(design, moduli=(q,))
    folder = scratch / f"loaded_{n}_{choice}{'_narrow' * narrow}"
    table = design.table(q)
    prepared = _prepared(folder, files, design.shape, q, narrow, "loaded", len(table))
    hexadecimal(folder / "tables.hex", table)
    return prepared


def fixed(scratch: Path, n: int, q: int, choice: str, narrow: bool) -> Prepared:
    """One modulus that is built in, both directions, buffers at both ends."""
    dp = 2 * BUTTERFLIES
    pipeline = device_pipeline(FAMILY, choice)
    chosen = HardwareParameters(
        n, (q,), direction="both", dp=dp, pp=1, core="montgomery", pipeline=pipeline, buffers="word"
    )
    design = plan_design(chosen)
    folder = scratch / f"fixed_{n}_{choice}{'_narrow' * narrow}"
    return _prepared(folder, design_files(design), design, q, narrow, "built in", 1)


def _prepared(
    folder: Path,
    files: dict[str, str],
    shape: Design,
    q: int,
    narrow: bool,
    modulus: str,
    table: int,
) -> Prepared:
    write_design(files, folder)
    p, bits = shape.parameters, q.bit_length()
    source = random.Random(p.n)
    coefficients = [source.randrange(q) for _ in range(p.n)]
    values = forward_fast(coefficients, q, p.ring)
    sides = {
        "given.hex": ((coefficients, "forward", "in"), (values, "inverse", "in")),
        "wanted.hex": ((values, "forward", "out"), (coefficients, "inverse", "out")),
    }
    for name, frames in sides.items():
        words = [word for frame in frames for word in shape.port_words(*frame)]
        hexadecimal(folder / name, [packed_word(word, bits) for word in words])
    listed = (folder / "design.f").read_text("utf-8").split()
    sources = tuple(name for name in listed if name.endswith(".sv"))
    images = tuple(
        path.relative_to(folder).as_posix()
        for path in sorted(folder.glob("*/*.hex"))
        if path.parent.name != "testbench"
    )
    is_loaded = modulus == "loaded"
    return Prepared(
        folder,
        "ntt_top",
        sources,
        "ours.sv",
        {"N": p.n, "BITS": bits, "DP": p.dp, "TABLE": table, "GAP": p.dp if narrow else 1},
        images=("given.hex", "wanted.hex", *images),
        defines=("LOADED",) if is_loaded else (),
        facts={
            "modulus": modulus,
            "ring": p.ring,
            "port": 1 if narrow else p.dp,
            "slots": 3,
            "butterflies": p.dp // 2 * p.pp,
        },
    )
