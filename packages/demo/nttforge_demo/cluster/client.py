# SPDX-License-Identifier: Apache-2.0
"""``nttforge cluster keys``, ``sample``, ``encrypt`` and ``decrypt``: what the owner runs."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nttforge._providers import remedy
from nttforge.console.arguments import integer
from nttforge.console.output import require_writable, size, whole_file
from nttforge.errors import ParameterError, UnsupportedError
from nttforge_he import files

from .progress import Progress

if TYPE_CHECKING:
    from ..model import Model

MODEL = "model.json"
MODEL_FOLDER = "model"
_MOST_RECORDS = 2**40


def add_actions(actions: Any) -> None:
    keys = actions.add_parser("keys", help="train the demo's model; make keys for it")
    keys.add_argument("--out", type=Path, required=True, help="folder for client/ and server/")
    sample = actions.add_parser("sample", help="synthetic records made from the real ones")
    sample.add_argument("--records", type=integer, required=True, help="how many")
    sample.add_argument("--seed", type=integer, default=0, help="other records (default 0)")
    sample.add_argument("--out", type=Path, required=True, help=".csv or .parquet")
    encrypt = actions.add_parser("encrypt", help="encrypt records in partitions")
    encrypt.add_argument("table", help=".csv or .parquet with the 30 features, in any order")
    encrypt.add_argument("--keys", type=Path, required=True, help="the client's folder")
    encrypt.add_argument("--out", required=True, help="folder, or address of fsspec")
    encrypt.add_argument(
        "--partition", type=integer, help="records of a partition (default 16384, about a second)"
    )
    _add_ignored(encrypt)
    decrypt = actions.add_parser("decrypt", help="decrypt scores into a table")
    decrypt.add_argument("data", help="folder that score wrote")
    decrypt.add_argument("--keys", type=Path, required=True, help="the client's folder")
    decrypt.add_argument("--out", type=Path, required=True, help=".csv or .parquet")
    decrypt.add_argument(
        "--compare", metavar="TABLE", help="compute the scores of TABLE in the clear as well"
    )
    _add_ignored(decrypt)
    decrypt.add_argument(
        "--private",
        action="store_true",
        help="scores for the key's owner alone; without it they may be shared: noise is added "
        "first, so that whoever sees many of them learns nothing about the key",
    )


def _add_ignored(action: Any) -> None:
    action.add_argument(
        "--ignore-columns",
        nargs="+",
        default=[],
        metavar="NAME",
        help="columns of the table that are no features, such as id",
    )


def need_sklearn() -> None:
    """The data set and the training are scikit-learn's."""
    try:
        importlib.import_module("sklearn.datasets")
    except ImportError:
        raise UnsupportedError(
            f"the demo's records and model need scikit-learn: {remedy('nttforge-demo')}"
        ) from None


def _keys(options: argparse.Namespace) -> int:
    need_sklearn()
    from .. import model as models
    from .. import scoring

    client, server = options.out / "client", options.out / "server"
    if (client / files.SECRET).exists():
        raise ParameterError(
            f"{client / files.SECRET} exists: what it encrypted could not be read without it; name "
            "another folder, or take it away first"
        )
    require_writable(options.out)
    model = models.train(models.load_patients())
    keys = scoring.new_keys(model)
    parameters = keys.context.parameters
    encrypted = scoring.encrypt_model(model, keys)
    proved_bits = scoring.proved_bits(model, keys)
    files.write(client / files.SECRET, keys.secret.to_bytes(), secret=True)
    text = scoring.model_to_json(model, proved_bits)
    files.write(client / MODEL, text.encode(), secret=True)
    for folder in (client, server):
        files.write(folder / files.PARAMETERS, parameters.to_bytes())
        files.write(folder / files.PUBLIC, keys.public.to_bytes())
    data = keys.evaluation.to_bytes()
    files.write(server / files.EVALUATION, data)
    for name, array in encrypted.items():
        files.write(server / MODEL_FOLDER / f"{name}.enc", array.to_bytes())
    print(
        f"n = {parameters.n}, log2 Q = {parameters.q_bits}, t of {parameters.t.bit_length()} bits, "
        f"{parameters.security_verdict()[0]} bits of security"
    )
    print(f"{client}: secret key, model, parameters; stays with the owner of the records")
    print(f"{server}: evaluation keys of {size(len(data))}, encrypted model; no secret")
    return 0


def _sample(options: argparse.Namespace) -> int:
    need_sklearn()
    from nttforge_cluster.tables import TableWriter

    from .. import scoring

    _check_records("--records", options.records)
    if options.seed < 0:
        raise ParameterError(f"--seed = {options.seed} must be 0 or more")
    progress = Progress("records", options.records)
    with whole_file(options.out, "wb") as file:
        writer = TableWriter(file, str(options.out))
        for columns in scoring.synthetic(options.records, options.seed):
            writer.add(columns)
            progress.add(len(next(iter(columns.values()))))
        writer.close()
    progress.close()
    print(f"{options.out}: {options.records} records, 30 features, seed {options.seed}")
    return 0


