# SPDX-License-Identifier: Apache-2.0
"""Files of the commands on encrypted data: keys in folders, arrays, and the plan of a computation.

``nttforge he keygen --out DIR`` writes two folders. ``DIR/client`` stays with the owner of the
data; ``DIR/server`` has no secret and is what whoever computes is given.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nttforge.console.output import UTF8_REMEDY, whole_file
from nttforge.encrypted import kinds
from nttforge.encrypted.kinds import EVALUATION, PARAMETERS, PUBLIC, SECRET, kind_of
from nttforge.errors import FormatError, MissingKeyError, ParameterError

__all__ = [
    "EVALUATION",
    "MOST_PLAN_BYTES",
    "PARAMETERS",
    "PUBLIC",
    "SECRET",
    "Plan",
    "add_keys",
    "add_security_table",
    "array_path",
    "context_for",
    "context_of",
    "kind_of",
    "name_of",
    "parameters_of",
    "read_array",
    "read_context",
    "read_evaluation",
    "read_public",
    "read_secret",
    "require_no_secret",
    "require_scheme",
    "scheme_of",
    "write",
    "write_evaluation",
]

if TYPE_CHECKING:
    from nttforge.rlwe import Context, EvaluationKeys, PublicKey, SecretKey
    from nttforge.typing import SecurityTable

MOST_PLAN_BYTES = 2**20
_CKKS = 3  # the scheme in a header


@dataclass(frozen=True)
class Plan:
    """Parameters and keys of a computation, as ``nttforge he parameters --for`` writes them."""

    parameters: Any
    rotations: tuple[int, ...]
    swap_columns: bool
    relinearization: bool
    expression: str

    def write(self, path: Path) -> None:
        """Writes the file."""
        with whole_file(path) as file:
            file.write(self.to_json())

    def to_json(self) -> str:
        """The text of the file."""
        fields = {
            "format": "nttforge-plan",
            "version": 1,
            "expression": self.expression,
            "parameters": base64.b64encode(self.parameters.to_bytes()).decode(),
            "rotations": list(self.rotations),
            "swap_columns": self.swap_columns,
            "relinearization": self.relinearization,
        }
        return json.dumps(fields, indent=1) + "\n"

    @classmethod
    def read(cls, path: Path) -> Plan:
        """Reads and checks such a file."""
        return cls.from_json(path.read_bytes(), str(path))

    @classmethod
    def from_json(cls, data: bytes, path: str = "data") -> Plan:
        """Reads and checks the bytes of such a file."""
        if len(data) > MOST_PLAN_BYTES:
            raise FormatError(f"{path} has {len(data)} bytes: a plan has at most {MOST_PLAN_BYTES}")
        try:
            fields = json.loads(data.decode("utf-8"))
        except (ValueError, RecursionError):
            raise FormatError(f"{path} is no JSON: need what parameters --for wrote") from None
        if not isinstance(fields, dict) or fields.get("format") != "nttforge-plan":
            raise FormatError(f"{path} is no plan: need what parameters --for wrote")
        if fields.get("version") != 1:
            raise FormatError(
                f"{path} is a plan of version {fields.get('version')!r}, and this release reads "
                "version 1: write it again with parameters --for"
            )
        steps = fields.get("rotations")
        flags = [fields.get("swap_columns"), fields.get("relinearization")]
        if (
            not isinstance(steps, list)
            or not all(type(s) is int and abs(s) < 2**16 for s in steps)
            or not all(type(flag) is bool for flag in flags)
        ):
            raise FormatError(
                f"{path} is altered: rotations, swap_columns or relinearization are none"
            )
        try:
            parameters = parameters_of(base64.b64decode(str(fields.get("parameters"))))
        except ValueError as error:
            raise FormatError(
                f"{path} is altered: its parameters cannot be read: {error}"
            ) from None
        swap_columns, relinearization = (bool(flag) for flag in flags)
        return cls(
            parameters,
            tuple(steps),
            swap_columns,
            relinearization,
            str(fields.get("expression", "")),
        )


def _read(folder: Path, name: str, kind: str, remedy: str) -> bytes:
    path = folder / name
    if not path.is_file():
        raise MissingKeyError(f"{path} does not exist: {remedy}")
    data = path.read_bytes()
    if kind_of(data) != kind:
        raise FormatError(f"{path} holds {kind_of(data) or 'something else'}: need {kind}")
    return data


def scheme_of(parameters: Any) -> str:
    """The name of a scheme in options."""
    return "bfv" if hasattr(parameters, "t") else "ckks"


def parameters_of(data: bytes, security_table: SecurityTable = "guidelines2024", **how: Any) -> Any:
    """Parameters of BFV or CKKS from their bytes."""
    from nttforge import bfv, ckks

    real = kind_of(data) == "parameters" and int.from_bytes(data[10:12], "little") == _CKKS
    kind: Any = ckks.Parameters if real else bfv.Parameters
    return kind.from_bytes(data, security_table=security_table, **how)


def context_of(parameters: Any, threads: int = 0) -> Any:
    """A context of their scheme."""
    from nttforge import bfv, ckks

    kind: Any = bfv.Context if scheme_of(parameters) == "bfv" else ckks.Context
    return kind(parameters, threads=threads)


def require_scheme(wanted: str | None, found: str, what: str) -> None:
    """Refuses keys of another scheme than the one that is asked for."""
    if wanted not in (None, found):
        raise ParameterError(
            f"--scheme {wanted}: {what} are of {found}; leave --scheme out, or choose with "
            f"nttforge he parameters --scheme {wanted} --for the expression"
        )


def add_security_table(parser: argparse.ArgumentParser) -> None:
    """The options that say which parameters of others are taken."""
    parser.add_argument(
        "--scheme", choices=["bfv", "ckks"], help="refuse keys of another (default: theirs)"
    )
    parser.add_argument(
        "--security-table",
        default="guidelines2024",
        choices=["guidelines2024", "hes2018"],
        help="by which parameters are secure: the guidelines of 2024 (default), or those of 2018",
    )


def add_keys(parser: argparse.ArgumentParser, text: str) -> None:
    """The options for a folder of keys and its parameters."""
    parser.add_argument("--keys", type=Path, required=True, help=text)
    add_security_table(parser)


def read_context(
    folder: Path,
    threads: int = 0,
    *,
    scheme: str | None = None,
    security_table: SecurityTable = "guidelines2024",
) -> Any:
    """The context of the parameters of a folder of keys, of one scheme if that is asked for."""
    remedy = "give the folder that nttforge he keygen wrote, its client or its server part"
    data = _read(folder, PARAMETERS, "parameters", remedy)
    parameters = parameters_of(data, security_table)
    require_scheme(scheme, scheme_of(parameters), f"the keys in {folder}")
    return context_of(parameters, threads)


def context_for(options: argparse.Namespace, threads: int = 0) -> Any:
    """The context that the options of add_keys name."""
    table = options.security_table
    return read_context(options.keys, threads, scheme=options.scheme, security_table=table)


def read_public(folder: Path, context: Context) -> PublicKey:
    """The public key."""
    from nttforge.rlwe import PublicKey

    return PublicKey.from_bytes(context, _read(folder, PUBLIC, "public key", "run keygen"))


def read_secret(folder: Path, context: Context) -> SecretKey:
    """The secret key, of the client's folder."""
    from nttforge.rlwe import SecretKey

    remedy = "only the client's folder of keygen has it, and only that can decrypt"
    return SecretKey.from_bytes(context, _read(folder, SECRET, "secret key", remedy))


