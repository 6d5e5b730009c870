# SPDX-License-Identifier: Apache-2.0
"""Levels and shrunk ciphertexts: the same bytes on every device."""

from __future__ import annotations

from typing import Any

import pytest
from devices import gpu_devices

from nttforge import bfv, bgv


@pytest.mark.parametrize("scheme", [bfv, bgv], ids=["bfv", "bgv"])
@pytest.mark.parametrize("device", ["cpu", *gpu_devices()])
@pytest.mark.parametrize("word_bits", [64, 32])
def test_devices_agree(device: Any, word_bits: Any, scheme: Any) -> None:
    parameters = scheme.Parameters.preset(4096, word_bits=word_bits)
    home = scheme.Context(parameters, threads=1)
    keys = home.generate_keys(seed=bytes(32))
    there = scheme.Context(parameters, device=device)
    a = keys.encrypt([1, 2, 3]) * 7
    b = a.to(there)
    assert b.shrink(5).to_bytes() == a.shrink(5).to_bytes()
    assert b.mod_switch(1).to_bytes() == a.mod_switch(1).to_bytes()
    decryptor = scheme.Decryptor(keys.secret.to(there))
    read = scheme.Ciphertext.from_bytes(there, a.shrink(5).to_bytes())
    plain = scheme.BatchEncoder(there).decode(decryptor.decrypt(read), signed=False)
    assert plain[:3].tolist() == [7, 14, 21]
