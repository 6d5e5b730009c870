# SPDX-License-Identifier: Apache-2.0
"""Numbers of a dataset that others see: flooded, by a budget that the owner has proved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import nttforge
from nttforge import EncryptedArray, bfv
from nttforge.errors import NoiseError, ParameterError
from nttforge_cluster import EncryptedDataset

TABLE = {"a": np.arange(100) - 50, "b": np.arange(100) % 9}


def test_shared_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = bfv.Context(bfv.Parameters.preset(8192)).generate_keys()
    bounds = {"a": (-50, 49), "b": (0, 8)}
    dataset = EncryptedDataset.encrypt(
        TABLE, tmp_path / "in", keys.secret, records=60, bounds=bounds
    )
    result = dataset.map(lambda a, b: 3 * a + b).persist(tmp_path / "out")
    with pytest.raises(NoiseError, match="nothing is proved of its noise"):
        result.decrypt(keys, shared=True)
    own = 3 * EncryptedArray.encrypt([1], keys) + EncryptedArray.encrypt([1], keys)
    flooded = []
    usual = bfv.Decryptor.decrypt_shared

    def counted(*arguments: object, **options: object) -> object:
        flooded.append(options)
        return usual(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(bfv.Decryptor, "decrypt_shared", counted)
    bits = own.text.proved_noise_budget_bits
    found = result.decrypt(keys, shared=True, proved_bits=bits)["result"]
    assert (found == 3 * TABLE["a"] + TABLE["b"]).all() and len(flooded) == 2
    assert (result.decrypt(keys)["result"] == found).all() and len(flooded) == 2
    with pytest.raises(NoiseError, match=r"78.9 bits and an answer to be shared needs 79.0"):
        result.decrypt(keys, shared=True, proved_bits=78.9)
    with pytest.raises(ParameterError, match="proved_bits goes with shared=True"):
        result.decrypt(keys, proved_bits=bits)


def test_an_array_shrinks_while_parameters_are_chosen() -> None:
    specs = {"x": nttforge.ArraySpec((8,), -9, 9)}
    plain = nttforge.choose(lambda x: x * x, specs)
    choice = nttforge.choose(lambda x: (x * x).shrink(80), specs)
    assert choice.noise_budget_bits >= 79 and choice.parameters.q_bits > plain.parameters.q_bits