def _check_records(name: str, count: int) -> None:
    if not 1 <= count <= _MOST_RECORDS:
        raise ParameterError(f"{name} = {count} is not in [1, 2^40]")


def read_model(folder: Path) -> tuple[Model, float]:
    """The model in the clear and the proved budget of its results, of the client's folder."""
    from .. import scoring

    path = folder / MODEL
    if not path.is_file():
        raise ParameterError(
            f"{path} does not exist: give the client's folder of nttforge cluster keys"
        )
    return scoring.model_from_json(path.read_bytes(), str(path))


def _require_features(model: Model, table: str, ignored: Sequence[str]) -> None:
    """Refuses a file whose columns, but for those to be ignored, are not the model's features."""
    from nttforge_cluster.tables import names_of

    from .. import scoring

    scoring.require_features(model, names_of(table), table, ignored)


def _encrypt(options: argparse.Namespace) -> int:
    from nttforge_cluster import EncryptedDataset

    from .. import scoring
    from ..model import FEATURE_LIMIT

    if options.partition is not None:
        _check_records("--partition", options.partition)
    context = files.read_context(options.keys, scheme="bfv")
    secret = files.read_secret(options.keys, context)
    model, _ = read_model(options.keys)
    _require_features(model, options.table, options.ignore_columns)
    progress = Progress("records")
    dataset = EncryptedDataset.encrypt(
        options.table,
        options.out,
        secret,
        columns=model.names,
        matrix=scoring.RECORDS,
        bounds={scoring.RECORDS: (-FEATURE_LIMIT, FEATURE_LIMIT)},
        records=options.partition,
        prepare=lambda columns: scoring.records_of(model, columns),
        said=progress.reached,
    )
    progress.close()
    total = sum(part.bytes for part in dataset.manifest.parts)
    print(
        f"{dataset.store.address}: {dataset.records} records in {len(dataset.manifest.parts)} "
        f"partitions, {size(total)}"
    )
    return 0


def _decrypt(options: argparse.Namespace) -> int:
    import numpy as np

    from nttforge_cluster import EncryptedDataset
    from nttforge_cluster.tables import TableWriter, read_in_parts

    from .. import scoring

    context = files.read_context(options.keys, scheme="bfv")
    secret = files.read_secret(options.keys, context)
    dataset = EncryptedDataset.open(options.data)
    if set(dataset.columns) != set(scoring.RESULTS):
        raise ParameterError(
            f"{dataset.store.address} has the columns {', '.join(dataset.columns)}: decrypt takes "
            "what nttforge cluster score wrote"
        )
    model, proved_bits = read_model(options.keys)
    rows = None
    if options.compare:
        _require_features(model, options.compare, options.ignore_columns)
        rows = _Rows(read_in_parts(options.compare, 65536, model.names))
    elif options.ignore_columns:
        raise ParameterError("--ignore-columns goes with --compare TABLE")
    progress = Progress("records", dataset.records)
    equal = 0
    with whole_file(options.out, "wb") as file:
        writer = TableWriter(file, str(options.out))
        known = None if options.private else proved_bits
        parts = dataset.decrypt_in_parts(secret, shared=not options.private, proved_bits=known)
        for columns in parts:
            count = len(columns["score"])
            if rows is not None:
                x = scoring.records_of(model, rows.take(count))
                plain = model.scores(np.stack(list(x.values())[:-1], axis=1))
                right = columns["score"] == plain
                equal += int((right & (columns["refined"] == model.refine(plain))).sum())
            writer.add({"score": columns["score"], "p": scoring.probabilities(columns["refined"])})
            progress.add(count)
        writer.close()
    progress.close()
    print(f"{options.out}: {dataset.records} scores")
    if rows is None:
        return 0
    rows.require_end()
    print(f"{equal} of {dataset.records} scores and refinements equal the plaintext computation")
    return 0 if equal == dataset.records else 1


class _Rows:
    """Rows of a table, as many at a time as are asked for."""

    def __init__(self, parts: Any) -> None:
        self._parts, self._waiting = parts, []  # type: ignore[var-annotated]

    def take(self, count: int) -> dict[str, Any]:
        import numpy as np

        have = sum(len(next(iter(w.values()))) for w in self._waiting)
        while have < count:
            part = next(self._parts, None)
            if part is None:
                raise ParameterError("--compare: the table has fewer records than there are scores")
            self._waiting.append(part)
            have += len(next(iter(part.values())))
        names = list(self._waiting[0])
        joined = {n: np.concatenate([w[n] for w in self._waiting]) for n in names}
        self._waiting = [{n: c[count:] for n, c in joined.items()}]
        return {n: c[:count] for n, c in joined.items()}

    def require_end(self) -> None:
        left = any(len(next(iter(w.values()))) for w in self._waiting)
        if left or next(self._parts, None) is not None:
            raise ParameterError("--compare: the table has more records than there are scores")


ACTIONS = {"keys": _keys, "sample": _sample, "encrypt": _encrypt, "decrypt": _decrypt}
