# SPDX-License-Identifier: Apache-2.0
"""A network of an ``.orion`` file: digits, 64-32-32-10, SiLU of degree 15, and a residual sum."""

from __future__ import annotations

import contextlib
import gzip
import json
import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nttforge
from nttforge import FormatError, MissingKeyError, SizeError, UnsupportedError, ckks, ntt_primes
from nttforge_compilers.execution import Plain
from nttforge_compilers.graph import Graph

DATA = Path(__file__).parent / "data"
FILE = DATA / "digits.orion.gz"
MAGIC = b"ORION\0\x02\0"
#: Prescale and constant of its two polynomials, in order.
RANGES = [(0.1491323731217803, -0.3094065342196478), (0.046168261407280094, -0.09001883273167777)]


@cache
def _digits() -> dict[str, Any]:
    found = json.loads((DATA / "digits.json").read_text())
    return {
        "x": np.array(found["sixteenths"]) / 16,
        "pytorch": np.array(found["pytorch"]),
        "orion": np.array(found["orion"]),
    }


@cache
def _parts() -> tuple[str, tuple[bytes, ...]]:
    """The header and the blobs."""
    data = gzip.decompress(FILE.read_bytes())
    (length,) = struct.unpack_from("<I", data, 8)
    at, blobs = 12 + length + 4, []
    for _ in range(struct.unpack_from("<I", data, 12 + length)[0]):
        (size,) = struct.unpack_from("<Q", data, at)
        blobs.append(data[at + 8 : at + 8 + size])
        at += 8 + size
    return data[12 : 12 + length].decode(), tuple(blobs)


def _packed(header: Any, blobs: tuple[bytes, ...]) -> bytes:
    text = json.dumps(header).encode()
    parts = [MAGIC, struct.pack("<I", len(text)), text, struct.pack("<I", len(blobs))]
    for blob in blobs:
        parts += [struct.pack("<Q", len(blob)), blob]
    return b"".join(parts)


def test_plain_answers_are_those_of_the_other_library() -> None:
    model, digits = nttforge.models.load(FILE), _digits()
    found = np.array([model.run_plain(x) for x in digits["x"]])
    assert np.abs(found - digits["orion"]).max() < 4e-7  # its decrypted answers, with their noise
    assert (found.argmax(axis=1) == digits["pytorch"].argmax(axis=1)).all()
    assert model.slots == 2048 and not model.bootstraps


def test_the_network_itself_is_that_of_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    """With SiLU in place of its polynomials all layers, sums and ranges are as they were."""
    model, digits, calls = nttforge.models.load(FILE), _digits(), []

    def silu(self: Plain, x: Any, coefficients: Any, basis: str) -> Any:
        factor, shift = RANGES[len(calls) % 2]
        calls.append(basis)
        v = (x - shift) / factor
        return v / (1 + np.exp(-v))

    monkeypatch.setattr(Plain, "polynomial", silu)
    found = np.array([model.run_plain(x) for x in digits["x"]])
    assert np.abs(found - digits["pytorch"]).max() < 1e-5 and len(calls) == 20


def _small(model: Any, scale_bits: int) -> ckks.Parameters:
    """As many levels as the recommended set, at the least n, without security."""
    depth, n = model.parameters().depth, 2 * model.slots
    primes = [*ntt_primes(n, 60, 1), *ntt_primes(n, scale_bits, depth)]
    special = [q for q in ntt_primes(n, 60, 4) if q not in primes][:3]
    return ckks.Parameters.custom(n, 2.0**scale_bits, primes, special, "insecure_by_request")


def test_encrypted_answers_are_within_the_carried_bound() -> None:
    model, digits = nttforge.models.load(FILE), _digits()
    keys = ckks.Context(_small(model, 50)).generate_keys(**model.required_keys())
    for x in digits["x"][:2]:
        answer = model.run(*model.encrypt(x, keys=keys), keys=keys.evaluation)
        error = np.abs(model.decrypt(answer, keys) - model.run_plain(x)).max()
        assert error < answer.error < 0.1 and error < 1e-7
    few = keys.context.generate_keys(rotations=[1, 2])
    with pytest.raises(MissingKeyError, match=r"lacks keys for the steps: .*3"):
        model.run(*model.encrypt(x, keys=few), keys=few)


