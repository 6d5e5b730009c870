# SPDX-License-Identifier: Apache-2.0
"""Several devices in one process: the same results in order, keys once each, errors with places."""

from __future__ import annotations

import operator
import threading
import time
from typing import Any

import numpy as np
import pytest
from interrupts import interrupted_after
from nttforge._core import cuda as core

import nttforge
from nttforge import bfv, ckks, cuda, multi
from nttforge.typing import DeviceName

#: Two runs of GPU kernels on the host, and two GPUs or one beside the CPU, where they are.
SETS: list[list[DeviceName]] = [["cpu"], ["cpu", "cpu"]]
if core.host_in_this_build():
    SETS += [["cuda:host", "cuda:host2"], ["cpu", "cuda:host"]]
if cuda.is_available():
    SETS.append(["cuda:0", "cuda:1"] if len(cuda.devices()) > 1 else ["cuda:0", "cpu"])


@pytest.fixture(scope="module")
def keys() -> bfv.Keys:
    parameters = bfv.Parameters.preset(4096)
    return bfv.Context(parameters).generate_keys(rotations=[1])


def squares(c: Any, place: multi.Place) -> Any:
    return c.square().relinearize(place.keys)


@pytest.mark.parametrize("devices", SETS, ids="+".join)
def test_batches_of_ciphertexts(devices: list[DeviceName], keys: bfv.Keys) -> None:
    places = multi.Places(devices, keys.evaluation)
    values = np.arange(14).reshape(7, 2)
    batch = keys.encrypt(values)
    expected = batch.square().relinearize(keys)
    for part in (None, 1, 3, 100):
        found = multi.map(squares, batch, places, part=part)
        assert found.context is keys.context and found.batch == 7
        assert found.to_bytes() == expected.to_bytes()
    total = multi.map(squares, batch, places, part=1, reduce=operator.add)
    assert total.batch == 1
    assert keys.decrypt(total)[:2].tolist() == (values**2).sum(axis=0).tolist()
    lists = multi.map(lambda c, place: [squares(x, place) for x in c], list(batch), places)
    assert [x.to_bytes() for x in lists] == [x.to_bytes() for x in expected]
    mixed = multi.map(
        lambda c, place: squares(c, place) if c.batch == 3 else [squares(c, place)],
        batch,
        places,
        part=3,
    )
    assert [type(x).__name__ for x in mixed] == ["Ciphertext", "Ciphertext", "list"]
    assert mixed[1].to_bytes() == expected[3:6].to_bytes()
    single = multi.map(squares, batch[0], places)
    assert single.to_bytes() == expected[0].to_bytes()


@pytest.mark.parametrize("devices", SETS, ids="+".join)
def test_batches_of_real_numbers(devices: list[DeviceName]) -> None:
    """Products, a rotation, a polynomial and a linear map of CKKS."""
    context = ckks.Context(ckks.Parameters.preset(2**13, 36))
    keys = context.generate_keys(rotations=[1, 2])
    values = np.linspace(-1, 1, 20).reshape(5, 4)
    batch = keys.encrypt(values, slots=4)
    turn = [[0.6, -0.8], [0.8, 0.6]]

    def work(c: Any, place: multi.Place) -> Any:
        square = c.square().relinearize(place.keys)
        curve = square.rotate_rows(1, place.keys).polynomial([0.5, 0.0, 1.0], place.keys)
        return curve.matmul(turn, place.keys)

    places = multi.Places(devices, keys.evaluation)
    expected = work(batch, multi.Places(["cpu"], keys.evaluation)[0])
    found = multi.map(work, batch, places, part=2)
    assert found.context is context and found.to_bytes() == expected.to_bytes()
    rows = [(x, x) for x in batch]
    squares = multi.map(
        lambda pairs, place: [(a * b).relinearize(place.keys) for a, b in pairs],
        rows,
        places,
        part=1,
    )
    assert [x.to_bytes() for x in squares] == [(x * x).relinearize(keys).to_bytes() for x in batch]
    total = multi.map(lambda c, place: c * 2, batch, places, part=1, reduce=operator.add)
    assert np.abs(keys.decrypt(total) - 2 * values.sum(axis=0)).max() < 1e-4


@pytest.mark.parametrize("devices", SETS, ids="+".join)
def test_transforms_of_rows(devices: list[DeviceName]) -> None:
    made: list[str] = []

    def plan(place: multi.Place) -> nttforge.NttPlan:
        made.append(place.device)
        return nttforge.NttPlan(64, 7681, device=place.device)

    def transform(rows: Any, place: multi.Place) -> Any:
        p = place.once(plan)
        if place.device == "cpu":
            return p.forward(rows)
        return p.forward(cuda.to_device(rows, place.device)).to_host()

    x = np.random.default_rng(1).integers(0, 7681, (50, 64), dtype=np.uint64)
    expected = nttforge.NttPlan(64, 7681).forward(x)
    places = multi.Places(devices)
    for _ in range(2):
        assert (multi.map(transform, x, places, part=3) == expected).all()
    assert len(made) == len(set(made)) <= len(set(devices))


