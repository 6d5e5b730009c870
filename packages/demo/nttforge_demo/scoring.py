# SPDX-License-Identifier: Apache-2.0
"""The demonstration's job on encrypted tables of any length: scores by an encrypted model.

The client makes parameters and keys for exactly this computation, and the model's weights and
refinement as encrypted arrays. Whoever computes runs :func:`score` on batches of records.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nttforge.bfv import Context, Keys
from nttforge.choosing import Choice, choose
from nttforge.encrypted import ArraySpec, EncryptedArray
from nttforge.errors import FormatError, ParameterError

from .model import FEATURE_LIMIT, REFINED_SCALE, WEIGHT_LIMIT, Model, load_patients
from .packing import SPAN

#: Column of the encrypted records, the arrays of the encrypted model, and columns of results.
RECORDS, MODEL, RESULTS = "x", ("weights", "a", "b", "c"), ("score", "refined")
_FORMAT, _VERSION = "nttforge-score-model", 1
_MOST_NAMED = 5
_SECURITY_BITS = 64  # of answers that are shared, as decrypt_shared asks for by default
# Sharing rests on the proved bound on noise, while parameters are chosen and answers are shrunk by
# the heuristic one. The proved budget is 29.6 bits less after the computation, and 4.5 bits less
# where shrinking alone has made the noise.
_PROVED_BITS, _PROVED_SHRUNK_BITS = 30, 8


def score(
    x: EncryptedArray,
    weights: EncryptedArray,
    a: EncryptedArray,
    b: EncryptedArray,
    c: EncryptedArray,
) -> dict[str, EncryptedArray]:
    """Scores s = w x + bias and refinements (a s + b) s + c of the records of a batch.

    Results have as few bytes as their owner needs to share what they hold: room for flooding, and
    for how far the proved bound on the noise is above the one that bytes carry.

    Parameters
    ----------
    x : EncryptedArray, shape (records, 31)
        Features, then 1.
    weights : EncryptedArray, shape (31,)
        Weights, then the bias.
    a, b, c : EncryptedArray, shape (32,)
        One number each, at every position.
    """
    room = _room(x) + _PROVED_SHRUNK_BITS
    return {name: y.shrink(room) for name, y in _computed(x, weights, a, b, c).items()}


def _computed(
    x: EncryptedArray,
    weights: EncryptedArray,
    a: EncryptedArray,
    b: EncryptedArray,
    c: EncryptedArray,
) -> dict[str, EncryptedArray]:
    s = x @ weights
    return {"score": s, "refined": (_number(a) * s + _number(b)) * s + _number(c)}


def _room(x: EncryptedArray) -> float:
    """Bits of proved noise budget that an answer to be shared needs."""
    return _SECURITY_BITS + math.log2(x.layout.n) + 2


def proved_bits(model: Model, keys: Keys) -> float:
    """The proved noise budget of results, from a run on a record of this owner's own.

    Raises
    ------
    NoiseError
        It is too little for answers that are shared.
    """
    record = np.zeros((1, len(model.weights) + 1), dtype=np.int64)
    bounds = (-FEATURE_LIMIT, FEATURE_LIMIT)
    x = EncryptedArray.encrypt(record, keys, bounds=bounds, block=SPAN)
    weights = {name: array.with_keys(keys) for name, array in encrypt_model(model, keys).items()}
    results = score(x, **weights).values()
    for array in results:
        array.decrypt_shared(keys)
    return min(float(array.text.proved_noise_budget_bits) for array in results)


def _number(everywhere: EncryptedArray) -> EncryptedArray:
    """An array of equal entries that fill their block, as the number that they are."""
    return replace(everywhere, layout=replace(everywhere.layout, length=None))


def choose_for(model: Model) -> Choice:
    """The smallest parameters with which scores of any records can be shared, and their keys."""
    specs = {RECORDS: ArraySpec((1, len(model.weights) + 1), -FEATURE_LIMIT, FEATURE_LIMIT)}
    for name, values in _values(model).items():
        low, high = _bounds(name, model)
        specs[name] = ArraySpec(values.shape, low, high)

    def circuit(**arrays: EncryptedArray) -> tuple[EncryptedArray, ...]:
        room = _room(arrays[RECORDS]) + _PROVED_BITS
        return tuple(y.shrink(room) for y in _computed(**arrays).values())

    return choose(circuit, specs)


def encrypt_model(model: Model, keys: Keys) -> dict[str, EncryptedArray]:
    """The weights and the three numbers, by the secret key: half the bytes."""
    return {
        name: EncryptedArray.encrypt(values, keys.secret, bounds=_bounds(name, model), block=SPAN)
        for name, values in _values(model).items()
    }


def require_features(
    model: Model, names: Collection[str], table: str = "the table", ignored: Collection[str] = ()
) -> None:
    """Refuses a table whose columns, but for those to be ignored, are not the model's features.

    Raises
    ------
    FormatError
        Names what is missing and what the model does not know.
    ParameterError
        A column that is to be ignored is a feature, or there is none of this name.
    """
    for name in ignored:
        if name in model.names or name not in names:
            what = "is a feature of the model" if name in model.names else f"is not in {table}"
            raise ParameterError(f"--ignore-columns: {name!r} {what}; leave it out")
    missing = [name for name in model.names if name not in names]
    strange = [name for name in names if name not in model.names and name not in ignored]
    said = []
    if missing:
        said.append(f"lacks {_listed(missing)} of the model's {len(model.names)} features")
    if strange:
        said.append(
            f"has columns that are no features of the model, {_listed(strange)}: rename them, or "
            "leave them out with --ignore-columns"
        )
    if said:
        raise FormatError(f"{table} {'; it '.join(said)}")


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(repr(name) for name in names[:_MOST_NAMED]) + more


def records_of(model: Model, columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The model's features, found by their names, as the columns of integers to encrypt.

    Raises
    ------
    FormatError
        As :func:`require_features`.
    """
    require_features(model, columns)
    features = [np.asarray(columns[name], float) for name in model.names]
    x = model.quantise(np.stack(features, axis=1))
    found = {f"x{i}": column for i, column in enumerate(x.T)}
    return found | {"one": np.ones(len(x), dtype=np.int64)}