@pytest.mark.full
def test_at_the_full_size() -> None:
    model, digits = nttforge.models.load(FILE), _digits()
    context = model.context()
    assert context.n == 2**15 and context.parameters.security == "classical128"
    keys = context.generate_keys(**model.required_keys())
    for x, expected in zip(digits["x"], digits["orion"], strict=True):
        answer = model.run(*model.encrypt(x, keys=keys), keys=keys.evaluation)
        found = model.decrypt(answer, keys)
        assert np.abs(found - model.run_plain(x)).max() < answer.error
        assert np.abs(found - expected).max() < 1e-6


def test_sets_follow_from_the_model() -> None:
    model = nttforge.models.load(FILE)
    assert model.required_keys() == {"relinearization": True, "rotations": model.rotations()}
    on_card = model.parameters("cuda")
    assert on_card.word_bits == 32 and on_card.depth >= 11
    assert model.parameters().word_bits == 64
    with pytest.raises(SizeError, match=r"input has the shape \(3,\): need \(64,\)"):
        model.run_plain([1, 2, 3])


# A network in a few bytes of numbers: 4 slots, two blocks, and operations that the digits lack.
def _tiny(change: Callable[[Any, list[bytes]], None] | None = None) -> bytes:
    def diagonals(rows: dict[int, list[float]]) -> bytes:
        head = struct.pack(f"<I{len(rows)}i", len(rows), *rows)
        return head + np.array(list(rows.values()), "<f8").tobytes()

    blobs = [
        diagonals({0: [0.5, 0.25, 0.125, 0], -1: [0.25] * 4}),
        np.array([0.1, 0, -0.1, 0], "<f8").tobytes(),
    ]
    linear = {"bsgs_ratio": 2.0, "output_rotations": 1, "num_input_cts": 1, "num_output_cts": 2}
    shapes = {"fhe_input": [1, 4], "fhe_output": [1, 8], "input": [1, 4], "output": [1, 8]}
    curve = {"basis": "monomial", "coeffs": [0.5, 0.25, 0.125], "prescale": 2, "postscale": 2}
    nodes = [
        {"name": "a", "op": "linear_transform", "config": linear, "shape": shapes,
         "blob_refs": {"diag_0_0": 0, "diag_1_0": 0, "bias_1": 1}},
        {"name": "b", "op": "quad", "config": {}},
        {"name": "c", "op": "polynomial", "config": {**curve, "constant": 0.5}},
        {"name": "d", "op": "mult", "config": {}},
        {"name": "e", "op": "flatten", "config": {}},
    ]  # fmt: skip
    header = {
        "params": {"logn": 3, "ring_type": "standard"},
        "config": {"fuse_modules": False},
        "graph": {
            "input": "a",
            "output": "e",
            "nodes": nodes,
            "edges": [{"src": s, "dst": d} for s, d in ("ab", "bc", "bd", "cd", "de")],
        },
    }
    if change is not None:
        change(header, blobs)
    return _packed(header, tuple(blobs))


def test_operations_that_the_digits_lack() -> None:
    model, x = nttforge.models.load(_tiny()), np.array([0.5, -1, 0.25, 1])
    linear = np.array([0.5, 0.25, 0.125, 0]) * x + 0.25 * np.roll(x, 1)
    folded = linear + np.roll(linear, -2)
    both = np.array([folded, folded + np.array([0.1, 0, -0.1, 0])])
    b = both**2
    t = 2 * b + 0.5
    expected = (b * 2 * (0.5 + 0.25 * t + 0.125 * t * t)).ravel()
    assert np.allclose(model.run_plain(x), expected, rtol=0, atol=1e-12)
    keys = ckks.Context(ckks.Parameters.preset(2**14)).generate_keys(**model.required_keys())
    answers = model.run(*model.encrypt(x, keys=keys), keys=keys)
    assert len(answers) == 2
    error = np.abs(model.decrypt(answers, keys) - expected).max()
    assert error < max(answer.error for answer in answers) < 1e-3


