# SPDX-License-Identifier: Apache-2.0
"""Keys of a bootstrap that travel: bytes, files, pickles, other devices, host memory."""

from __future__ import annotations

import io
import pickle
from itertools import pairwise
from typing import Any

import pytest
from damage import damaged
from devices import gpu_devices

from nttforge import ckks
from nttforge.errors import (
    ArgumentTypeError,
    ContextError,
    FormatError,
    NttforgeError,
    ParameterError,
    SizeError,
)

SEED = bytes(range(32))


@pytest.fixture(scope="module")
def machine() -> ckks.Bootstrapper:
    return few_slots(ckks.Bootstrapper.of("boot15_31", insecure_n=2**7).context)


def few_slots(context: ckks.Context, **options: Any) -> ckks.Bootstrapper:
    """Messages of four slots on the chain of a named set."""
    options = {"to_slots": [1, 1], "to_coefficients": [1, 1], **options}
    return ckks.Bootstrapper(context, slots=4, coefficients_first=True, **options)


@pytest.fixture(scope="module")
def keys(machine: ckks.Bootstrapper) -> ckks.Keys:
    return machine.context.generate_keys()


@pytest.fixture(scope="module")
def evaluation(machine: ckks.Bootstrapper, keys: ckks.Keys) -> ckks.BootstrapKeys:
    return machine.make_keys(keys)


@pytest.fixture(scope="module")
def low(machine: ckks.Bootstrapper, keys: ckks.Keys) -> ckks.Ciphertext:
    return keys.encrypt([0.5, -0.25j, 1, 0], slots=4).mod_switch(machine.input_level)


def test_keys_are_written_and_read_in_parts(
    machine: ckks.Bootstrapper, evaluation: ckks.BootstrapKeys, low: ckks.Ciphertext
) -> None:
    data = evaluation.to_bytes()
    assert len(data) == machine.serialized_bytes < machine.keys_bytes
    assert bytes(evaluation) == data
    file, reports = io.BytesIO(), []
    evaluation.write(file, lambda done, total: reports.append((done, total)))
    assert file.getvalue() == data
    assert reports[-1] == (len(data), len(data)) and len(reports) > 10
    largest = max(b - a for (a, _), (b, _) in pairwise(reports))
    assert largest < len(data) / 8
    file.write(b"more")
    file.seek(0)
    seen: list[int] = []
    read = ckks.BootstrapKeys.read(machine, file, lambda done, total: seen.append(done))
    assert file.read() == b"more" and seen[-1] == len(data) and seen == sorted(seen)
    for same in (read, ckks.BootstrapKeys.from_bytes(machine, bytearray(data))):
        assert same.to_bytes() == data and same.bootstrapper is machine
        assert low.bootstrap(same).same_words(low.bootstrap(evaluation))
    assert "BootstrapKeys for <Bootstrapper to level" in repr(read)


def test_keys_and_bootstrappers_are_pickled(
    machine: ckks.Bootstrapper, evaluation: ckks.BootstrapKeys, low: ckks.Ciphertext
) -> None:
    fast, small = (
        ckks.Bootstrapper.of("boot15_31", insecure_n=2**7, keys=keys) for keys in ("fast", "small")
    )
    assert small.keys_bytes < fast.keys_bytes
    for sent in (machine, small):
        again = pickle.loads(pickle.dumps(sent))
        for name in ("slots", "level", "input_level", "rotations", "ratio_bits", "keys_bytes"):
            assert getattr(again, name) == getattr(sent, name), name
        assert again.describe() == sent.describe()
    back, text = pickle.loads(pickle.dumps((evaluation, low)))
    assert text.bootstrap(back).same_words(low.bootstrap(evaluation))


def test_one_generator_makes_keys_of_several_bootstrappers(
    machine: ckks.Bootstrapper, keys: ckks.Keys
) -> None:
    generator = ckks.KeyGenerator(keys.secret)
    fresh = keys.encrypt([0.5, -0.25], slots=machine.slots).mod_switch(machine.input_level)
    for _ in range(2):
        raised = fresh.bootstrap(machine.make_keys(generator))
        assert keys.decrypt(raised)[:2] == pytest.approx([0.5, -0.25], abs=1e-2)


def test_seeds_give_the_same_keys_on_every_device(low: ckks.Ciphertext) -> None:
    made, results = set(), set()
    for device in ("cpu", *gpu_devices()):
        context = ckks.Context(low.context.parameters, device)
        machine = few_slots(context)
        for offload in (None, 0, 2):
            generator = ckks.KeyGenerator(context, seed=SEED)
            evaluation = machine.make_keys(generator, seed=SEED[::-1], offload=offload)
            assert evaluation.offloaded == (device != "cpu" and offload is not None)
            data = evaluation.to_bytes()
            made.add(data)
            text = ckks.Ciphertext.from_bytes(context, low.to_bytes())
            results.add(text.bootstrap(evaluation).to_bytes())
        file = io.BytesIO(data)
        read = ckks.BootstrapKeys.read(machine, file, offload=1)
        assert read.offloaded == (device != "cpu")
        results.add(text.bootstrap(read).to_bytes())
        read.load()
        assert not read.offloaded
        results.add(text.bootstrap(read).to_bytes())
        read.offload(3)
        results.add(text.bootstrap(read).to_bytes())
        moved = read.to(low.context)
        results.add(
            ckks.Ciphertext.from_bytes(low.context, low.to_bytes()).bootstrap(moved).to_bytes()
        )
    assert len(made) == len(results) == 1


