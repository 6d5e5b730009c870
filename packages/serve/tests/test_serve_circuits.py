# SPDX-License-Identifier: Apache-2.0
"""Circuits: declared, described, and requests of a batch that do not touch each other."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from serve_circuits import score, shift, two
from serve_client import Client

from nttforge import ArraySpec, bfv, ntt_primes
from nttforge.errors import ArgumentTypeError, FormatError, ParameterError
from nttforge_serve import Circuit, circuit
from nttforge_serve.circuits import load, prepare
from nttforge_serve.hands import Hands
from nttforge_serve.wire import Contract, joined, parted


@circuit(x=ArraySpec((4, 8), -10, 10))
def rows(x: Any) -> Any:
    """Sums over rows, which share a ciphertext."""
    return x.sum(axis=0), x.sum(axis=1), x[2]


@circuit(x=ArraySpec((8,), -10, 10))
def widened(x: Any) -> Any:
    """A plain matrix with more rows than a ciphertext has."""
    return (x * (np.arange(8 * 1500) % 3).reshape(1500, 8)).sum(axis=1)


@circuit(x=ArraySpec((8,), -1.0, 1.0), options={"scheme": "ckks"})
def real(x: Any) -> Any:
    return x * x * 0.5 + 0.25


@circuit(x=ArraySpec((8,), -10, 10), shrink=False)
def whole(x: Any) -> Any:
    return np.roll(x, 1) * 3


@pytest.mark.parametrize(
    ("one", "together"),
    [(score, True), (shift, True), (two, True), (rows, True), (real, True), (whole, True),
     (widened, False)],
    ids=lambda value: value.name if isinstance(value, Circuit) else "",
)  # fmt: skip
def test_a_batch_gives_the_answers_of_its_requests(one: Circuit, together: bool) -> None:
    client = Client(one)
    values = [client.values(seed) for seed in range(3)]
    requests = [client.request(value) for value in values]
    alone = [client.prepared.compute([request], client.evaluation)[0] for request in requests]
    assert client.prepared.compute(requests, client.evaluation) == alone
    assert client.prepared.batches is together
    for value, answer in zip(values, alone, strict=True):
        assert isinstance(answer, bytes)
        wanted = one(**value)
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        for found, right in zip(client.opened(answer), wanted, strict=True):
            assert np.allclose(found, right, rtol=0, atol=1e-3 if one is real else 0)


def test_a_wrong_request_spoils_no_batch() -> None:
    client = Client(score)
    good = client.request(client.values(1))
    cut = good[:-1]
    answers = client.prepared.compute([good, cut, good], client.evaluation)
    assert isinstance(answers[1], FormatError)
    assert answers[0] == answers[2] != answers[1]
    assert client.opened(answers[0])[0] == score(**client.values(1))


@pytest.mark.parametrize("one", [two, real], ids=lambda one: one.name)
def test_hands_change_no_answer_and_no_error(one: Circuit) -> None:
    client = Client(one)
    good = [client.request(client.values(seed)) for seed in range(3)]
    bodies = [good[i % 3] for i in range(11)]
    alone = [client.prepared.compute([body], client.evaluation)[0] for body in good]
    for count in (1, 2, 3, 8):
        client.prepared.hands = Hands(count)
        answers = client.prepared.compute(bodies, client.evaluation)
        assert answers == [alone[i % 3] for i in range(11)]
    other = bytearray(good[1])
    other[200] ^= 1
    wrong = {2: good[0][:-1], 5: bytes(other), 10: b""}
    for i, body in wrong.items():
        bodies[i] = body
    answers = client.prepared.compute(bodies, client.evaluation)
    for i, answer in enumerate(answers):
        if i in wrong:
            with pytest.raises(FormatError) as error:
                client.prepared.read_request(wrong[i], client.evaluation)
            assert isinstance(answer, FormatError) and str(answer) == str(error.value)
        else:
            assert answer == alone[i % 3]
    assert client.prepared.batches


def test_slices_make_up_a_batch_in_order() -> None:
    for hands in (Hands(), Hands(2), Hands(3), Hands(8)):
        for count in range(1, 70):
            parts = hands.slices(lambda first, number: list(range(first, first + number)), count)
            assert [i for part in parts for i in part] == list(range(count))
            assert len(parts) <= hands.count
    ended: list[int] = []

    def fails(first: int, number: int) -> None:
        ended.append(first)
        if first:
            raise FormatError(f"slice at {first}")

    with pytest.raises(FormatError, match="slice at 4"):
        Hands(3).slices(fails, 12)
    assert sorted(ended) == [0, 4, 8]


def test_hands_are_as_many_as_find_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, workers, count in (
        (1, 1, 1),
        (2, 2, 1),
        (2, 1, 2),
        (16, 2, 8),
        (16, 16, 1),
        (4, 9, 1),
    ):
        monkeypatch.setattr("nttforge_serve.hands.usable_cpus", lambda cores=cores: range(cores))
        assert Hands.beside(workers).count == count


def test_requests_are_what_the_circuit_takes() -> None:
    client = Client(score)
    context, keys = client.keys.context, client.keys
    fresh = bfv.BatchEncoder(context).encode(np.ones((2, context.n), int))
    lower = client.request(client.values(0))
    ciphertext = bfv.Ciphertext.from_bytes(context, bytes(parted(lower, 1)[0]))
    other = bfv.Context(bfv.Parameters.preset(4096))
    for text, said in (
        (bfv.Encryptor(keys.secret).encrypt(fresh).to_bytes(), "need 1 ciphertexts"),
        (
            ciphertext.mod_switch(1).to_bytes() if ciphertext.level > 1 else b"",
            "level|truncated|none",
        ),
        ((ciphertext * ciphertext).to_bytes(), "two parts"),
        (keys.secret.to_bytes(), "a secret key, which nobody but its owner may have"),
        (other.generate_keys().encrypt([1]).to_bytes(), "parameters"),
        (keys.public.to_bytes(), "public key"),
    ):
        (answer,) = client.prepared.compute([joined([text])], client.evaluation)
        with pytest.raises(Exception, match=said):
            raise answer if isinstance(answer, Exception) else AssertionError("it was computed")


def test_keys_are_exactly_those_that_the_circuit_needs() -> None:
    client = Client(score)
    context, steps = client.keys.context, client.contract.rotations
    for keys, said in (
        (context.generate_keys(rotations=steps[:-1], relinearization=False), "rotations ="),
        (context.generate_keys(rotations=steps), "relinearization = True"),
        (context.generate_keys(rotations=(*steps, 999), relinearization=False), "999"),
    ):
        with pytest.raises(FormatError, match=said):
            client.prepared.read_keys(io.BytesIO(keys.evaluation.to_bytes()))
    with pytest.raises(FormatError, match="bytes follow"):
        client.prepared.read_keys(io.BytesIO(client.keys.evaluation.to_bytes() + b"\0"))


def test_contracts_are_read_as_hostile() -> None:
    document = prepare(two).contract.to_dict()
    text = json.dumps(document)
    assert Contract.from_dict(json.loads(text)).to_dict() == document
    for name, wrong in (
        ("name", 7), ("about", "x" * 5000), ("inputs", []), ("inputs", [{}]), ("results", 0),
        ("single", 1), ("parameters", "!"), ("parameters", "AAAA"), ("keys", None),
        ("keys", {"relinearization": True, "rotations": [1.5], "swap_columns": False}),
        ("inputs", [document["inputs"][0]] * 2),
        ("inputs", [document["inputs"][0] | {"shape": [2**40]}]),
        ("inputs", [document["inputs"][0] | {"shape": [8, 8, 8]}]),
        ("inputs", [document["inputs"][0] | {"block": 3}]),
        ("inputs", [document["inputs"][0] | {"low": "0"}]),
        ("inputs", [document["inputs"][0] | {"low": 11}]),
        ("inputs", [document["inputs"][0] | {"scale": 0}]),
        ("inputs", [document["inputs"][0] | {"name": "a b"}]),
    ):  # fmt: skip
        with pytest.raises(FormatError):
            Contract.from_dict(document | {name: wrong})
    weak = bfv.Parameters.custom(
        4096, 65537, ntt_primes(4096, 50, 2), security="insecure_by_request"
    )
    text = base64.b64encode(weak.to_bytes()).decode()
    with pytest.raises(FormatError, match="security"):
        Contract.from_dict(document | {"parameters": text})
    for wrong in (None, [], "x", {}):
        with pytest.raises(FormatError):
            Contract.from_dict(wrong)


def test_circuits_are_declared_whole(tmp_path: Path) -> None:
    with pytest.raises(ArgumentTypeError, match=r"inputs \['y'\]"):
        circuit(y=ArraySpec((8,), 0, 1))(lambda x: x)
    with pytest.raises(ArgumentTypeError, match="scale for each column"):
        circuit(x=ArraySpec((2,), 0, 1, scale=(1, 2)))(lambda x: x)
    with pytest.raises(ParameterError, match="no file"):
        load(str(tmp_path / "none.py"))
    with pytest.raises(ParameterError, match=r"FILE\.py or a module"):
        load("no_such_module_of_circuits")
    (tmp_path / "empty.py").write_text("x = 1\n")
    with pytest.raises(ParameterError, match="at least one function"):
        load(str(tmp_path / "empty.py"))

    @circuit(x=ArraySpec((8,), -(2**40), 2**40))
    def deep(x: Any) -> Any:
        return x**1023

    with pytest.raises(ParameterError, match="circuit deep: "):
        prepare(deep)