def test_keys_are_copied_once(keys: bfv.Keys) -> None:
    places = multi.Places(["cpu", "cpu"], keys.evaluation)
    assert places[0] is places[1] and len(places) == 2
    assert places[0].keys is not None and places[0].context is keys.context
    assert repr(places) == "<Places on cpu, cpu>"
    if not core.host_in_this_build():
        pytest.skip("needs the host's run of GPU kernels")
    two = multi.Places(["cuda:host", "cuda:host2"], keys.evaluation)
    for place in two:
        assert place.keys.context is place.context and place.context.device == place.device
        assert place.keys.to_bytes() == keys.evaluation.to_bytes()
    seen: set[int] = set()
    multi.map(lambda c, place: seen.add(id(place.keys)), keys.encrypt([[1]] * 4), two, part=1)
    assert seen <= {id(place.keys) for place in two}


def test_all_devices_by_default() -> None:
    expected = [d.name for d in cuda.devices()] or ["cpu"]
    assert [place.device for place in multi.Places()] == expected


def test_the_slower_device_takes_fewer_parts() -> None:
    taken: list[str] = []
    gate = threading.Event()

    def work(items: Any, place: multi.Place) -> list[int]:
        first = not taken
        taken.append(threading.current_thread().name)
        if first:
            assert gate.wait(20)  # until the other thread has done the rest
        elif len(taken) == 8:
            gate.set()
        return [10 * i for i in items]

    assert multi.map(work, list(range(8)), ["cpu", "cpu"], part=1) == list(range(0, 80, 10))
    assert len(taken) == 8


def test_a_part_counts_when_its_device_has_computed_it(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    gate = threading.Event()

    class Mark:
        """The device that got the first part computes until the other has done the rest."""

        def __init__(self, first: bool) -> None:
            self._first = first

        def wait(self) -> None:
            if self._first:
                assert gate.wait(20)

    def work(items: Any, place: multi.Place) -> list[int]:
        taken.append(threading.current_thread().name)
        if len(taken) == 8:
            gate.set()
        return [10 * i for i in items]

    monkeypatch.setattr("nttforge.multi.sharing.mark", lambda device: Mark(len(taken) == 1))
    assert multi.map(work, list(range(8)), ["cpu", "cpu"], part=1) == list(range(0, 80, 10))
    assert len(taken) == 8


def test_an_error_says_where_and_stops_the_rest() -> None:
    begun: list[int] = []

    def work(items: Any, place: multi.Place) -> Any:
        begun.append(items[0])
        if items[0] == 4:
            raise nttforge.NoiseError("no budget is left")
        time.sleep(0.01)
        return items

    with pytest.raises(nttforge.NoiseError, match=r"^elements 4 \.\.\. 5 of the batch on cpu: no"):
        multi.map(work, list(range(1000)), ["cpu", "cpu"], part=2)
    assert len(begun) < 20

    def other(items: Any, place: multi.Place) -> Any:
        raise KeyError("weights")

    with pytest.raises(KeyError, match="weights"):
        multi.map(other, [1], ["cpu"])
    assert not [t for t in threading.enumerate() if t.name.startswith("nttforge ")]


def test_an_interruption_ends_all_threads() -> None:
    def work(items: Any, place: multi.Place) -> Any:
        time.sleep(0.02)
        return items

    with interrupted_after(0.2), pytest.raises(KeyboardInterrupt):
        multi.map(work, list(range(4000)), ["cpu", "cpu"], part=1)
    assert not [t for t in threading.enumerate() if t.name.startswith("nttforge ")]


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "no function": (lambda k: multi.map(3, [1]), TypeError, "function is a int: need a callable"),
    "no batch": (lambda k: multi.map(squares, 3), TypeError, "batch is a int: need ciphertexts"),
    "text": (lambda k: multi.map(squares, "ab"), TypeError, "batch is a str: need ciphertexts"),
    "empty": (lambda k: multi.map(squares, []), ValueError, "batch is empty: nothing is shared"),
    "no axis": (lambda k: multi.map(squares, np.array(3)), ValueError, "batch has no axis"),
    "part": (
        lambda k: multi.map(squares, [1], ["cpu"], part=0),
        ValueError,
        r"part = 0 must be in 1 \.\.\. 2\^20 elements",
    ),
    "one name": (lambda k: multi.Places("cuda"), TypeError, r"devices = 'cuda': need a list"),
    "no device": (lambda k: multi.Places([]), ValueError, "devices is empty: name at least one"),
    "unknown": (lambda k: multi.Places(["tpu"]), ValueError, "tpu"),
    "unknown with keys": (
        lambda k: multi.Places(["tpu"], k.evaluation),
        ValueError,
        "device = 'tpu' is not one of 'cpu', 'cuda', 'cuda:1'",
    ),
    "not there": (
        lambda k: multi.Places(["cuda:99"], k.evaluation),
        nttforge.NttforgeError,
        "no NVIDIA|does not exist|no GPU kernels",
    ),
    "secret": (lambda k: multi.Places(["cpu"], k), TypeError, "keys holds the secret key, which"),
    "no keys": (lambda k: multi.Places(["cpu"], 3), TypeError, "keys is a int: need evaluation"),
    "no context": (
        lambda k: multi.Places(["cpu"], context=3),
        TypeError,
        "context is a int: need a Context",
    ),
    "other context": (
        lambda k: multi.Places(["cpu"], k.evaluation, bfv.Context(bfv.Parameters.preset(8192))),
        ValueError,
        "leave context out, or give keys of its parameters",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_calls(name: str, keys: bfv.Keys) -> None:
    call, kind, message = BAD[name]
    with pytest.raises(kind, match=message):
        call(keys)
