# SPDX-License-Identifier: Apache-2.0
"""Keys for a circuit, its requests and answers, without a network."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from nttforge import EncryptedArray
from nttforge_serve import Circuit
from nttforge_serve.circuits import Prepared, prepare
from nttforge_serve.wire import joined, parted


class Client:
    """Keys for a circuit, and its requests."""

    def __init__(self, one: Circuit, device: str = "cpu") -> None:
        self.prepared: Prepared = prepare(one, 1, device)
        self.contract = self.prepared.contract
        self.keys = self.contract.make_keys(self.contract.make_context(1))
        self.evaluation = None
        if self.contract.has_keys:
            data = self.keys.evaluation.to_bytes()
            assert len(data) == self.contract.keys_bytes
            self.evaluation = self.prepared.read_keys(io.BytesIO(data))

    def values(self, seed: int) -> dict[str, Any]:
        source, found = np.random.default_rng(seed), {}
        for name, spec in self.contract.inputs.items():
            drawn = source.uniform(spec.low, spec.high, spec.shape)
            found[name] = drawn if isinstance(spec.low, float) else drawn.round().astype(int)
        return found

    def request(self, values: dict[str, Any]) -> bytes:
        inputs = self.contract.inputs
        arrays = [inputs[name].encrypt(x, self.keys.secret) for name, x in values.items()]
        return joined(x.text.to_bytes() for x in arrays)

    def opened(self, answer: bytes) -> list[Any]:
        parts = parted(answer, self.contract.results)
        context = self.keys.context
        return [EncryptedArray.from_bytes(context, bytes(p)).decrypt(self.keys) for p in parts]
