# SPDX-License-Identifier: Apache-2.0
"""Parameters chosen from a recorded computation."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_circuits import check

import nttforge
from nttforge import bfv
from nttforge.choosing import Traced


def covariance(x: Any, y: Any, keys: Any) -> tuple[Any, Any]:
    """Two results of different depth."""
    return (x * y).relinearize(keys).inner_sum(64, keys), x.inner_sum(64, keys)


def test_a_choice_is_what_the_computation_needs() -> None:
    choice = nttforge.choose(covariance, {"x": (0, 100), "y": range(-50, 51)}, slots=4096)
    p = choice.parameters
    assert p.has_batching and p.t > 2 * 64 * 5000 and (p.t - 1) // (2 * p.n) * 2 * p.n + 1 == p.t
    assert choice.rotations == (1, 2, 4, 8, 16, 32) and choice.relinearization
    assert not choice.swap_columns and choice.noise_budget_bits > 0
    last = choice.steps[-1]
    assert (last.low, last.high) == (0, 6400) and last.name == "sum over 64 slots"
    assert [s.name for s in choice.steps[:3]] == ["input x", "input y", "multiply"]
    context = bfv.Context(p)
    keys = choice.generate_keys(context)
    assert len(keys.evaluation.to_bytes()) == choice.evaluation_keys_bytes
    x, y = np.arange(64), np.arange(64) - 50
    products, sums = covariance(keys.encrypt(x), keys.encrypt(y), keys)
    assert keys.decrypt(products)[0] == (x * y).sum() and keys.decrypt(sums)[0] == x.sum()
    predicted = min(c.predicted_noise_budget_bits for c in (products, sums))
    assert predicted == pytest.approx(choice.noise_budget_bits, abs=0.01)
    text = choice.explain()
    assert "Not enough: " in text and f"{choice.evaluation_keys_bytes} bytes" in text


def test_one_prime_fewer_is_not_enough() -> None:
    choice = nttforge.choose(lambda x: (x * x).relinearize() * x, [(-3, 3)])
    p = choice.parameters
    assert len(p.q) < len(bfv.Parameters.preset(p.n, p.t).q) or p.n == 4096
    assert choice.refused[-1].startswith(f"n = {p.n} with {len(p.q) - 1} of its") or p.n == 4096


def test_sizes_follow_what_is_needed() -> None:
    alone = nttforge.choose(lambda x: x + 1, [(0, 1)])
    assert alone.parameters.n == 1024 and alone.evaluation_keys_bytes == 0
    assert "none are needed" in alone.explain()
    wide = nttforge.choose(lambda x: x.inner_sum(8192), [(0, 1)])
    assert wide.parameters.n == 8192 and wide.swap_columns and wide.rotations[-1] == 2048
    narrow = nttforge.choose(lambda x: x * x, [(0, 9)], device="cuda").parameters
    assert narrow.word_bits == 32
    strong = nttforge.choose(lambda x: (x * x).relinearize(), [(0, 9)], security=256).parameters
    assert strong.security == "classical256"


def test_answers_are_shrunk_last() -> None:
    def function(x: Any, y: Any, keys: Any = None) -> Any:
        return (x * y).relinearize(keys).shrink(min_budget_bits=20)

    choice = nttforge.choose(function, [(-9, 9)] * 2)
    assert 19 < choice.noise_budget_bits <= 20 and choice.steps[-1].name == "shrink"
    keys = choice.generate_keys(bfv.Context(choice.parameters))
    result = function(keys.encrypt([3, -4]), keys.encrypt([5, 6]), keys)
    assert keys.decrypt(result)[:2].tolist() == [15, -24]
    assert result.predicted_noise_budget_bits >= 20
    assert nttforge.choose(lambda x: x.shrink() + x.shrink(), [(0, 9)]).parameters.n >= 1024
    with pytest.raises(nttforge.ParameterError, match=r"step 3 \(multiply by 2\): an operand was"):
        nttforge.choose(lambda x: x.shrink() * 2, [(0, 9)])
    with pytest.raises(nttforge.ParameterError, match=r"min_budget_bits = -1 must be in 0 \.\.\."):
        nttforge.choose(lambda x: x.shrink(-1), [(0, 9)])


def test_keys_for_size_or_speed() -> None:
    """Digits of several primes where the depth leaves room for them; the results are the same."""

    def function(x: Any, y: Any, keys: Any = None) -> Any:
        return (x * y).relinearize(keys).inner_sum(8, keys)

    inputs = [(-9, 9)] * 2
    plain = nttforge.choose(function, inputs, slots=16384)
    size = nttforge.choose(function, inputs, slots=16384, keys_for="size")
    speed = nttforge.choose(function, inputs, slots=16384, keys_for="speed")
    assert size.parameters.n == speed.parameters.n == plain.parameters.n == 16384
    assert size.evaluation_keys_bytes <= min(
        plain.evaluation_keys_bytes, speed.evaluation_keys_bytes
    )

    def rows(p: bfv.Parameters) -> int:
        return -(-len(p.q) // p.digit_primes) * (len(p.q) + len(p.special))

    assert rows(speed.parameters) <= min(rows(plain.parameters), rows(size.parameters))
    for choice in (size, speed):
        keys = choice.generate_keys(bfv.Context(choice.parameters))
        assert len(keys.evaluation.to_bytes()) == choice.evaluation_keys_bytes
        result = function(keys.encrypt(np.arange(8)), keys.encrypt(np.full(8, 2)), keys)
        assert keys.decrypt(result)[0] == 56
    # One that needs most of the primes of n = 4096 has no room for larger digits.
    assert nttforge.choose(lambda x: x * x, [(0, 9)], keys_for="size").evaluation_keys_bytes == 0
    with pytest.raises(nttforge.ParameterError, match="keys_for = 'both' is not one of 'size'"):
        nttforge.choose(function, inputs, keys_for="both")  # type: ignore[arg-type]


def test_keys_are_a_parameter_or_left_out() -> None:
    seen = []

    def function(x: Any, keys: Any) -> Any:
        seen.append(keys)
        return x.rotate_rows(1, keys)

    assert nttforge.choose(function, {"x": (0, 1)}).rotations == (1,)
    assert nttforge.choose(function, [(0, 1)]).rotations == (1,)
    assert seen == [None, None]


def test_ranges_are_those_of_integers() -> None:
    seen: list[Traced] = []

    def function(x: Traced, y: Traced) -> Traced:
        a = 3 - x  # [-7, 3] for x in [0, 10]
        b = x * y  # y in [-2, 0]: [-20, 0]
        c = (a * a).relinearize()
        d = b.relinearize().matmul([[1, -1], [2, 0]])
        seen.extend([a, b, c, d])
        return d + np.array([5, -6])

    nttforge.choose(function, [(0, 10), (-2, -1)])
    assert [(v.low, v.high) for v in seen] == [(-7, 3), (-20, 0), (0, 49), (-40, 20)]


def test_what_cannot_be_chosen_is_said() -> None:
    def deep(x: Any) -> Any:
        for _ in range(40):
            x = (x * x).relinearize()
        return x

    with pytest.raises(nttforge.ParameterError, match="values of up to 257 bits, and t has 59"):
        nttforge.choose(deep, [(0, 2)])
    with pytest.raises(nttforge.ParameterError, match=r"step 2 .* and t of at most 59 bits holds"):
        nttforge.choose(lambda x: x * 2**60, [(0, 2)])
    with pytest.raises(nttforge.ParameterError, match=r"no recommended set is enough.* leaves -"):
        nttforge.choose(deep, [(0, 1)])
    with pytest.raises(nttforge.ParameterError, match="relinearize it first"):
        nttforge.choose(lambda x: x * x * x, [(0, 1)])
    with pytest.raises(nttforge.ArgumentTypeError, match="rounded and scaled first"):
        nttforge.choose(lambda x: x * np.array([0.5]), [(0, 1)])
    with pytest.raises(nttforge.ArgumentTypeError, match="circuit returned a int"):
        nttforge.choose(lambda x: 1, [(0, 1)])
    with pytest.raises(nttforge.SizeError, match="lowest and the highest"):
        nttforge.choose(lambda x: x, [(1, 0)])
    with pytest.raises(nttforge.SizeError, match="inputs is empty"):
        nttforge.choose(lambda: 1, [])
    for arguments, text in (
        ({"security": 100}, "security = 100"),
        ({"device": "tpu"}, "device = 'tpu'"),
        ({"slots": 2**16}, "slots = 65536"),
    ):
        with pytest.raises(nttforge.ParameterError, match=text):
            nttforge.choose(lambda x: x, [(0, 1)], **arguments)


@pytest.mark.parametrize("seed", [4, 17, 26, 27, 41])
def test_chosen_parameters_suffice_for_random_circuits(seed: int) -> None:
    assert check(seed, levels=seed % 4, most_n=8192)["verdict"] == "enough"


@pytest.mark.parametrize("seed", [4, 17, 26, 27, 41, 45])
def test_chosen_parameters_of_bgv_suffice_for_random_circuits(seed: int) -> None:
    assert check(seed, levels=seed % 4, most_n=8192, scheme="bgv")["verdict"] == "enough"


def test_no_bit_of_the_modulus_is_left_over() -> None:
    """A chosen set has primes of as few bits as are enough: results keep about one bit."""
    choice = nttforge.choose(lambda x, y: (x * y).relinearize() * y, [(-9, 9), (0, 5)])
    p = choice.parameters
    whole = bfv.Parameters.preset(p.n, p.t)
    assert p.q_bits < sum(q.bit_length() for q in whole.q[: len(p.q)])
    assert 0 < choice.noise_budget_bits < len(p.q) + 1 and p.security == "classical128"
    assert len({q.bit_length() for q in p.q}) == 1


def test_a_time_is_predicted() -> None:
    def powers(x: Any) -> Any:
        for _ in range(3):
            x = (x * x).relinearize().rotate_rows(1)
        return x.matmul(np.eye(4, dtype=int)).inner_sum(8) * 3 + np.arange(4)

    choice = nttforge.choose(powers, [(0, 1)])
    assert choice.predicted_seconds is not None and 1e-4 < choice.predicted_seconds < 10
    assert "ms on one core of a " in choice.explain()
    twice = nttforge.choose(lambda x, y: (powers(x), powers(y)), [(0, 1)] * 2)
    assert twice.parameters == choice.parameters
    assert twice.predicted_seconds == pytest.approx(2 * choice.predicted_seconds)
    gpu = nttforge.choose(powers, [(0, 1)], device="cuda")
    assert gpu.predicted_seconds is None and "No time is predicted for GPUs." in gpu.explain()


def test_the_recorded_random_circuits() -> None:
    folder = Path(__file__).resolve().parents[3] / "bench/results/random-circuits"
    lines = gzip.decompress((folder / "circuits.jsonl.gz").read_bytes()).splitlines()
    rows = [json.loads(line) for line in lines]
    assert len({row["seed"] for row in rows}) == len(rows) == 2000
    chosen = [row for row in rows if row["verdict"] != "no set is enough"]
    assert len(chosen) > 1990 and all(row["verdict"] == "enough" for row in chosen)
    assert {row["n"] for row in chosen} == {2**i for i in range(10, 16)}
    enough = sum(row["smaller"] == "enough" for row in chosen)
    assert enough < 0.2 * len(chosen)


def test_one_size_less_is_not_enough() -> None:
    found = [check(seed, levels=seed % 4, most_n=8192)["smaller"] for seed in (1, 5, 7, 8, 10)]
    assert found.count("enough") <= 1
