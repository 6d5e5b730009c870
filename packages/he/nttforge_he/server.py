# SPDX-License-Identifier: Apache-2.0
"""``nttforge he eval`` and ``inspect``: what whoever computes runs, without any secret."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from pathlib import Path
from typing import Any

from nttforge.console.arguments import number
from nttforge.console.output import duration, require_writable, size
from nttforge.errors import FormatError, MissingKeyError, NoiseError, ParameterError

from . import files
from .client import precision_text

_QUIET_SECONDS = 1.0  # shorter work shows no progress
_MOST_READ = 2**16  # of a file that is only looked at


def add_actions(actions: Any) -> None:
    evaluate = actions.add_parser("eval", help="compute an expression of encrypted arrays")
    evaluate.add_argument("expression", help='such as "roll(a*b, 1) + 3*c"')
    evaluate.add_argument("arrays", nargs="*", metavar="NAME=FILE", help="files of single names")
    files.add_keys(evaluate, "folder of the server's keys")
    evaluate.add_argument("--in", type=Path, dest="folder", help="folder with NAME.enc")
    evaluate.add_argument("--out", type=Path, help="file for the result")
    evaluate.add_argument(
        "--check", action="store_true", help="say what is needed, compute nothing"
    )
    evaluate.add_argument(
        "--no-shrink",
        action="store_true",
        help="keep the whole noise budget of the result, for eval of the result",
    )
    evaluate.add_argument(
        "--min-budget-bits",
        type=number,
        default=1,
        metavar="BITS",
        help="bits of noise budget that shrinking leaves, if there are as many (default 1)",
    )
    evaluate.add_argument(
        "--no-noise",
        action="store_true",
        help="tell nothing of the noise but that the result decrypts: it depends on factors",
    )
    evaluate.add_argument("--threads", type=int, default=0, help="threads (default 0: all)")
    inspect = actions.add_parser("inspect", help="what files hold, without any key")
    inspect.add_argument("files", type=Path, nargs="+")
    inspect.add_argument("--json", action="store_true", help="machine-readable output")


def _paths(options: argparse.Namespace, names: tuple[str, ...]) -> dict[str, Path]:
    given: dict[str, Path] = {}
    for text in options.arrays:
        name, equal, path = text.partition("=")
        if not equal or not name or not path:
            raise ParameterError(f"{text!r}: need NAME=FILE")
        if name not in names:
            raise ParameterError(f"{text!r}: the expression has the names {', '.join(names)}")
        given[name] = Path(path)
    found: dict[str, Path] = {}
    for name in names:
        path = given.get(name)
        if path is None and options.folder is not None:
            path = files.array_path(options.folder, name)
        if path is None or not path.is_file():
            where = "" if path is None else f": {path} does not exist"
            raise ParameterError(f"no file is given for {name}{where}; add {name}=FILE, or --in")
        found[name] = path
    return found


def _eval(options: argparse.Namespace) -> int:
    from .expression import parse
    from .preview import preview

    expression = parse(options.expression)
    if not options.check:
        if options.out is None:
            raise ParameterError("--out is missing: the file for the result (or --check)")
        require_writable(options.out.parent)
    paths = _paths(options, expression.names)
    files.require_no_secret(options.keys)
    context = files.context_for(options, options.threads)
    keys = files.read_evaluation(options.keys, context)
    arrays = {name: files.read_array(path, context, keys) for name, path in paths.items()}
    if files.scheme_of(context.parameters) == "ckks":
        return _eval_real(options, expression, arrays)
    found = preview(expression, arrays, context, keys)
    for name in found.assumed_fresh:
        print(f"{paths[name]} says nothing of its noise: taken as fresh", file=sys.stderr)
    low, high = found.result.bounds
    print(
        f"result: shape {found.result.shape}, scale {found.result.scale}, range [{low:g}, {high:g}]"
        f"; noise budget {found.noise_budget_bits:.1f} bits; {expression.operations} operations"
    )
    if found.missing:
        raise MissingKeyError(
            f"{options.keys} lacks {'; '.join(found.missing)}: make them with nttforge he keygen "
            "--plan, with a plan of parameters --for this expression"
        )
    if found.noise_budget_bits <= 0:
        raise NoiseError(
            f"the result would have a noise budget of {found.noise_budget_bits:.1f} bits, and "
            "decryption needs more than 0: choose parameters with nttforge he parameters --for "
            "this expression, and encrypt anew"
        )
    if options.check:
        print("all keys are there, and the range fits; nothing was computed")
        return 0
    begun = time.perf_counter()
    result = expression.evaluate(arrays, _progress(expression.operations))
    if not options.no_shrink:
        result = result.shrink(options.min_budget_bits)
    _write(options, result.to_bytes(noise=not options.no_noise), begun)
    return 0


def _progress(operations: int) -> Any:
    """What says how far a long evaluation is."""
    begun = time.perf_counter()

    def progress(count: int, part: str) -> None:
        if time.perf_counter() - begun > _QUIET_SECONDS:
            print(f"eval: {count}/{operations} {part}", file=sys.stderr, flush=True)

    return progress


def _write(options: argparse.Namespace, data: bytes, begun: float) -> None:
    spent = time.perf_counter() - begun
    files.write(options.out, data)
    print(f"{options.out}: {size(len(data))} in {duration(spent)}")


def _eval_real(options: argparse.Namespace, expression: Any, arrays: dict[str, Any]) -> int:
    """Real numbers: what is missing is found when it is needed, before anything of it is done."""
    for name, given in (("--check", options.check), ("--no-noise", options.no_noise)):
        if given:
            raise ParameterError(
                f"{name} is for noise budgets, of BFV, and these keys are of CKKS: leave it out"
            )
    begun = time.perf_counter()
    result = expression.evaluate(arrays, _progress(expression.operations))._two()
    low, high = result.bounds
    print(
        f"result: shape {result.shape}, range [{low:g}, {high:g}], {precision_text(result.error)}; "
        f"{result.levels_left} levels left; {expression.operations} operations"
    )
    _write(options, (result if options.no_shrink else result.shrink()).to_bytes(), begun)
    return 0


def _inspect(options: argparse.Namespace) -> int:
    facts = [_facts(path) for path in options.files]
    if options.json:
        print(json.dumps(facts, indent=2))
        return 0
    for fact in facts:
        print(fact["file"])
        for key, value in fact.items():
            if key != "file":
                print(f"  {key:15} {value}")
    return 0


def _facts(path: Path) -> dict[str, Any]:
    from nttforge.encrypted.bytes import read_frame

    with path.open("rb") as file:
        data = file.read(_MOST_READ)
    kind = files.kind_of(data)
    if not kind:
        if data[:1] == b"{":
            plan = files.Plan.read(path)
            return {"file": str(path), "kind": "plan", **_plan_facts(plan)}
        raise FormatError(f"{path} is no object of the library: nothing is known of it")
    fact: dict[str, Any] = {"file": str(path), "kind": kind, "bytes": path.stat().st_size}
    if kind == "parameters":
        p = files.parameters_of(path.read_bytes(), allow_insecure=True)
        return fact | _parameter_facts(p) | {"fingerprint": f"{_fingerprint(data):016x}"}
    if kind == "encrypted array":
        head, data = read_frame(data)
        scale = head["scale"]
        shape = [x for x in (head["rows"], head["length"]) if x is not None]
        fact |= {"shape": shape, "scale": scale, "block": head["block"]}
        least = min(scale) if isinstance(scale, list) else scale  # of columns' own
        fact |= {"low": head["low"] / least, "high": head["high"] / least}
    if kind == "secret key":
        fact["note"] = "keep it where its owner alone can read"
    if len(data) >= 32:
        fact["scheme"] = {1: "BFV", 2: "BGV", 3: "CKKS"}.get(
            int.from_bytes(data[10:12], "little"), "unknown"
        )
        fact["fingerprint"] = f"{_fingerprint(data):016x}"
    return fact


def _fingerprint(data: bytes) -> int:
    return int.from_bytes(data[16:24], "little")


def _parameter_facts(p: Any) -> dict[str, Any]:
    bits, why = p.security_verdict()
    own = {"scale": f"2^{math.log2(p.scale):.1f}"} if hasattr(p, "scale") else {"t": p.t}
    return {"n": p.n, **own, "log2 Q": p.q_bits, "security": f"{bits} bits; {why}"}


def _plan_facts(plan: files.Plan) -> dict[str, Any]:
    fact: dict[str, Any] = {"expression": plan.expression, **_parameter_facts(plan.parameters)}
    fact |= {"rotations": list(plan.rotations), "swap_columns": plan.swap_columns}
    return fact | {"relinearization": plan.relinearization}


ACTIONS = {"eval": _eval, "inspect": _inspect}