def test_a_bootstrap_is_shifted_scaled_and_masked() -> None:
    def change(header: Any, blobs: list[bytes]) -> None:
        header["graph"]["nodes"][1] = {
            "name": "b",
            "op": "bootstrap",
            "config": {"prescale": 0.5, "postscale": 2, "constant": 0.25, "slots": 2},
            "shape": {"fhe_input": [1, 3]},
        }

    model, x = nttforge.models.load(_tiny(change)), np.array([0.5, -1, 0.25, 1])
    assert model.bootstraps == 2
    machine = model.bootstrapper(insecure_n=2**8)
    keys = machine.context.generate_keys(**model.required_keys())
    texts = model.encrypt(x, keys=keys)
    answers = model.run(*texts, keys=keys, bootstrap_keys=machine.make_keys(keys))
    error = np.abs(model.decrypt(answers, keys) - model.run_plain(x)).max()
    assert error < max(answer.error for answer in answers) < 1e-2


def _set(*path: Any) -> Callable[[Any, list[bytes]], None]:
    *steps, last, value = path

    def change(header: Any, blobs: list[bytes]) -> None:
        for step in steps:
            header = header[step]
        header[last] = value

    return change


def _blob(number: int, data: bytes) -> Callable[[Any, list[bytes]], None]:
    def change(header: Any, blobs: list[bytes]) -> None:
        blobs[number] = data

    return change


_NODES = ("graph", "nodes")
HOSTILE: dict[str, tuple[Any, type[Exception], str]] = {
    "ring": (_set("params", "ring_type", "conjugate_invariant"), UnsupportedError, "ring_type"),
    "logn": (_set("params", "logn", 60), FormatError, "params.logn = 60: need an integer, 2"),
    "params": (_set("params", []), FormatError, "header.params.ring_type is missing"),
    "op": (_set(*_NODES, 1, "op", "softmax"), UnsupportedError, r"nodes\[1\].op = 'softmax'"),
    "nodes": (_set("graph", "nodes", {}), FormatError, "graph.nodes is no list"),
    "twice": (_set(*_NODES, 1, "name", "a"), FormatError, "'a' is there twice"),
    "edge": (_set("graph", "edges", 0, "src", "z"), FormatError, r"edges\[0\] names 'z'"),
    "circle": (_set("graph", "edges", 0, {"src": "e", "dst": "b"}), FormatError, "in a circle"),
    "input": (_set("graph", "input", "z"), FormatError, "graph.input = 'z': need one of"),
    "shape": (_set(*_NODES, 0, "shape", "input", [1, 2**40]), FormatError, "shape.input"),
    "large": (_set(*_NODES, 0, "shape", "input", [1, 99]), FormatError, "ciphertexts hold less"),
    "output": (_set(*_NODES, 0, "shape", "output", [1, 99]), FormatError, "hold less"),
    "cts": (_set(*_NODES, 0, "config", "num_output_cts", 2**31), FormatError, "num_output_cts"),
    "folds": (_set(*_NODES, 0, "config", "output_rotations", 9), FormatError, "output_rotations"),
    "blob": (_set(*_NODES, 0, "blob_refs", "diag_0_0", 7), FormatError, "diag_0_0 = 7"),
    "coeffs": (_set(*_NODES, 2, "config", "coeffs", [0.0] * 9999), FormatError, "coeffs is no"),
    "none": (_set(*_NODES, 2, "config", "coeffs", []), FormatError, "coeffs is empty"),
    "nan": (_set(*_NODES, 2, "config", "coeffs", [float("nan")]), FormatError, r"coeffs\[0\]"),
    "basis": (_set(*_NODES, 2, "config", "basis", "sine"), FormatError, "basis = 'sine'"),
    "sources": (_set("graph", "edges", 2, {"src": "b", "dst": "c"}), FormatError, "has 2 sources"),
    "count": (_blob(0, struct.pack("<I", 2**31)), FormatError, "says 2147483648 diagonals"),
    "short": (_blob(0, b""), FormatError, "the blob has 0 bytes"),
    "bias": (_blob(1, b"\0" * 8), FormatError, "bias_1: the blob has 8 bytes, need 32"),
    "infinite": (_blob(1, np.full(4, np.inf).tobytes()), FormatError, "bias_1: the blob has NaN"),
    "number": (
        _blob(0, struct.pack("<Ii4d", 1, 4, 1, 1, 1, 1)),
        FormatError,
        "diag_0_0: numbers of diagonals repeat, or reach 4",
    ),
}


