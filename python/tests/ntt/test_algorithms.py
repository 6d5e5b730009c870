# SPDX-License-Identifier: Apache-2.0
"""The algorithm collection from Python: every name, traces, their files, the commands."""

from __future__ import annotations

import copy
import functools
import json
import pickle

import numpy as np
import pytest

import nttforge
from nttforge import FormatError, NttPlan, NttTrace, ParameterError, SizeError
from nttforge.cli import main
from nttforge_oracle import algorithms as oracle
from nttforge_oracle.fast import forward_fast
from nttforge_oracle.vectors.rules import residues

NAMES = [a.name for a in nttforge.algorithms()]
Q = {30: 1073692673, 62: 4611686018425815041, 64: 2**64 - 2**32 + 1}


def test_the_collection_is_the_oracles() -> None:
    ours = {
        (a.name, a.input_order, a.output_order, a.mirrored, a.radices)
        for a in nttforge.algorithms()
    }
    assert ours == {
        (a.name, a.input_order, a.output_order, a.mirrored, a.radices)
        for a in oracle.ALGORITHMS.values()
    }
    assert set(NAMES) >= {"dit", "dif", "flat", "pease", "pease_nc", "six_step", "stockham"}


@functools.cache
def _oracle(log_n: int, q: int, ring: str) -> list[int]:
    return forward_fast(residues(2**log_n, q), q, ring)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ring", ["negacyclic", "cyclic"])
def test_every_algorithm_equals_the_oracle_from_8_to_2_16(name: str, ring: str) -> None:
    for log_n, q in ((3, Q[64]), (8, Q[64]), (13, Q[64]), (16, Q[64])):
        a = residues(2**log_n, q)
        plan = NttPlan(2**log_n, q, ring, algorithm=name)
        x = plan.forward(np.array(a, dtype=np.uint64))
        assert x.tolist() == _oracle(log_n, q, ring)
        assert plan.inverse(x).tolist() == a


@pytest.mark.parametrize("name", NAMES)
def test_every_radix_and_word_size(name: str) -> None:
    q = nttforge.ntt_primes(256, 30, 1)[0]
    expected = NttPlan(256, q).forward(residues(256, q))
    for radix in oracle.ALGORITHMS[name].radices:
        for word_bits in (64, 32):
            plan = NttPlan(256, q, word_bits=word_bits, algorithm=name, radix=radix)
            assert plan.recipe["algorithm"] == name and plan.recipe["radix"] == radix
            x = np.array(residues(256, q), dtype=plan.dtype)
            assert np.array_equal(plan.forward(x), expected)
            again = pickle.loads(pickle.dumps(plan))
            assert again.recipe == plan.recipe


def test_on_the_fly_twiddles_by_recipe() -> None:
    q = nttforge.ntt_primes(1024, 60, 1)[0]
    x = residues(1024, q)
    recipe = NttPlan(1024, q, algorithm="radix_r", radix=4).recipe
    recipe |= {"twiddles": "on_the_fly", "base": 32, "stages": 2}
    plan = NttPlan(1024, q, recipe=recipe)
    assert plan.recipe == recipe
    assert np.array_equal(plan.forward(x), NttPlan(1024, q).forward(x))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("direction", ["forward", "inverse"])
def test_traces_equal_the_oracle(name: str, direction: str) -> None:
    q, n = Q[64], 32
    x = residues(n, q)
    for ring in ("negacyclic", "cyclic"):
        plan = NttPlan(n, q, ring, "bit_reversed", "natural", algorithm=name)
        trace = plan.trace(x, direction)
        expected = oracle.trace(
            x, q, name, ring, "bit_reversed", "natural", None, direction, plan.recipe["radix"]
        )
        assert json.loads(trace.to_json()) == expected
        for text in (trace.to_json(), trace.to_json(hex=True)):
            assert trace.difference(NttTrace.from_json(text)) is None


def test_a_difference_names_stage_and_position() -> None:
    trace = NttPlan(8, 97, algorithm="dit").trace(list(range(8)))
    document = json.loads(trace.to_json())
    stage = next(s for s in document["steps"] if s.get("index") == 2)
    stage["values"][5] = (stage["values"][5] + 1) % 97
    line = trace.difference(NttTrace.from_json(json.dumps(document)))
    assert line is not None and line.startswith("stage 2, position 5: ")
    other = NttPlan(8, 97, algorithm="flat").trace(list(range(8)))
    assert trace.difference(other) == "algorithm is 'dit' and 'flat'"


