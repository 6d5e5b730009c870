# SPDX-License-Identifier: Apache-2.0
"""Payloads of records near an encrypted query, of an encrypted database: the harness's stages.

    python stages.py STAGE SIZE [--count_only] [--seed N]

SIZE is 0 to 3. Slot s of a ciphertext belongs to record s modulo R, where R is a power of two; if
there are fewer records than slots, S = slots / R segments hold different entries of each record.
The query is one ciphertext, its entries in slots in a circle, and the database has its entries so
that products with rotations of the query meet them:

    x_k[s] = record[s mod R][entry(s + k)],       entry(s) = (s mod R + s div R) mod dim
    similarity = sum over k of x_k * (query rotated by k),     then over segments

A polynomial of degree 127 makes 1 of similarities from 0.85 on and 0 of those up to 0.75, to 18
bits; its product with the payloads, of which a slot holds two as a complex number, is the answer.
The database is read in pieces, so that memory holds one of them; with FETCH_RESIDENT=1 all of it is
read first and then computed on. FETCH_DEVICE names the server's device, or several with commas,
which then share the groups of records; FETCH_CLIENT_DEVICE is where the database is encrypted. The
harness's folders are taken from the working folder.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

import nttforge
from nttforge import ckks
from nttforge.ckks import functions

NAMES = ("toy", "small", "medium", "large")
RECORDS, DIMENSIONS = (1000, 50_000, 1_000_000, 20_000_000), (128, 128, 256, 512)
PAYLOAD, COLUMNS = 7, 4  # integers of a record, and slots that hold them
LARGEST = 512  # which integers of payloads stay below
LOW, HIGH = 0.75, 0.85  # what is surely no match, and surely one
N, SCALE_BITS, LEVELS = 2**15, 50, 10
PIECE = 32  # ciphertexts of the database in a file
AT_ONCE = 8  # groups whose matches a card finds at once
THREADS = min(8, os.cpu_count() or 1)  # that read and write them beside a card
DEVICES = cast("list[Any]", os.environ.get("FETCH_DEVICE", "cpu").split(","))
CLIENT_DEVICE = cast("Any", os.environ.get("FETCH_CLIENT_DEVICE", "cpu"))
RESIDENT = os.environ.get("FETCH_RESIDENT") == "1"
MOST_BYTES = 2**32  # of the largest file that is read
Real = NDArray[np.float64]


class Shape:
    """How records lie in slots."""

    def __init__(self, size: int) -> None:
        self.name, self.dim, self.count = NAMES[size], DIMENSIONS[size], RECORDS[size]
        self.slots = N // 2
        self.rows = min(self.slots, 1 << (self.count - 1).bit_length())
        self.segments = min(self.slots // self.rows, self.dim)
        self.rows = self.slots // self.segments
        self.groups = -(-self.count // self.rows)
        self.steps = [self.segments * j for j in range(self.dim // self.segments)]
        babies = 1 << ((len(self.steps).bit_length()) // 2)
        self.babies, self.giants = self.steps[:babies], self.steps[::babies]

    def entry(self, step: int) -> NDArray[np.int64]:
        """Which entry of the query a rotation by the step brings to each slot."""
        s = (np.arange(self.slots) + step) % self.slots
        return (s % self.rows + s // self.rows) % self.dim

    @property
    def pieces(self) -> range:
        """Files that hold the x_k of a group."""
        return range(-(-len(self.steps) // PIECE))

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """Where in the rows of a group the slots of every x_k are, (steps, slots)."""
        first = np.arange(self.slots) % self.rows * self.dim
        return np.stack([first + self.entry(step) for step in self.steps])

    def database(self, records: Real) -> Real:
        """Slots of all x_k, for a group of records, (steps, slots)."""
        rows = np.zeros((self.rows, self.dim))
        rows[: len(records)] = records
        return rows.ravel().take(self._places)

    @cached_property
    def column_of_segment(self) -> list[list[int]]:
        """For each ciphertext of payloads the columns of its segments, -1 where there is none."""
        held = min(self.segments, COLUMNS)
        return [
            [
                c if c < COLUMNS and s < held else -1
                for s, c in enumerate(range(first, first + self.segments))
            ]
            for first in range(0, COLUMNS, held)
        ]

    @property
    def rotations(self) -> tuple[int, ...]:
        """Steps whose keys the server needs."""
        folds = [self.rows << k for k in range(self.segments.bit_length() - 1)]
        return tuple(sorted({*self.babies, *self.giants, *folds} - {0}))


def client_preprocess_dataset(size: int, count_only: bool) -> None:
    """Nothing: vectors have length 1 already."""


def client_key_generation(size: int, count_only: bool) -> None:
    shape, folder = Shape(size), _folder(size, "keys")
    parameters = ckks.Parameters.preset(N, SCALE_BITS, levels=LEVELS)
    keys = ckks.Context(parameters).generate_keys(rotations=shape.rotations)
    private = _folder(size, "private_keys")
    private.chmod(0o700)
    secret = os.open(private / "secret", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(secret, "wb") as file:
        file.write(keys.secret.to_bytes())
    (folder / "parameters").write_bytes(parameters.to_bytes())
    (folder / "evaluation").write_bytes(keys.evaluation.to_bytes())


def client_encode_encrypt_db(size: int, count_only: bool) -> None:
    shape, upload = Shape(size), _folder(size, "ciphertexts_upload")
    encryptor = ckks.Encryptor(_secret(size, CLIENT_DEVICE))
    context = encryptor.context
    records = np.fromfile(_data(size, "db.bin"), np.float32).reshape(-1, shape.dim)
    payloads = np.fromfile(_data(size, "payloads.bin"), np.int16).reshape(-1, PAYLOAD)
    with _Beside() as beside:
        for group in range(shape.groups):
            rows = slice(group * shape.rows, (group + 1) * shape.rows)
            values = shape.database(records[rows].astype(np.float64))
            for piece in shape.pieces:
                part = values[piece * PIECE : (piece + 1) * PIECE]
                plain = ckks.Plaintext(context, part, bound=1)
                found = encryptor.encrypt(plain)
                beside(_write, upload / f"db-{group}-{piece}", found)
            plain = ckks.Plaintext(context, _columns(shape, payloads[rows]), bound=1)
            low = encryptor.encrypt(plain).mod_switch(2)  # it meets what has two levels left
            beside(_write, upload / f"payloads-{group}", low)


def server_preprocess_dataset(size: int, count_only: bool) -> None:
    """The polynomial, which Remez' exchange takes seconds for."""
    found = functions.approximate(
        lambda x: np.where(np.asarray(x) > (LOW + HIGH) / 2, 1.0, 0.0),
        [(-1, LOW), (HIGH, 1)],
        degree=127,
    )
    kept = {"coefficients": found.coefficients, "error": found.error}
    (_folder(size, "server") / "indicator.json").write_text(json.dumps(kept), "utf-8")


