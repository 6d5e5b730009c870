# SPDX-License-Identifier: Apache-2.0
"""Keys of bootstraps of integers: bytes, files, pickles, host memory, other devices."""

from __future__ import annotations

import io
import pickle
from itertools import pairwise
from typing import Any

import pytest
from damage import damaged
from devices import gpu_devices
from golden import READER, SETS, WRITE

from nttforge import bfv, bgv
from nttforge.errors import (
    ArgumentTypeError,
    ContextError,
    FormatError,
    NttforgeError,
    ParameterError,
    SizeError,
)

SEED = bytes(range(32))


def make(scheme: Any = bfv, t: int = 257, **options: Any) -> Any:
    return scheme.Bootstrapper.of("exact15", t, insecure_n=2**7, passes=2, **options)


@pytest.fixture(scope="module")
def machine() -> bfv.Bootstrapper:
    return make()


@pytest.fixture(scope="module")
def keys(machine: bfv.Bootstrapper) -> bfv.Keys:
    return machine.context.generate_keys(seed=SEED)


@pytest.fixture(scope="module")
def evaluation(machine: bfv.Bootstrapper, keys: bfv.Keys) -> bfv.BootstrapKeys:
    return machine.make_keys(keys)


@pytest.mark.parametrize("scheme", [bfv, bgv])
def test_keys_are_written_read_and_pickled(scheme: Any) -> None:
    machine = make(scheme)
    keys = machine.context.generate_keys()
    evaluation, x = machine.make_keys(keys), keys.encrypt([3, -4, 5])
    data = evaluation.to_bytes()
    assert len(data) == machine.serialized_bytes < machine.keys_bytes
    assert bytes(evaluation) == data
    file, reports = io.BytesIO(), []
    evaluation.write(file, lambda done, total: reports.append((done, total)))
    assert file.getvalue() == data
    assert reports[-1] == (len(data), len(data)) and len(reports) > 10
    assert max(b - a for (a, _), (b, _) in pairwise(reports)) < len(data) / 8
    file.write(b"more")
    file.seek(0)
    seen: list[int] = []
    read = scheme.BootstrapKeys.read(machine, file, lambda done, total: seen.append(done))
    assert file.read() == b"more" and seen[-1] == len(data) and seen == sorted(seen)
    given = scheme.BootstrapKeys.from_bytes(machine, bytearray(data), offload=0)
    back, text = pickle.loads(pickle.dumps((evaluation, x)))
    expected = x.bootstrap(evaluation)
    for same in (read, given, back):
        assert same.to_bytes() == data
        assert (text if same is back else x).bootstrap(same).same_words(expected)
    assert back.bootstrapper.describe() == machine.describe()
    assert keys.decrypt(expected)[:3].tolist() == [3, -4, 5]
    assert "BootstrapKeys for <Bootstrapper to" in repr(read)


def test_seeds_give_the_same_keys_on_every_device(
    machine: bfv.Bootstrapper, keys: bfv.Keys
) -> None:
    x, made, results = keys.encrypt([1, 2, 3]), set(), set()
    for device in ("cpu", *gpu_devices()):
        here = make(device=device)
        secret = bfv.SecretKey.from_bytes(here.context, keys.secret.to_bytes())
        text = bfv.Ciphertext.from_bytes(here.context, x.to_bytes())
        for offload in (None, 0, 2):
            evaluation = here.make_keys(secret, seed=SEED, offload=offload)
            assert evaluation.offloaded == (device != "cpu" and offload is not None)
            made.add(evaluation.to_bytes())
            results.add(text.bootstrap(evaluation).to_bytes())
        evaluation.load()
        assert not evaluation.offloaded
        moved = evaluation.to(machine.context)
        results.add(x.bootstrap(moved).to_bytes())
    assert len(made) == len(results) == 1


