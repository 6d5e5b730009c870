# SPDX-License-Identifier: Apache-2.0
"""The JSON documents of the benchmark programs (ours and those of peers), and their merging."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from nttforge.errors import FormatError

SCHEMA = "nttforge-bench-1"
MERGED = "nttforge-bench-merged-1"
Row = dict[str, Any]

_SEVEN = ("word_bits", "log_n", "batch", "algorithm", "output_order")
#: What tells two figures apart, by kind of row.
KEYS = {
    "transform": ("bits", "word_bits", "q", "n", "ring", "target", "direction"),
    "product": ("bits", "word_bits", "q", "n", "target", "direction"),
    "batch": ("bits", "word_bits", "n", "limbs", "threads", "target", "direction"),
    "bfv": ("set", "n", "log2_q", "t", "variant", "operation"),
    "package_transform": ("bits", "word_bits", "n", "direction"),
    "package_bfv": ("n", "operation"),
    "rns": ("operation", "n", "k", "bits", "threads", "target"),
    "instruction": ("name", "vector_bits"),
    "bandwidth": ("where", "access", "vector_bits", "bytes"),
    "gpu_transform": ("bits", "word_bits", "n", "limbs", "direction"),
    "gpu_floor": ("bits", "n", "limbs", "direction"),
    "gpu_bfv": ("n", "log2_qp", "t", "word_bits", "variant", "operation", "mode"),
    "gpu_bfv_step": ("n", "log2_qp", "word_bits", "variant", "batch", "step", "mode"),
    "gpu_call": ("bits", "n", "limbs", "direction", "caller", "result"),
    "kim20": ("multiplication", "bits", "log_n", "limbs", "log_base"),
    "bad18a": ("n", "polynomials", "direction", "shared_memory", "powers_of_8", "kernel"),
    "bad18b": ("part", "n", "log2_q", "where", "variant", "operation"),
    # gpu_nttsuite_bench: one core, the kernels as [Din24] has them and tuned, the engine's own.
    "cpu": _SEVEN,
    "paper": _SEVEN,
    "tuned": _SEVEN,
    "engine": (*_SEVEN, "recipe"),
}
#: Members of a document that are lists of rows.
LISTS = ("results", "goals", "programs", "calls")
#: What is kept of several rounds: the smallest time; of the core's own rates the largest.
SMALLEST, LARGEST = "min_ns", {"instruction": "per_cycle", "bandwidth": "bytes_per_second"}


def load(path: Path) -> dict[str, Any]:
    """One document, checked.

    Parameters
    ----------
    path : Path
        File written by a benchmark program.

    Raises
    ------
    FormatError
        Naming the file and what is missing or wrong in it.
    """
    document = read(path)
    check(document, str(path))
    return dict(document)


def load_folder(folder: Path) -> list[dict[str, Any]]:
    """Every document ``*.json`` of a folder; FormatError if there is none or one is wrong."""
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise FormatError(f"{folder} holds no *.json: name a folder of the programs' documents")
    return [load(path) for path in paths]


def load_merged(path: Path) -> dict[str, Any]:
    """A document that :func:`merge` made and :func:`dump` wrote."""
    document = read(path)
    if _get(document, "schema") != MERGED:
        raise FormatError(f"{path}: schema = {_get(document, 'schema')!r} must be {MERGED!r}")
    check({**document, "schema": SCHEMA, "program": "", "version": "", "build": ""}, str(path))
    return dict(document)


def dump(document: dict[str, Any], lists: Collection[str] = LISTS) -> str:
    """JSON text for files that are kept and compared: a line for each row of ``lists``."""
    parts = []
    for name, value in document.items():
        if name in lists:
            lines = ",\n".join("  " + json.dumps(row) for row in value)
            parts.append(f" {json.dumps(name)}: [\n{lines}\n ]")
        else:
            parts.append(f" {json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def read(path: Path) -> Any:
    """What a file of JSON holds; a kept one may be compressed, ``NAME.json.gz``.

    Raises
    ------
    FormatError
        If it is not JSON, or not what gzip wrote.
    """
    try:
        packed = path.suffix == ".gz"
        return json.loads(gzip.decompress(path.read_bytes()) if packed else path.read_bytes())
    except (ValueError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(f"{path} is not JSON: {error}") from None


def check(document: Any, name: str) -> None:
    """Raises FormatError unless the document has the schema that the programs write."""
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise FormatError(
            f"{name}: schema = {_get(document, 'schema')!r} must be {SCHEMA!r}: "
            "build the benchmark programs of this version"
        )
    for field in ("program", "version", "build", "results"):
        if field not in document:
            raise FormatError(f"{name}: '{field}' is missing")
    if not isinstance(document.get("complete", True), bool):
        raise FormatError(f"{name}: complete = {document['complete']!r} must be true or false")
    if not isinstance(document["results"], list):
        raise FormatError(f"{name}: 'results' must be a list of rows")
    for number, row in enumerate(document["results"]):
        kind = _get(row, "kind")
        if kind not in KEYS:
            raise FormatError(
                f"{name}: row {number}: kind = {kind!r} must be one of {', '.join(KEYS)}"
            )
        best = LARGEST.get(kind, SMALLEST)
        for field in (*KEYS[kind], best):
            if field not in row:
                raise FormatError(f"{name}: row {number} ({kind}): '{field}' is missing")
        value = row[best]
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            raise FormatError(f"{name}: row {number} ({kind}): {best} = {value!r} must be above 0")


def _get(value: Any, field: str) -> Any:
    return value.get(field) if isinstance(value, dict) else None


def merge(documents: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """One document of several rounds and programs: the best figure of each, with the rounds it won
    over.

    Parameters
    ----------
    documents : iterable of dict
        As :func:`load` returns them; any order, any number of rounds.

    Returns
    -------
    dict
        ``machine``, ``programs`` and ``results``; each row names its ``program`` and ``build``,
        and says in ``rounds`` how many there were and in ``spread`` the largest over the smallest
        minimum. ``complete`` is false if a program of the documents was cut off.
    """
    rows: dict[tuple[Any, ...], Row] = {}
    extremes: dict[tuple[Any, ...], tuple[float, float]] = {}
    programs: dict[tuple[str, str], Row] = {}
    machine: Row = {}
    complete = True
    for document in documents:
        complete = complete and document.get("complete", True)
        name, build = str(document["program"]), str(document["build"])
        programs[name, build] = {
            k: document.get(k) for k in ("program", "version", "build", "compiler")
        }
        _describe(machine, document)
        for row in document["results"]:
            kind = row["kind"]
            field = LARGEST.get(kind, SMALLEST)
            key = (name, build, kind, *(row[k] for k in KEYS[kind]))
            low, high = extremes.get(key, (row[field], row[field]))
            extremes[key] = min(low, row[field]), max(high, row[field])
            before = rows.get(key)
            better = before is None or (
                row[field] > before[field] if kind in LARGEST else row[field] < before[field]
            )
            kept = {"program": name, "build": build, **row} if better else before
            assert kept is not None
            kept["rounds"] = 1 + (before["rounds"] if before else 0)
            rows[key] = kept
    for key, row in rows.items():
        row["spread"] = round(extremes[key][1] / extremes[key][0], 4)
    return {
        "schema": MERGED,
        "complete": complete,
        "machine": machine,
        "programs": list(programs.values()),
        "results": list(rows.values()),
    }


def _describe(machine: Row, document: dict[str, Any]) -> None:
    for field in ("cpu", "features", "hardware_threads"):
        if field in document:
            machine.setdefault(field, document[field])
    for field in (
        "clock_ghz",
        "tsc_ghz",
    ):  # the ceilings' document; a clock is at least what was seen
        if field in document:
            machine[field] = max(machine.get(field, 0.0), document[field])
    if document["program"] == "nttforge":
        machine.setdefault("commit", document["version"])
        machine.setdefault("flags", document["build"])
        machine.setdefault("compiler", document.get("compiler"))


def of_one_gpu(documents: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The documents in a list; FormatError if they are of different GPUs."""
    read = list(documents)
    gpus = {document.get("gpu", {}).get("name", "unknown") for document in read}
    if len(gpus) > 1:
        raise FormatError(f"documents of different GPUs cannot be compared: {', '.join(gpus)}")
    return read


def select(rows: Iterable[Row], **fields: Any) -> list[Row]:
    """Rows whose fields have these values; a tuple of values means any of them."""
    return [
        row
        for row in rows
        if all(
            row.get(name) in value if isinstance(value, tuple) else row.get(name) == value
            for name, value in fields.items()
        )
    ]