def client_preprocess_query(size: int, count_only: bool) -> None:
    """Nothing."""


def client_encode_encrypt_query(size: int, count_only: bool) -> None:
    shape, encryptor = Shape(size), ckks.Encryptor(_secret(size))
    query = np.fromfile(_data(size, "query.bin"), np.float32).astype(np.float64)
    plain = ckks.Plaintext(encryptor.context, query[shape.entry(0)], bound=1)
    path = _folder(size, "ciphertexts_upload") / "query.bin"
    path.write_bytes(encryptor.encrypt(plain).to_bytes())


class _Beside:
    """Calls in threads beside this one, which waits while one more than threads is to be done."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS)
        self._begun: deque[Future[None]] = deque()

    def __enter__(self) -> _Beside:
        return self

    def __call__(self, function: Callable[..., None], *arguments: Any) -> None:
        self._begun.append(self._threads.submit(function, *arguments))
        if len(self._begun) > THREADS:
            self._begun.popleft().result()

    def __exit__(self, *_: object) -> None:
        try:
            while self._begun:
                self._begun.popleft().result()
        finally:
            self._threads.shutdown(cancel_futures=True)


def _write(path: Path, ciphertext: Any) -> None:
    path.write_bytes(ciphertext.to_bytes())


class _Clock:
    """Seconds by what they went into; those of devices and threads side by side are added up."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._lock = threading.Lock()

    @contextmanager
    def __call__(self, name: str, device: str = "cpu") -> Iterator[None]:
        begun, before = time.perf_counter(), time.process_time()
        yield
        if device != "cpu":  # which may still compute
            nttforge.cuda.synchronize(device)
        self.add(name, time.perf_counter() - begun)
        if name != "reading" and len(DEVICES) == 1:
            self.add("of processors, without reading", time.process_time() - before)

    def add(self, name: str, seconds: float) -> None:
        with self._lock:
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds


