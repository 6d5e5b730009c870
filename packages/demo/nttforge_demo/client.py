# SPDX-License-Identifier: Apache-2.0
"""The client: holds the secret key, encrypts, and opens what comes back."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nttforge import bfv
from nttforge.errors import ParameterError
from nttforge.number_theory import ntt_primes

from . import packing
from .model import Model

IntArray = NDArray[np.int64]


def choose_parameters(model: Model, n: int) -> bfv.Parameters:
    """A preset whose plaintext modulus holds every value of the computation, signed."""
    span = 2 * model.refined_bound + 1  # values -bound ... bound
    for bits in (span.bit_length(), span.bit_length() + 1):
        t = ntt_primes(n, bits)[0]
        if t >= span:
            break
    return bfv.Parameters.preset(n, t)


class Client:
    """Keys and the operations that need them. The secret key never leaves this object."""

    def __init__(self, parameters: bfv.Parameters, threads: int, seed: str | None) -> None:
        self.context = bfv.Context(parameters, threads=threads)
        self.encoder = bfv.BatchEncoder(self.context)
        self._seed = seed
        self._encrypted = 0

    def make_keys(self) -> tuple[int, ...]:
        """Secret, public, relinearization, and rotation keys for sums of 32 slots; their steps."""
        self._keys = self.context.generate_keys(inner_sum=packing.SPAN, seed=self._seed_for("keys"))
        self._public = bfv.Encryptor(self._keys.public)
        self._private = bfv.Encryptor(self._keys.secret)
        self._decryptor = bfv.Decryptor(self._keys.secret)
        return self._keys.rotations.steps if self._keys.rotations is not None else ()

    def encrypt_model(self, model: Model) -> dict[str, bfv.Ciphertext]:
        """Weights and quadratic, by the secret key: half the bytes."""
        n = self.context.n
        a, b, c = model.quadratic
        values = {
            "weights": packing.pack_weights(model.weights, model.bias, n),
            "a": np.full(n, a, dtype=np.int64),
            "b": np.full(n, b, dtype=np.int64),
            "c": np.full(n, c, dtype=np.int64),
        }
        return {name: self._encrypt(self._private, v) for name, v in values.items()}

    def encrypt_records(self, x: IntArray) -> list[bfv.Ciphertext]:
        """All records, by the public key, as any clinic could."""
        return [self._encrypt(self._public, v) for v in packing.pack_records(x, self.context.n)]

    def send(
        self,
        inbox: Path,
        model: dict[str, bfv.Ciphertext],
        records: list[bfv.Ciphertext],
        threads: int,
    ) -> dict[str, int]:
        """Writes the server's files; returns bytes by kind."""
        inbox.mkdir(parents=True)
        rotations, relinearization = self._keys.rotations, self._keys.relinearization
        if rotations is None or relinearization is None:
            raise ParameterError(f"n = {self.context.n} has no evaluation keys: use a larger n")
        kinds = {
            "parameters": {"parameters.bin": self.context.parameters.to_bytes()},
            "public key": {"public.key": self._keys.public.to_bytes()},
            "relinearization key": {"relinearization.key": relinearization.to_bytes()},
            "rotation keys": {"rotations.key": rotations.to_bytes()},
            "encrypted model": {f"model_{k}.ct": v.to_bytes() for k, v in model.items()},
            "encrypted records": {
                f"records_{i:03}.ct": v.to_bytes() for i, v in enumerate(records)
            },
        }
        job = {"batches": len(records), "span": packing.SPAN, "threads": threads}
        (inbox / "job.json").write_text(json.dumps(job), "utf-8")
        for files in kinds.values():
            for name, data in files.items():
                (inbox / name).write_bytes(data)
        return {kind: sum(map(len, files.values())) for kind, files in kinds.items()}

    def open_results(self, outbox: Path, name: str, batches: int, count: int) -> IntArray:
        """Decrypted values of ``count`` records."""
        vectors = []
        for i in range(batches):
            data = (outbox / f"{name}_{i:03}.ct").read_bytes()
            ciphertext = bfv.Ciphertext.from_bytes(self.context, data)
            vectors.append(self.encoder.decode(self._decryptor.decrypt(ciphertext)))
        return packing.unpack(vectors, count)

    def noise_budget(self, ciphertext: bfv.Ciphertext) -> float:
        """Bits left, exactly."""
        return self._decryptor.noise_budget_bits(ciphertext)

    def measure_trace(self, outbox: Path, steps: list[dict[str, Any]]) -> list[float]:
        """Exact bits left after each step of the server, on its first batch."""
        files = (outbox / step["file"] for step in steps)
        return [
            self.noise_budget(bfv.Ciphertext.from_bytes(self.context, f.read_bytes()))
            for f in files
        ]

    def _encrypt(self, encryptor: bfv.Encryptor, values: IntArray) -> bfv.Ciphertext:
        self._encrypted += 1
        plaintext = self.encoder.encode(values)
        seed = self._seed_for("encryption")
        if seed is None:
            return encryptor.encrypt(plaintext)
        return encryptor.encrypt(plaintext, seed=seed, index=self._encrypted)

    def _seed_for(self, purpose: str) -> bytes | None:
        """The test seed if one is set, else None for the operating system's generator."""
        if self._seed is None:
            return None
        return hashlib.sha256(f"{purpose} {self._seed}".encode()).digest()