CHANGES = [
    (lambda d: d.pop("q"), "'q' is missing"),
    (lambda d: d.update(speed=1), "unknown member 'speed'"),
    (lambda d: d.update(format="nttforge-wisdom"), "nttforge-wisdom"),
    (lambda d: d.update(version=2), "version = 2"),
    (lambda d: d.update(encoding="octal"), "octal"),
    (lambda d: d.update(n=7), "not a power of two"),
    (lambda d: d.update(n=2**40), "n = 1099511627776"),
    (lambda d: d.update(n=True), "n = True"),
    (lambda d: d.update(n="8"), "n = '8'"),
    (lambda d: d.update(q=2**64), "q = 18446744073709551616"),
    (lambda d: d.update(root=97), "root = 97"),
    (lambda d: d.update(ring="toric"), "toric"),
    (lambda d: d.update(ring=["cyclic"]), "ring"),
    (lambda d: d.update(algorithm="merged"), "merged"),
    (lambda d: d.update(radix=4), "radix = 4"),
    (lambda d: d.update(input=[1, 2]), "input has 2 values"),
    (lambda d: d.update(input={}), "input has dict"),
    (lambda d: d["input"].__setitem__(3, 97), "input[3] = 97"),
    (lambda d: d["input"].__setitem__(3, -1), "input[3] = -1"),
    (lambda d: d["input"].__setitem__(3, 1.5), "input[3] = 1.5"),
    (lambda d: d["input"].__setitem__(3, True), "input[3] = True"),
    (lambda d: d["input"].__setitem__(3, "05"), "input[3] = '05'"),
    (lambda d: d.update(steps=None), "steps"),
    (lambda d: d.update(steps=d["steps"] * 3), "at most 10"),
    (lambda d: d["steps"].append(7), "steps[6] is not an object"),
    (lambda d: d["steps"][0].update(name="spin"), "spin"),
    (lambda d: d["steps"][2].pop("index"), "'index' is missing"),
    (lambda d: d["steps"][2].update(index=9), "index = 9"),
    (lambda d: d["steps"][0].update(index=1), "unknown member 'index'"),
    (lambda d: d["steps"][0]["values"].pop(), "7 values"),
]


@pytest.mark.parametrize("change, text", CHANGES, ids=[c[1] for c in CHANGES])
def test_the_loader_trusts_nothing(change, text: str) -> None:
    trace = NttPlan(8, 97, algorithm="dit").trace(list(range(8)))
    document = copy.deepcopy(json.loads(trace.to_json()))
    change(document)
    with pytest.raises(FormatError) as error:
        NttTrace.from_json(json.dumps(document))
    assert text in str(error.value)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "nul", '{"n": 1, "n": 2}', "[" * 100000, '{"n": ' + "9" * 5000 + "}", b"\xff\xfe{"],
    ids=["empty", "list", "word", "repeated", "deep", "long", "bytes"],
)
def test_the_loader_refuses_other_texts(text: str | bytes) -> None:
    with pytest.raises(FormatError):
        NttTrace.from_json(text)


def test_hexadecimal_values_are_checked() -> None:
    trace = NttPlan(8, 97, algorithm="dit").trace(list(range(8)))
    for bad in ("61", "-1", "0x1", "", " 1", "1_0", "0" * 17, 5, None):
        document = json.loads(trace.to_json(hex=True))
        document["input"][0] = bad
        with pytest.raises(FormatError, match=r"input\[0\]"):
            NttTrace.from_json(json.dumps(document))


def test_what_cannot_be_run_or_traced() -> None:
    with pytest.raises(ParameterError, match="known: merged, dit, dif"):
        NttPlan(8, 97, algorithm="dits")
    with pytest.raises(ParameterError, match="goes with an algorithm"):
        NttPlan(8, 97, radix=4)
    with pytest.raises(ParameterError, match="allowed are 2, 4, 8, 16"):
        NttPlan(8, 97, algorithm="radix_r", radix=32)
    with pytest.raises(ParameterError, match="is scalar"):
        NttPlan(8, 97, algorithm="dit", target="avx2")
    with pytest.raises(ParameterError, match="inside the recipe"):
        NttPlan(8, 97, algorithm="dit", recipe=NttPlan(8, 97).recipe)
    with pytest.raises(ParameterError, match="radix_r has the same stages"):
        NttPlan(8, 97).trace([0] * 8)
    plan = NttPlan(8, 97, algorithm="dit")
    with pytest.raises(ParameterError, match="sideways"):
        plan.trace([0] * 8, "sideways")
    with pytest.raises(SizeError):
        plan.trace([0] * 7)
    with pytest.raises(SizeError, match="need n = 8"):
        plan.trace([[0] * 8] * 2)
    with pytest.raises(ParameterError, match="not in"):
        plan.trace([97] * 8)
    with pytest.raises(ParameterError, match="one limb"):
        NttPlan(8, [97, 193], algorithm="dit").trace([[0] * 8] * 2)
    with pytest.raises(ParameterError, match="too large for a trace"):
        NttPlan(2**18, Q[64], algorithm="dit").trace(np.zeros(2**18, dtype=np.uint64))


def test_commands(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ntt", "--q", "17", "--algorithm", "six_step", "1", "2", "3", "4"]) == 0
    assert capsys.readouterr().out.split() == ["15", "11", "13", "16"]
    assert main(["trace", "--list"]) == 0
    listing = capsys.readouterr().out
    assert all(name in listing for name in NAMES)
    file = tmp_path / "trace.json"
    options = ["trace", "--q", "97", "--algorithm", "radix_r", "--radix", "4", "--hex"]
    assert main([*options, "--out", str(file), *"12345670"]) == 0
    assert main(["trace", "--check", str(file)]) == 0
    assert "equal in all 2 steps" in capsys.readouterr().out
    document = json.loads(file.read_text())
    document["steps"][1]["values"][0] = "00"
    file.write_text(json.dumps(document))
    assert main(["trace", "--check", str(file)]) == 1
    assert "stage 2, position 0: " in capsys.readouterr().out
    assert main(["trace", "--q", "97", "1", "2"]) == 2
    assert main(["trace", "--check", str(tmp_path / "none.json")]) == 2
    file.write_text("{")
    assert main(["trace", "--check", str(file)]) == 2