class _Server:
    """One device: it has the keys, the rotations of the query, and its groups of records."""

    def __init__(self, size: int, device: Any, clock: _Clock) -> None:
        self._size, self.shape, self.device, self.clock = size, Shape(size), device, clock
        with clock("reading"):
            self.context = ckks.Context(_parameters(size), device=device)
            evaluation = _read(size, "keys", "evaluation")
            self.keys = ckks.EvaluationKeys.from_bytes(self.context, evaluation)
            query = _ciphertext(self.context, _read(size, "ciphertexts_upload", "query.bin"))
            self._indicator = json.loads(_read(size, "server", "indicator.json"))
        with clock("similarities", device):
            babies = query.rotate_many(self.shape.babies, self.keys)
            self._queries = [
                x.rotate_rows(g, self.keys) if g else x for g in self.shape.giants for x in babies
            ]
        self._held: dict[str, Any] = {}
        self._at_once = 1 if device == "cpu" else AT_ONCE
        if device != "cpu":  # what a card loads and makes when it does something for the first time
            with clock("starting", device):
                similarity: Any = ckks.sum_of_products(self._queries[:1], self._queries[:1])
                several = ckks.stack([similarity] * self._at_once)
                _matches(several, self.shape, self._indicator, self.keys)

    def hold(self, groups: range) -> None:
        """Reads all of some groups."""
        with _Beside() as beside:
            for group in groups:
                beside(self._keep, f"payloads-{group}")
                for piece in self.shape.pieces:
                    beside(self._keep, f"db-{group}-{piece}")

    def _keep(self, name: str) -> None:
        self._held[name] = self._found(name)

    def _found(self, name: str) -> Any:
        if name in self._held:
            return self._held[name]
        with self.clock("reading", self.device):
            found = _ciphertext(self.context, _read(self._size, "ciphertexts_upload", name))
            return ckks.unstack(found) if name.startswith("db") else found

    def answers(self, groups: range, count_only: bool) -> Iterator[tuple[int, Any]]:
        """For each group its answer, or what counts its matches; a card takes several at once."""
        for first in range(0, len(groups), self._at_once):
            some = groups[first : first + self._at_once]
            similarities = ckks.stack([self._similarity(group) for group in some])
            with self.clock("matches", self.device):
                masks = _matches(similarities, self.shape, self._indicator, self.keys)
                if count_only:
                    masks = _sharper(masks, self.keys)
            for group, mask in zip(some, ckks.unstack(masks), strict=True):
                yield group, mask if count_only else self._payloads(group, mask)

    def _similarity(self, group: int) -> Any:
        """Similarities of the query and all records of a group, in three parts."""
        pieces = (f"db-{group}-{piece}" for piece in self.shape.pieces)
        found: Any = map(self._found, pieces)
        if RESIDENT:
            found = [list(chain.from_iterable(found))]
        first, similarity = 0, None
        for x in found:
            with self.clock("similarities", self.device):
                part: Any = ckks.sum_of_products(x, self._queries[first : first + len(x)])
                similarity = part if similarity is None else similarity + part
            first += len(x)
        return similarity

    def _payloads(self, group: int, mask: Any) -> Any:
        payloads = self._found(f"payloads-{group}")
        with self.clock("matches", self.device):
            product = (payloads * mask.mod_switch(2)).relinearize(self.keys)
            return product.mod_switch(1)


def server_encrypted_compute(size: int, count_only: bool) -> None:
    shape, clock = Shape(size), _Clock()
    servers = [_Server(size, device, clock) for device in DEVICES]
    shares = [range(i, shape.groups, len(servers)) for i in range(len(servers))]
    answers: dict[int, Any] = {}

    def compute(server: _Server, groups: range) -> None:
        for group, answer in server.answers(groups, count_only):
            answers[group] = answer
            print(f"group {group + 1} of {shape.groups}", flush=True)

    with ThreadPoolExecutor(len(servers)) as threads:
        begun = time.perf_counter()
        if RESIDENT:
            list(threads.map(_Server.hold, servers, shares))
            clock.add("until all is held", time.perf_counter() - begun)
            begun = time.perf_counter()
        list(threads.map(compute, servers, shares))
        clock.add("all groups", time.perf_counter() - begun)
    texts = [answers[group] for group in range(shape.groups)]
    if count_only:
        home = servers[0].context
        texts = [ckks.add_many([text.to(home) for text in texts]).mod_switch(1)]
    found = [text.to_bytes() for text in texts]
    sizes = b"".join(len(answer).to_bytes(8, "little") for answer in found)
    (_folder(size, "ciphertexts_download") / "results.bin").write_bytes(sizes + b"".join(found))
    rounded = {name: round(seconds, 4) for name, seconds in clock.seconds.items()}
    report = Path("io", shape.name) / "server_reported_steps.json"
    report.write_text(json.dumps(rounded), "utf-8")
    print("server: " + ", ".join(f"{name} {value:.3f} s" for name, value in rounded.items()))