@pytest.mark.parametrize("how", HOSTILE)
def test_damaged_headers_name_the_field(how: str) -> None:
    change, error, message = HOSTILE[how]
    with pytest.raises(error, match=message):
        nttforge.models.load(_tiny(change))


def test_lengths_are_compared_with_the_bytes_there_are() -> None:
    good = _tiny()
    (length,) = struct.unpack_from("<I", good, 8)
    at = 12 + length
    for bad, message in (
        (b"", "magic"),
        (good[:7] + b"\1" + good[8:], "version 2"),
        (good[:8] + struct.pack("<I", 2**32 - 1) + good[12:], "header length = 4294967295"),
        (good[:8] + struct.pack("<I", 2**25) + good[12:], "header says 33554432 bytes"),
        (good[:12] + b"}" + good[13:], "header is not JSON"),
        (good[:12] + b"[" * length + good[at:], "header is not JSON"),
        (good[:at] + struct.pack("<I", 2**32 - 1) + good[at + 4 :], "blob count = 4294967295"),
        (good[: at + 4] + struct.pack("<Q", 2**63) + good[at + 12 :], "blob 0 says"),
        (good + b"\0", "1 bytes behind its last blob"),
        (b"\x1f\x8b" + good, "damaged gzip"),
        (gzip.compress(good)[:-9], "damaged gzip"),
    ):
        with pytest.raises(FormatError, match=message):
            nttforge.models.load(bad)
    bomb = gzip.compress(good + bytes(2**20))
    with pytest.raises(FormatError, match="gzip of more than 1000000 bytes: state most_bytes"):
        nttforge.models.load(bomb, most_bytes=10**6)
    for end in range(0, len(good), 7):
        with pytest.raises(FormatError):
            nttforge.models.load(good[:end])


def test_random_damage_is_an_error_or_a_network() -> None:
    good, random = bytearray(_tiny()), np.random.default_rng(5)
    for _ in range(300):
        bad = bytearray(good)
        for place in random.integers(0, len(bad), 3):
            bad[place] = random.integers(0, 256)
        with contextlib.suppress(nttforge.NttforgeError):
            nttforge.models.load(bytes(bad))


def test_a_graph_knows_its_operations() -> None:
    graph = Graph(8)
    x = graph.input()
    with pytest.raises(UnsupportedError, match="operation 'divide' is none of input, add"):
        graph.add("divide", x, x)
    with pytest.raises(nttforge.ParameterError, match=r"'add' has operands \(0, 5\)"):
        graph.add("add", x, 5)
    with pytest.raises(SizeError, match="has 3 numbers: need a divisor of the 8 slots"):
        graph.add_plain(x, [1.0, 2, 3])
    with pytest.raises(nttforge.ParameterError, match="finite numbers"):
        graph.polynomial(x, [0.0] * 2000)
    assert graph.multiply_plain(x, [1.0] * 4) == x == graph.add_plain(graph.rotate(x, 8), 0.0)