def _values(model: Model) -> dict[str, NDArray[np.int64]]:
    a, b, c = (np.full(SPAN, v, dtype=np.int64) for v in model.quadratic)
    return {"weights": np.append(model.weights, model.bias), "a": a, "b": b, "c": c}


def _bounds(name: str, model: Model) -> tuple[int, int]:
    """What is told of the model: the next power of two, but what is known of all weights."""
    if name == "weights":
        most = max(WEIGHT_LIMIT, abs(model.bias))
        return -most, most
    value = abs(model.quadratic[MODEL.index(name) - 1])
    most = (1 << value.bit_length()) - 1
    return -most, most


def synthetic(count: int, seed: int, most: int = 65536) -> Iterator[dict[str, NDArray[np.float64]]]:
    """Records like the real patients', ``most`` at a time: one of them, each feature a little off.

    Parameters
    ----------
    count : int
    seed : int
        The same seed gives the same records, whatever ``most`` is for.
    most : int
    """
    patients = load_patients()
    features = patients.features
    spread = features.std(axis=0) * 0.1
    for number, begin in enumerate(range(0, count, most)):
        rng = np.random.default_rng([seed, number])
        size = min(most, count - begin)
        rows = features[rng.integers(0, len(features), size)]
        rows = np.maximum(rows + rng.normal(size=rows.shape) * spread, 0).round(6)
        yield {name: rows[:, i] for i, name in enumerate(patients.names)}


def model_to_json(model: Model, proved: float) -> str:
    """The model in the clear and :func:`proved_bits`, which stay with their owner."""
    fields: dict[str, Any] = {"format": _FORMAT, "version": _VERSION, "proved_bits": proved}
    for name, value in asdict(model).items():
        fields[name] = value.tolist() if isinstance(value, np.ndarray) else value
    return json.dumps(fields, indent=1) + "\n"


def model_from_json(text: bytes, place: str) -> tuple[Model, float]:
    """Reads what :func:`model_to_json` wrote: the model and the proved budget of its results.

    Raises
    ------
    FormatError
        It is none; the message has ``place``.
    """
    try:
        fields = json.loads(text)
        if fields.pop("format") != _FORMAT or fields.pop("version") != _VERSION:
            raise ValueError("another format")
        names = tuple(map(str, fields["names"]))
        real = {k: np.array(fields[k], float) for k in ("mean", "deviation", "float_weights")}
        weights = np.array(fields["weights"], dtype=np.int64)
        a, b, c = map(int, fields["quadratic"])
        shapes = {array.shape for array in (*real.values(), weights)}
        if shapes != {(len(names),)} or len(set(names)) != len(names):
            raise ValueError("features")
        model = Model(
            names,
            **real,
            float_bias=float(fields["float_bias"]),
            weights=weights,
            bias=int(fields["bias"]),
            quadratic=(a, b, c),
        )
        return model, float(fields["proved_bits"])
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FormatError(
            f"{place} is no model of version {_VERSION}: need what nttforge cluster keys of this "
            "release wrote into the client's folder"
        ) from None


def probabilities(refined: NDArray[Any]) -> NDArray[np.float64]:
    """The refinement as a probability of cancer."""
    return np.clip(refined / REFINED_SCALE, 0.0, 1.0)


def new_keys(model: Model, threads: int = 0) -> Keys:
    """Parameters and all keys for the model."""
    choice = choose_for(model)
    return choice.generate_keys(Context(choice.parameters, threads=threads))
