# SPDX-License-Identifier: Apache-2.0
"""Mutations of right inputs for loaders that are written in Python.

A finding is an exception that is no error of the library, or a text that is written otherwise when
what was read of it is written and read again.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from datasets import FooterText, ManifestText, footer, manifest
from nttforge._core import checksum64

import nttforge
from nttforge import ArraySpec, bfv, ckks, seal
from nttforge.choosing.recording import record
from nttforge.choosing.traced import Recorder
from nttforge.encrypted import EncryptedArray
from nttforge.encrypted.bytes import read_frame, sealed_header
from nttforge_he.expression import parse
from nttforge_he.files import Plan
from nttforge_he.tables import columns_of

SEAL = Path(__file__).parents[1] / "tests" / "golden" / "seal" / "bfv"
TOKENS = ["{", "}", "[", "]", ",", ":", '"', "\\", "null", "true", "-1", "1e9", "0.5", "NaN"]
TOKENS += ["18446744073709551616", "9" * 5000, "\ud800", "\x00", "[" * 200, '"n": 1,', "Infinity"]


EXPRESSIONS = [
    "roll(a*b, 1) + 3*c",
    "sum(a[1:5]) - mean(b)*0.5 + c[-1]",
    "polynomial(a, [1, -2, 0, 3]) @ [1,2,3,4,5,6,7,8]",
    "dot(a, b)**2 - convolve(a, [1, 0, 2])",
    "(a + 1)*(b - -2)*c",
]
HEADER = '{"block":8,"clean":true,"high":7,"kept":false,"length":8,"low":0,"rows":null,"scale":1}'
TOKENS += ["../", "part-000001", ",[", "8", "0" * 64]
INSECURE: Literal["insecure_by_request"] = "insecure_by_request"
TOKENS += ["roll(", "sum(", "(", ")", "@", "**", "a", "[0]", ":", "-", "__import__", "lambda:0"]


class _Traced:
    """An expression, computed on recorded arrays."""

    def __init__(self, text: str) -> None:
        self._expression = parse(text)
        recorder, specs = Recorder(), dict.fromkeys(self._expression.names, ArraySpec((8,), -9, 9))
        record(lambda **arrays: self._expression.evaluate(arrays), specs, recorder, 4096)

    def to_json(self) -> str:
        return self._expression.text


class _SealObject:
    """An object of SEAL, behind its header: the characters are its bytes."""

    context: bfv.Context

    def __init__(self, text: str) -> None:
        body = text.encode("latin-1", "replace")
        head = b"\x5e\xa1\x10\x04\x04\x00\x00\x00" + (16 + len(body)).to_bytes(8, "little")
        if len(body) < 200:
            seal.import_parameters(head + body, security="insecure_by_request")
        else:
            seal.import_ciphertext(self.context, head + body)
        self._text = text

    def to_json(self) -> str:
        return self._text


class _BootstrapKeys:
    """Keys of a bootstrap: the characters are what stands before the first residues."""

    machine: ckks.Bootstrapper
    data: bytes

    def __init__(self, text: str) -> None:
        body = text.encode("latin-1", "replace") + self.data[32 + 64 : -8]
        frame = self.data[:24] + len(body).to_bytes(8, "little") + body
        sealed = frame + checksum64(frame).to_bytes(8, "little")
        keys = ckks.BootstrapKeys.from_bytes(self.machine, sealed)
        self._text = keys.to_bytes()[32 : 32 + 64].decode("latin-1")

    def to_json(self) -> str:
        return self._text


class _Csv:
    """Columns of a table."""

    def __init__(self, text: str) -> None:
        self._columns = columns_of(text, "table.csv")

    def to_json(self) -> str:
        rows = zip(*self._columns.values(), strict=True)
        lines = [",".join(repr(value.item()) for value in row) for row in rows]
        return "\n".join(lines) + "\n"


class _Frame:
    """The header of an encrypted array, with its checksum, before a ciphertext."""

    context: bfv.Context
    ciphertext: bytes

    def __init__(self, text: str) -> None:
        array = EncryptedArray.from_bytes(self.context, sealed_header(text) + self.ciphertext)
        self._header, _ = read_frame(array.to_bytes())

    def to_json(self) -> str:
        return json.dumps(self._header, sort_keys=True, separators=(",", ":"))


def mutated(source: random.Random, text: str) -> str:
    """A few changes of a text."""
    for _ in range(source.randint(1, 4)):
        at, end = sorted(source.randint(0, len(text)) for _ in range(2))
        end = min(end, at + 40)
        kind = source.randrange(6)
        if kind == 0:
            text = text[:at] + source.choice(TOKENS) + text[at:]
        elif kind == 1:
            text = text[:at] + text[end:]
        elif kind == 2:
            text = text[:at] + source.choice(TOKENS) + text[end:]
        elif kind == 3:
            text = text[:end] + text[at:end] + text[end:]
        elif kind == 4:
            text = (
                text[:at]
                + chr(source.choice([0, 9, 34, 48, 57, 92, 127, 233, 0x1F600]))
                + text[at + 1 :]
            )
        else:
            digits = [i for i, c in enumerate(text) if c.isdigit()]
            if digits:
                i = source.choice(digits)
                text = text[:i] + source.choice("0123456789-.e") + text[i + 1 :]
    return text


def loaders() -> dict[str, tuple[list[str], Callable[[str], Any]]]:
    """Right inputs, and what reads them, by name."""
    traces = [
        nttforge.NttPlan(n, 97, algorithm=a).trace(list(range(n))).to_json(hex=hexadecimal)
        for n in (4, 16)
        for a in ("dit", "flat")
        for hexadecimal in (False, True)
    ]
    wisdom = [nttforge.Wisdom().to_json()]
    files = [SEAL / f"{name}.seal" for name in ("parameters", "lower", "b")]
    _SealObject.context = bfv.Context(
        seal.import_parameters(files[0].read_bytes(), security="insecure_by_request")
    )
    _Frame.context = bfv.Context(
        bfv.Parameters.custom(16, 97, nttforge.ntt_primes(16, 30, 2), security=INSECURE)
    )
    key = _Frame.context.generate_keys().secret
    encrypted = EncryptedArray.encrypt(range(8), key).to_bytes()
    _Frame.ciphertext = read_frame(encrypted)[1]
    folder = SEAL.parents[1] / "v1" / "ckks_bootstrap"
    sets = ckks.Parameters.from_bytes((folder / "parameters.bin").read_bytes(), allow_insecure=True)
    _BootstrapKeys.machine = ckks.Bootstrapper(
        ckks.Context(sets, threads=1), slots=2, to_slots=[1], to_coefficients=[1],
        coefficients_first=True,
    )  # fmt: skip
    _BootstrapKeys.data = (folder / "bootstrap.bin").read_bytes()
    plan = Plan(bfv.Parameters.preset(4096), (1, -4), False, True, "roll(a*b, 1)")
    return {
        "bootstrap keys": ([_BootstrapKeys.data[32 : 32 + 64].decode("latin-1")], _BootstrapKeys),
        "expression": (EXPRESSIONS, _Traced),
        "plan": ([plan.to_json()], lambda text: Plan.from_json(text.encode("utf-8", "replace"))),
        "dataset manifest": ([manifest()], ManifestText),
        "dataset partition": ([footer()], FooterText),
        "csv": (["a,b\n1,2\n3,4.5\n", "1,2\n-3,4e5\n", '"x"\n7\n'], _Csv),
        "array": ([HEADER], _Frame),
        "seal": ([file.read_bytes()[16:].decode("latin-1") for file in files], _SealObject),
        "trace": (traces, nttforge.NttTrace.from_json),
        "wisdom": (wisdom, nttforge.Wisdom.from_json),
    }


def main() -> int:
    """Runs for some seconds, or some inputs of a kind; the exit status is 1 after a finding."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--target", default="", help="loaders with this in their names")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--inputs", type=int, help="for each loader, however long that takes")
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"))
    options = parser.parse_args()
    source = random.Random(options.seed)
    all_loaders = {name: one for name, one in loaders().items() if options.target in name}
    kinds = list(all_loaders)
    most = math.inf if options.inputs is None else options.inputs * len(kinds)
    tries = accepted = findings = 0
    begun = time.monotonic()
    while tries < most and (options.inputs or time.monotonic() - begun < options.seconds):
        name = kinds[tries % len(kinds)] if options.inputs else source.choice(kinds)
        seeds, load = all_loaders[name]
        text = mutated(source, source.choice(seeds))
        tries += 1
        wrong = ""
        try:
            once = load(text).to_json()
            accepted += 1
            if load(once).to_json() != once:
                wrong = "is written otherwise when it is read again"
        except nttforge.NttforgeError:
            continue
        except Exception as error:
            wrong = f"{type(error).__name__}: {error}"
        if wrong:
            findings += 1
            options.out.mkdir(parents=True, exist_ok=True)
            path = options.out / f"finding-python-{findings}.txt"
            path.write_text(text, "utf-8", errors="surrogatepass")
            print(f"finding: {name}: {wrong[:200]}, input {path}")
    spent = time.monotonic() - begun
    print(
        f"{len(kinds)} loaders in Python, {tries} inputs in {spent:.0f} s, {accepted} of "
        f"them read, {findings} findings (--seed {options.seed})"
    )
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