def test_keys_of_something_else_are_refused_by_field(
    machine: bfv.Bootstrapper, keys: bfv.Keys, evaluation: bfv.BootstrapKeys
) -> None:
    data, options, context = evaluation.to_bytes(), machine._options, machine.context

    def other(**changes: Any) -> bfv.Bootstrapper:
        return bfv.Bootstrapper(context, **{**options, **changes})

    special, primes = options["special"], options["primes"]
    for changed, field in (
        ({"special": special[:2], "digit_primes": 2}, "number of special primes = 4, .* has 2"),
        ({"digit_primes": 3}, "primes of a digit = 4, and the bootstrapper has 3"),
        ({"special": (*special[1:], special[0])}, f"special prime = {special[0]}, "),
        ({"primes": (primes[1], primes[0], *primes[2:])}, f"above those of q = {primes[0]}, "),
        ({"to_slots": (1, 2, 3)}, "layers of a matrix to slots = 2, and the bootstrapper has 1"),
    ):
        with pytest.raises(ContextError, match=field):
            bfv.BootstrapKeys.from_bytes(other(**changed), data)
    # What keys do not depend on may be another.
    assert bfv.BootstrapKeys.from_bytes(other(passes=1), data).to_bytes() == data
    for scheme, t in ((bfv, 17), (bgv, 257)):
        with pytest.raises((ContextError, FormatError), match=r"parameters|BFV"):
            scheme.BootstrapKeys.from_bytes(make(scheme, t), data)
    with pytest.raises(FormatError, match="hold evaluation keys, expected bootstrap keys"):
        bfv.BootstrapKeys.from_bytes(machine, keys.evaluation.to_bytes())
    with pytest.raises(ArgumentTypeError, match="bootstrapper is a Context"):
        bfv.BootstrapKeys.from_bytes(context, data)
    for call in (
        lambda: bfv.BootstrapKeys.from_bytes(machine, data, offload=-1),
        lambda: machine.make_keys(keys, offload=-1),
    ):
        with pytest.raises(ParameterError, match="offload = -1"):
            call()
    with pytest.raises(SizeError, match="32"):
        machine.make_keys(keys, seed=b"short")


def test_damaged_bytes_are_refused(
    machine: bfv.Bootstrapper, evaluation: bfv.BootstrapKeys
) -> None:
    data = evaluation.to_bytes()
    for size in (0, 7, 39, 40, 60, 150, 5000, len(data) - 1):
        with pytest.raises(FormatError):
            bfv.BootstrapKeys.from_bytes(machine, data[:size])
        with pytest.raises(FormatError):
            bfv.BootstrapKeys.read(machine, io.BytesIO(data[:size]))
    accepted = 0
    for mended, changed in damaged(data, 200, 200):
        try:
            found = bfv.BootstrapKeys.from_bytes(machine, changed)
        except NttforgeError:
            continue
        accepted += 1
        assert mended and found.to_bytes() == changed
    assert 0 < accepted <= 50  # other residues are other keys


@pytest.mark.parametrize(
    "folder", [path for path in SETS if path.name == "bfv_bootstrap"], ids=lambda p: p.parent.name
)
def test_golden_keys_bootstrap_and_are_read_by_the_reader(folder: Any) -> None:
    data = {path.name: path.read_bytes() for path in folder.glob("*.bin")}
    parameters = bfv.Parameters.from_bytes(data["parameters.bin"], allow_insecure=True)
    context, reader = bfv.Context(parameters, threads=1), READER.Reader(data["parameters.bin"])
    chain = reader.chain_of_bootstrap(data["bootstrap.bin"])
    machine = bfv.Bootstrapper(
        context, primes=chain.q[reader.k :], special=chain.p, to_slots=[3, 3],
        to_coefficients=[3, 3], digit_primes=chain.digit_primes, passes=1,
    )  # fmt: skip
    evaluation = bfv.BootstrapKeys.from_bytes(machine, data["bootstrap.bin"])
    assert evaluation.to_bytes() == data["bootstrap.bin"]
    secret = bfv.SecretKey.from_bytes(context, data["secret.bin"])
    x = bfv.Ciphertext.from_bytes(context, data["ciphertext_low.bin"])
    found = bfv.Decryptor(secret).decrypt(x.bootstrap(evaluation))
    values = bfv.CoefficientEncoder(context).decode(found)
    assert values[: WRITE.N].tolist() == WRITE.X and not values[WRITE.N :].any()
    options = chain.take_options()
    assert options["weight"] == 32 and options["to slots"] == (3, 3) and not options["first"]
    assert chain.take_switching()[1] == 1  # to the sparse secret, at the lowest level