def test_keys_of_something_else_are_refused(
    machine: ckks.Bootstrapper, evaluation: ckks.BootstrapKeys, keys: ckks.Keys
) -> None:
    data = evaluation.to_bytes()
    other = few_slots(machine.context, to_coefficients=[2])
    with pytest.raises(
        ContextError,
        match=r"number of matrices to coefficients = 2, and the bootstrapper has 1: make it with "
        r"the options that the keys were made for",
    ):
        ckks.BootstrapKeys.from_bytes(other, data)
    with pytest.raises(ContextError, match="other parameters"):
        ckks.BootstrapKeys.from_bytes(ckks.Bootstrapper.of("boot16_40", insecure_n=2**7), data)
    with pytest.raises(FormatError, match="hold evaluation keys, expected bootstrap keys"):
        ckks.BootstrapKeys.from_bytes(machine, keys.evaluation.to_bytes())
    with pytest.raises(ArgumentTypeError, match="bootstrapper is a Context"):
        ckks.BootstrapKeys.from_bytes(machine.context, data)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="offload = -1"):
        ckks.BootstrapKeys.from_bytes(machine, data, offload=-1)
    with pytest.raises(ParameterError, match="cached = -1"):
        evaluation.offload(-1)
    with pytest.raises(SizeError, match="32"):
        machine.make_keys(keys, seed=b"short")
    with pytest.raises(ArgumentTypeError, match="keys is a RelinearizationKey"):
        machine.make_keys(keys.relinearization)  # type: ignore[arg-type]
    # What keys do not depend on may be another.
    finer = few_slots(machine.context, ratio_bits=8)
    assert ckks.BootstrapKeys.from_bytes(finer, data).to_bytes() == data


def test_damaged_bytes_are_refused(
    machine: ckks.Bootstrapper, evaluation: ckks.BootstrapKeys
) -> None:
    data = evaluation.to_bytes()
    for size in (0, 7, 39, 40, 60, 5000, len(data) - 1):
        for read in (ckks.BootstrapKeys.from_bytes, _from_file):
            with pytest.raises(FormatError):
                read(machine, data[:size])
    accepted = 0
    for mended, changed in damaged(data, 300, 64):
        try:
            found = ckks.BootstrapKeys.from_bytes(machine, changed)
        except NttforgeError:
            continue
        accepted += 1
        assert mended and found.to_bytes() == changed
    assert 0 < accepted <= 75  # other residues are other keys


def _from_file(machine: ckks.Bootstrapper, data: bytes) -> ckks.BootstrapKeys:
    return ckks.BootstrapKeys.read(machine, io.BytesIO(data))


def test_sizes_are_known_before_there_are_keys() -> None:
    # SEAL 94, 401; OpenFHE 775, 1174, 1203; HEonGPU 12; Orion 18; HEIR 2476: keys that do not fit.
    machine = ckks.Bootstrapper.of("boot16_40", insecure_n=2**8)
    parameters = machine.context.parameters
    evaluation = machine.make_keys(machine.context.generate_keys())
    assert len(evaluation.to_bytes()) == machine.serialized_bytes
    assert (
        machine.keys_bytes
        < (len(machine.rotations) + 3) * (parameters.memory_sizes()["rotation_key"])
    )
    few = ckks.Bootstrapper(machine.context, slots=2**7, coefficients_first=True)
    assert few.keys_bytes == machine.keys_bytes
    # Rows of 40 to 60 bits in words of 64, and half of all words follow from seeds.
    share = machine.serialized_bytes / machine.keys_bytes
    assert 0.3 < share < 0.5


@pytest.mark.parametrize("device", [*gpu_devices(), "cpu"])
@pytest.mark.parametrize("home", [*gpu_devices(), "cpu"])
def test_a_second_device_bootstraps_along(
    home: Any, device: Any, machine: ckks.Bootstrapper, evaluation: ckks.BootstrapKeys, low: Any
) -> None:
    here = evaluation.to(machine.context.on(home))
    if home == device:
        with pytest.raises(ParameterError, match=rf"device = '{device}' is the keys' own: name"):
            here.beside(device)
        return
    both, expected = here.beside(device), evaluation.bootstrap(low)
    x = low.to(here.bootstrapper.context)
    found = both.bootstrap(x)
    assert (found.residues == expected.residues).all()
    assert (found.error, found.scale) == (expected.error, expected.scale)
    assert (
        both.bootstrap(x, level=3).residues == evaluation.bootstrap(low, level=3).residues
    ).all()
    # A copy, or one from bytes, is of one device again.
    assert (both.to(machine.context).bootstrap(low).residues == expected.residues).all()
    if home != "cpu":
        with pytest.raises(ContextError):
            both.bootstrap(low)