def read_evaluation(folder: Path, context: Context) -> EvaluationKeys | None:
    """The evaluation keys of a folder without secret; None if the computation needs none."""
    from nttforge.rlwe import EvaluationKeys

    require_no_secret(folder)
    if not (folder / EVALUATION).is_file():
        return None
    path = folder / EVALUATION
    with path.open("rb") as file:
        found = kind_of(file.read(32))
        if found != "evaluation keys":
            raise FormatError(f"{path} holds {found or 'something else'}: need evaluation keys")
        file.seek(0)
        with _progress(f"reading {path.name}") as progress:
            keys = EvaluationKeys.read(context, file, progress)
        if file.read(1):
            raise FormatError(f"{path} has bytes after the evaluation keys: it was altered")
    return keys


def write_evaluation(path: Path, keys: EvaluationKeys) -> int:
    """Writes evaluation keys part by part, to a file that appears when it is whole; its bytes."""
    with whole_file(path, "wb") as file, _progress(f"writing {path.name}") as progress:
        keys.write(file, progress)
    return path.stat().st_size


def require_no_secret(folder: Path) -> None:
    """Refuses a folder of keys that holds a secret one, as :func:`kinds.require_no_secret`."""
    if not folder.is_dir():
        raise ParameterError(f"{folder} is no folder: give the server's part of what keygen wrote")
    paths = (path for path in sorted(folder.iterdir()) if path.is_file())
    kinds.require_no_secret((str(path), path.open("rb")) for path in paths)


def write(path: Path, data: bytes, *, secret: bool = False) -> None:
    """A file in one piece; a secret one is readable by its owner alone."""
    if secret:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.touch(mode=0o600)
        path.chmod(0o600)
    with whole_file(path, "wb") as file:
        file.write(data)


def array_path(folder: Path, name: str) -> Path:
    """The file of an encrypted array; refuses a name that this locale's files cannot have."""
    path = folder / f"{name}.enc"
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise ParameterError(
            f"column {name!r}: names of files are in {sys.getfilesystemencoding()} here, which "
            f"cannot write it; {UTF8_REMEDY}"
        ) from None
    return path


def name_of(path: Path) -> str:
    """The name of what a file holds, in UTF-8 whatever the locale is."""
    return os.fsencode(path.stem).decode("utf-8", "surrogateescape")


def read_array(path: Path, context: Context, keys: Any = None) -> Any:
    """An encrypted array."""
    from nttforge.encrypted import EncryptedArray

    data = path.read_bytes()
    if kind_of(data) != "encrypted array":
        what = kind_of(data) or "something else"
        raise FormatError(f"{path} holds {what}: need an encrypted array, as encrypt writes it")
    return EncryptedArray.from_bytes(context, data, keys)


@contextlib.contextmanager
def _progress(title: str) -> Iterator[Callable[[int, int], None]]:
    """What is told how many bytes are done, of all: a bar on a terminal, else nothing; on stderr.

    What is done within half a second shows no bar.
    """
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from tqdm import tqdm

    with tqdm(
        desc=title, unit="B", unit_scale=True, leave=False, file=sys.stderr, delay=0.5
    ) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show
