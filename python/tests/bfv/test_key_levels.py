# SPDX-License-Identifier: Apache-2.0
"""Evaluation keys at a level, and keys that are written and read part by part, in both schemes."""

from __future__ import annotations

import io
import pickle
from types import ModuleType
from typing import Any

import pytest

from nttforge import bfv, bgv
from nttforge.errors import ArgumentTypeError, FormatError, ParameterError


@pytest.fixture(scope="module", params=[bfv, bgv], ids=["bfv", "bgv"])
def scheme(request: pytest.FixtureRequest) -> ModuleType:
    return request.param


@pytest.fixture(scope="module")
def context(scheme: Any) -> Any:
    return scheme.Context(scheme.Parameters.preset(8192), threads=1)


@pytest.fixture(scope="module")
def keys(context: Any) -> Any:
    return context.generate_keys(rotations=[1, 2], swap_columns=True, seed=bytes(32))


def test_keys_at_a_level_give_the_results_of_the_whole_keys(context: Any, keys: Any) -> None:
    whole = keys.evaluation
    x = keys.encrypt(list(range(-50, 50))).mod_switch(2)
    lower = whole.at_level(2)
    assert lower.relinearization.level == lower.rotations.level == 2
    assert whole.relinearization.level == whole.rotations.level == len(context.parameters.q)
    sent = pickle.loads(pickle.dumps(type(whole).from_bytes(context, lower.to_bytes())))
    for some in (lower, sent, type(whole)(whole.relinearization, whole.rotations.at_level(2))):
        assert (x * x).relinearize(some).same_words((x * x).relinearize(whole))
        assert x.rotate_rows(1, some).same_words(x.rotate_rows(1, whole))
        assert x.swap_columns(some).same_words(x.swap_columns(whole))


def test_sizes_of_keys_at_a_level_are_known_before(context: Any, keys: Any) -> None:
    p = context.parameters
    for level in range(context.lowest_level, len(p.q) + 1):
        found = keys.evaluation.at_level(level)
        assert len(found.to_bytes()) == p.evaluation_keys_bytes(3, level=level)
        sizes = p.serialized_sizes(level=level)
        assert len(found.relinearization.to_bytes()) == sizes["relinearization_key"]
    assert 3 * p.evaluation_keys_bytes(3, level=2) < p.evaluation_keys_bytes(3)
    assert p.memory_sizes(level=1)["rotation_key"] < p.memory_sizes()["rotation_key"]
    with pytest.raises(ParameterError, match="level = 0 is not in"):
        p.serialized_sizes(level=0)
    with pytest.raises(ParameterError, match="level = 9 is not in"):
        p.memory_sizes(level=9)


def test_keys_are_refused_above_their_level(keys: Any) -> None:
    lower = keys.evaluation.at_level(2)
    x = keys.encrypt([1, 2, 3])
    with pytest.raises(
        ParameterError,
        match=r"keys: at level 2 for rotation step 1 .* is needed",
    ):
        x.rotate_rows(1, lower)
    with pytest.raises(ParameterError, match=r"switch a down to level 2 first \(mod_switch\)"):
        (x * x).relinearize(lower)
    with pytest.raises(ParameterError, match="the key is at level 2, and rows that it lacks"):
        lower.at_level(3)
    with pytest.raises(ArgumentTypeError, match="level"):
        lower.at_level(1.5)


def test_keys_go_through_files_part_by_part(scheme: Any, context: Any, keys: Any) -> None:
    expected = keys.evaluation.to_bytes()
    seen: list[tuple[int, int]] = []
    parts: list[int] = []

    class File(io.BytesIO):
        def write(self, part: Any) -> int:
            parts.append(len(part))
            return super().write(part)

    file = File()
    keys.evaluation.write(file, lambda done, total: seen.append((done, total)))
    assert file.getvalue() == expected
    assert seen[-1] == (len(expected), len(expected)) and len(seen) > 10
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    assert max(parts) < len(expected) / 10
    file.write(b"more")
    file.seek(0)
    seen.clear()
    read = scheme.EvaluationKeys.read(context, file, lambda done, total: seen.append((done, total)))
    assert read.to_bytes() == expected and file.read() == b"more"
    assert seen[-1] == (len(expected), len(expected))
    assert scheme.EvaluationKeys.read(context, io.BytesIO(expected)).to_bytes() == expected


def test_files_of_keys_are_read_whole_or_not_at_all(scheme: Any, context: Any, keys: Any) -> None:
    good = scheme.EvaluationKeys(keys.relinearization).to_bytes()

    def read(data: bytes) -> Any:
        return scheme.EvaluationKeys.read(context, io.BytesIO(data))

    for size in (0, 31, 32, 40, 48, 1000, len(good) - 9, len(good) - 1):
        with pytest.raises(FormatError, match="truncated"):
            read(good[:size])
    with pytest.raises(FormatError, match="checksum does not match"):
        read(good[:-1] + bytes([good[-1] ^ 1]))
    with pytest.raises(FormatError, match="the bytes hold relinearization key"):
        read(keys.relinearization.to_bytes())

    class Stop(Exception):
        pass

    def stop(done: int, total: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        keys.evaluation.write(io.BytesIO(), stop)
    with pytest.raises(Stop):
        scheme.EvaluationKeys.read(context, io.BytesIO(good), stop)
    assert scheme.EvaluationKeys(keys.relinearization).to_bytes() == good