def client_decrypt_decode(size: int, count_only: bool) -> None:
    shape, secret = Shape(size), _secret(size)
    decryptor, data = ckks.Decryptor(secret), _read(size, "ciphertexts_download", "results.bin")
    groups = 1 if count_only else shape.groups
    ends = np.cumsum(
        [8 * groups, *(int.from_bytes(data[8 * i : 8 * i + 8], "little") for i in range(groups))]
    )
    parts = [data[a:b] for a, b in pairwise(ends)]
    values = [np.atleast_2d(decryptor.decrypt(_ciphertext(secret.context, p))) for p in parts]
    folder = _folder(size, "intermediate")
    if count_only:
        # Each record is within 2^-20 of 0 or 1, so that the sum is off by far less than one half.
        total = float(np.sum(np.real(values[0])))
        np.save(folder / "answer.npy", np.array([total / shape.segments]))
        return
    found = np.concatenate([_payloads(shape, rows) for rows in values])
    np.save(folder / "answer.npy", found)


def client_postprocess(size: int, count_only: bool) -> None:
    answer = np.load(Path("io", NAMES[size], "intermediate", "answer.npy"), allow_pickle=False)
    rounded = np.rint(answer)
    if np.abs(answer - rounded).max() > 0.25:
        print(f"warning: a similarity lies between {LOW} and {HIGH}: no answer is sure for it")
    path = Path("io", NAMES[size], "results.bin")
    if count_only:
        rounded.astype(np.int64).tofile(path)
        return
    # Integers are sent increased by one, so that no payload of a match is all zeros.
    found = (rounded[rounded.any(axis=1)] - 1).astype(np.int16)
    found[np.lexsort(found.T[::-1])].tofile(path)


def _matches(similarity: Any, shape: Shape, indicator: dict[str, Any], keys: Any) -> Any:
    """Near 1 where a record is near the query, else near 0."""
    x = similarity.relinearize(keys)
    for k in range(shape.segments.bit_length() - 1):
        x = x + x.rotate_rows(shape.rows << k, keys)
    x = x.within(min(1.0, x.bound))  # both vectors have length 1
    found = x.polynomial(
        indicator["coefficients"], keys, basis="chebyshev", domain=[(-1, LOW), (HIGH, 1)]
    )
    return found.off_by(indicator["error"])


def _sharper(x: Any, keys: Any) -> Any:
    """3 x^2 - 2 x^3: errors are squared, so that sums over many records stay exact."""
    square = x.square_relinearize(keys)
    return square * 3 - (square * x).relinearize(keys) * 2


def _columns(shape: Shape, payloads: NDArray[np.int16]) -> Any:
    """Payloads plus one, scaled to 1, as complex numbers, column by column in segments."""
    numbers = np.zeros((shape.rows, 2 * COLUMNS))
    numbers[: len(payloads), :PAYLOAD] = (payloads + 1) / LARGEST
    pairs = numbers[:, 0::2] + 1j * numbers[:, 1::2]
    nothing = np.zeros(shape.rows)
    return np.stack(
        [
            np.concatenate([pairs[:, c] if c >= 0 else nothing for c in columns])
            for columns in shape.column_of_segment
        ]
    ).squeeze()


def _payloads(shape: Shape, rows: Any) -> Real:
    """The inverse of :func:`_columns`, (records, 7)."""
    found = np.zeros((shape.rows, 2 * COLUMNS))
    for row, columns in zip(rows, shape.column_of_segment, strict=True):
        for part, c in zip(row.reshape(shape.segments, shape.rows), columns, strict=True):
            if c >= 0:
                found[:, 2 * c], found[:, 2 * c + 1] = part.real, part.imag
    return found[:, :PAYLOAD] * LARGEST


def _ciphertext(context: Any, data: bytes) -> Any:
    return ckks.Ciphertext.from_bytes(context, data)


def _parameters(size: int) -> ckks.Parameters:
    return ckks.Parameters.from_bytes(_read(size, "keys", "parameters"))


def _secret(size: int, device: Any = "cpu") -> ckks.SecretKey:
    context = ckks.Context(_parameters(size), device)
    return ckks.SecretKey.from_bytes(context, _read(size, "private_keys", "secret"))


def _data(size: int, name: str) -> Path:
    return Path("datasets", NAMES[size], name)


def _read(size: int, folder: str, name: str) -> bytes:
    path = Path("io", NAMES[size], folder, name)
    if path.stat().st_size > MOST_BYTES:
        raise SystemExit(f"{path}: larger than {MOST_BYTES} bytes, which none of ours is")
    return path.read_bytes()


def _folder(size: int, name: str) -> Path:
    folder = Path("io", NAMES[size], name)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


STAGES: dict[str, Callable[[int, bool], None]] = {
    stage.__name__: stage
    for stage in (
        client_preprocess_dataset,
        client_key_generation,
        client_encode_encrypt_db,
        server_preprocess_dataset,
        client_preprocess_query,
        client_encode_encrypt_query,
        server_encrypted_compute,
        client_decrypt_decode,
        client_postprocess,
    )
}

if __name__ == "__main__":
    STAGES[sys.argv[1]](int(sys.argv[2]), "--count_only" in sys.argv[3:])
