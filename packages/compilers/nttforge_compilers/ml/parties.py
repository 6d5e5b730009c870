# SPDX-License-Identifier: Apache-2.0
"""Who holds the key, and who computes. They exchange bytes, and neither unpickles anything.

A request is the number of records and pieces of ciphertexts, an answer the same:

    u64 records | u64 length, ciphertexts | u64 length, ciphertexts | ...      little endian
"""

from __future__ import annotations

import base64
import json
import math
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nttforge import FormatError, MissingKeyError, ParameterError, SizeError, ckks
from nttforge.typing import DeviceName

from ..container import Field
from ..graph import Graph
from ..program import Argument, Program, Result
from .circuit import Layout
from .networks import Head

__all__ = ["Client", "Server"]

Real = NDArray[np.float64]
_KINDS = ("value", "values", "logistic", "softmax", "margin")
_PIECE = 16  # ciphertexts of a piece: bounds the memory of whoever computes
_MOST_BYTES = 2**26
_MOST_WIDTH = 2**16


class Client:
    """Encrypts records, decrypts scores, and makes predictions of them.

    It knows ranges and names of classes, and nothing of the weights. Made by
    :meth:`Compiled.client`, or of the bytes that it wrote.

    Examples
    --------
    >>> from nttforge_compilers import ml
    >>> client = ml.Client.from_bytes(sent)  # doctest: +SKIP
    >>> keys = client.generate_keys()  # doctest: +SKIP
    >>> answer = server(client.encrypt(records), keys.evaluation.to_bytes())  # doctest: +SKIP
    >>> client.decrypt(answer)  # doctest: +SKIP
    """

    def __init__(
        self,
        parameters: ckks.Parameters,
        layout: Layout,
        ranges: Real,
        head: Head,
        rotations: Iterable[int],
        relinearization: bool,
    ) -> None:
        self.context = ckks.Context(parameters)
        self._layout, self._ranges, self._head = layout, ranges, head
        self._needs: dict[str, Any] = {
            "rotations": tuple(rotations),
            "relinearization": relinearization,
        }
        self._secret: ckks.SecretKey | None = None

    def generate_keys(self) -> ckks.Keys:
        """New keys, which it uses from now on; the server gets ``keys.evaluation.to_bytes()``."""
        keys = self.context.generate_keys(**self._needs)
        self.use(keys.secret)
        return keys

    def use(self, secret: ckks.SecretKey) -> None:
        """Encrypts and decrypts with a secret key that was kept."""
        if secret.context.parameters != self.context.parameters:
            raise ParameterError("secret belongs to other parameters than the model's")
        self._secret = secret

    def encrypt(self, records: ArrayLike) -> bytes:
        """A request for the server.

        Raises
        ------
        ParameterError
            A number is outside the range that the model was compiled for; the message names it.
        SizeError
            Records have another number of features.
        MissingKeyError
            There are no keys yet.
        """
        x = _normalised(self._checked(records), self._ranges)
        encryptor, pieces = ckks.Encryptor(self._key()), []
        rows = self._layout.pack(x)
        for begin in range(0, len(rows), _PIECE):
            part = rows[begin : begin + _PIECE]
            plain = ckks.Plaintext(self.context, part, bound=1, slots=self._layout.slots)
            pieces.append(encryptor.encrypt(plain).to_bytes())
        return _framed(len(x), pieces)

    def decrypt_scores(self, answer: bytes) -> tuple[Real, float]:
        """Scores, (records, outputs), and what noise makes them be off by at most."""
        count, pieces = _unframed(answer)
        decryptor, rows, error = ckks.Decryptor(self._key()), [], 0.0
        for piece in pieces:
            text = ckks.Ciphertext.from_bytes(self.context, piece)
            if text.slots != self._layout.slots:
                raise FormatError(f"answer has {text.slots} slots: need {self._layout.slots}")
            rows.append(np.real(decryptor.decrypt(text)).reshape(-1, self._layout.slots))
            error = max(error, text.error)
        found = np.concatenate(rows)
        if len(found) != -(-count // self._layout.records):
            raise FormatError(f"answer says {count} records and has {len(found)} ciphertexts")
        return self._layout.unpack(found, count), error * 2.0**self._layout.shift

    def decrypt(self, answer: bytes) -> NDArray[Any]:
        """Predictions: numbers, or labels of classes."""
        return self._head.labels(self.decrypt_scores(answer)[0])

    def decrypt_proba(self, answer: bytes) -> Real:
        """Probabilities of classes."""
        return self._head.probabilities(self.decrypt_scores(answer)[0])

    def to_bytes(self) -> bytes:
        """What a client needs, without keys and without weights: JSON."""
        layout, classes = self._layout, self._head.classes
        return json.dumps(
            {
                "format": "nttforge ml client 1",
                "parameters": base64.b64encode(bytes(self.context.parameters)).decode(),
                "layout": [
                    layout.features,
                    layout.outputs,
                    layout.width,
                    layout.records,
                    layout.shift,
                ],
                "ranges": self._ranges.tolist(),
                "head": self._head.kind,
                "classes": None if classes is None else np.asarray(classes).tolist(),
                **self._needs,
            }
        ).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Client:
        """Reads what :meth:`to_bytes` wrote.

        Raises
        ------
        FormatError
            A field is missing or out of range; the message names it.
        """
        if len(data) > _MOST_BYTES:
            raise FormatError(f"client has {len(data)} bytes: need at most {_MOST_BYTES}")
        try:
            header = Field(json.loads(bytes(data)), "client")
        except (ValueError, RecursionError) as error:
            raise FormatError(f"client is not JSON: {error}") from None
        return cls(*_read_client(header))

    def save(self, path: str | Path) -> None:
        """Writes :meth:`to_bytes` to a file."""
        Path(path).write_bytes(self.to_bytes())

    def _key(self) -> ckks.SecretKey:
        if self._secret is None:
            raise MissingKeyError("the client has no keys: call generate_keys() or use(secret)")
        return self._secret

    def _checked(self, records: ArrayLike) -> Real:
        x, (low, high) = _flat_records(records, self._layout.features), self._ranges
        outside = ~((x >= low) & (x <= high))
        if outside.any():
            row, column = (int(k[0]) for k in np.nonzero(outside))
            raise ParameterError(
                f"record {row}, feature {column} is {x[row, column]:g}: the model was compiled for "
                f"{low[column]:g} ... {high[column]:g}; compile it with a sample, or with "
                "input_range=(low, high), that has such numbers"
            )
        return x


class Server:
    """Computes scores of encrypted records; it holds weights, and no key that decrypts.

    Made by :meth:`Compiled.server`.
    """

    def __init__(
        self,
        graph: Graph,
        parameters: ckks.Parameters,
        layout: Layout,
        device: DeviceName,
        threads: int,
    ) -> None:
        self.context = ckks.Context(parameters, device=device, threads=threads)
        self._layout = layout
        self.program = program_of(graph)

    def load_keys(self, keys: bytes) -> ckks.EvaluationKeys:
        """Keys that came as bytes, to be used for many requests."""
        return ckks.EvaluationKeys.from_bytes(self.context, keys)

    def prepare(self, keys: ckks.EvaluationKeys) -> None:
        """Encodes weights before the first request comes, by a run on zeros.

        Their encodings depend on levels alone, and stay.
        """
        zeros = np.zeros((1, self._layout.slots))
        plain = ckks.Plaintext(self.context, zeros, bound=1, slots=self._layout.slots)
        public = ckks.KeyGenerator(self.context).public_key()
        self.compute(ckks.Encryptor(public).encrypt(plain), keys)

    def run(self, request: bytes, keys: bytes | ckks.EvaluationKeys) -> bytes:
        """The answer to a request of :meth:`Client.encrypt`.

        Raises
        ------
        FormatError, ContextError
            The request is damaged, or made for another model.
        MissingKeyError
            A key is missing.
        """
        held = keys if isinstance(keys, ckks.EvaluationKeys) else self.load_keys(keys)
        count, pieces = _unframed(request)
        texts = [ckks.Ciphertext.from_bytes(self.context, piece) for piece in pieces]
        if sum(text.batch for text in texts) != -(-count // self._layout.records):
            raise FormatError(f"request says {count} records, and has ciphertexts for others")
        answers = [self.compute(text, held).to_bytes() for text in texts]
        return _framed(count, answers)

    def compute(self, text: ckks.Ciphertext, keys: ckks.EvaluationKeys) -> ckks.Ciphertext:
        """Scores of a batch of packed ciphertexts, at the lowest level: small to send back."""
        found: ckks.Ciphertext = self.program.run(text, keys=keys).rescale().mod_switch(1)
        return found


def program_of(graph: Graph) -> Program:
    """The graph with what keys it needs."""
    one = Argument("records", 1, lambda row: [row])
    return Program("model", "ckks", graph, [one], [Result(1, lambda rows: rows[0])])


def _flat_records(records: ArrayLike, features: int) -> Real:
    x = np.asarray(records, dtype=np.float64)
    if x.ndim < 2 or not len(x) or math.prod(x.shape[1:]) != features:
        raise SizeError(
            f"records have the shape {x.shape}: need (records, {features}), one at least"
        )
    return x.reshape(len(x), features)


def _normalised(x: Real, ranges: Real) -> Real:
    half = (ranges[1] - ranges[0]) / 2
    return np.asarray(np.clip((x - ranges.mean(axis=0)) / half, -1, 1))  # rounding


def _framed(records: int, pieces: list[bytes]) -> bytes:
    parts = [struct.pack("<Q", records)]
    for piece in pieces:
        parts += [struct.pack("<Q", len(piece)), piece]
    return b"".join(parts)


def _unframed(data: bytes) -> tuple[int, list[memoryview]]:
    view, pieces, at = memoryview(data), [], 8
    if len(view) < 16:
        raise FormatError(f"message has {len(view)} bytes: need a number of records and a piece")
    while at < len(view):
        length = int.from_bytes(view[at : at + 8], "little")
        if length > len(view) - at - 8:
            raise FormatError(f"message ends inside a piece that says {length} bytes")
        pieces.append(view[at + 8 : at + 8 + length])
        at += 8 + length
    return int.from_bytes(view[:8], "little"), pieces


def _read_client(header: Field) -> tuple[Any, ...]:
    """The arguments of a client, checked."""
    header["format"].text("nttforge ml client 1")
    try:
        raw = base64.b64decode(header["parameters"].text(), validate=True)
    except ValueError as error:
        raise FormatError(f"client.parameters is not base64: {error}") from None
    parameters = ckks.Parameters.from_bytes(raw)
    layout = read_layout(header["layout"], parameters)
    rows = [[v.number() for v in row.items(layout.features)] for row in header["ranges"].items(2)]
    ranges = np.array(rows) if len({len(row) for row in rows}) == 1 else np.zeros(0)
    if ranges.shape != (2, layout.features) or not (ranges[0] < ranges[1]).all():
        raise FormatError(f"client.ranges: need two rows of {layout.features} numbers, low < high")
    head = read_head(header, layout.outputs)
    steps = [f.integer(-_MOST_WIDTH, _MOST_WIDTH) for f in header["rotations"].items(2**12)]
    if not isinstance(header["relinearization"].value, bool):
        raise FormatError("client.relinearization: need true or false")
    return parameters, layout, ranges, head, steps, header["relinearization"].value


def read_layout(field: Field, parameters: ckks.Parameters) -> Layout:
    """Five numbers that fit each other and the slots."""
    numbers = [part.integer(0, _MOST_WIDTH) for part in field.items(5)]
    if len(numbers) == 5 and min(numbers[:4]) > 0 and numbers[4] < 64:
        features, outputs, width, records, _ = numbers
        powers = width & (width - 1) == 0 == records & (records - 1)
        if powers and max(features, outputs) <= width and width * records <= parameters.slots:
            return Layout(*numbers)
    raise FormatError(
        f"{field.place} = {numbers}: no features, outputs, width, records and shift that fit"
    )


def read_head(header: Field, outputs: int) -> Head:
    """Kind and classes, as many as there are scores."""
    kind, classes = header["head"].text(*_KINDS), header["classes"]
    if classes.value is None:
        if kind in ("value", "values"):
            return Head(kind)
        raise FormatError(f"{classes.place} is missing for {kind}")
    labels = [field.value for field in classes.items(_MOST_WIDTH)]
    kinds = {type(label) for label in labels}
    if len(labels) != max(2, outputs) or len(kinds) != 1 or not kinds <= {int, float, str, bool}:
        raise FormatError(f"{classes.place}: need {max(2, outputs)} labels of one type")
    return Head(kind, np.array(labels))
