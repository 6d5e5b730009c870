# SPDX-License-Identifier: Apache-2.0
"""Private scoring of real patients, from start to end.

A client makes keys and encrypts 569 patients' records and a model; a server process, without any
secret key, computes their scores on the ciphertexts; the client decrypts and compares every value
with the plaintext computation. Writes a page with plots.

With --device rtl the scores of a few patients are computed on a simulated hardware design, cycle by
cycle: one multiplication of two ciphertexts in a small, insecure ring, in about half a minute.

With --device cuda the server computes on a GPU. The client stays on the CPU, which afterwards
repeats the server's work and compares every byte.

With --web a page in a browser is the client: it encrypts numbers that are typed or dropped there,
and nttforge serve, on this machine, computes their score.

Exit code 1 if anything differs.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nttforge.console.arguments import integer
from nttforge.console.output import duration, size, table
from nttforge.errors import ParameterError

if TYPE_CHECKING:
    from .result import Phase, Result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--records", type=integer, help="only the first so many patients (of 569)")
    parser.add_argument(
        "--n",
        type=integer,
        help="ring dimension: 16384 (default) or 32768; with --device rtl 64 ... 4096 (1024)",
    )
    parser.add_argument(
        "--device",
        default="cpu",
        help="where the server computes: cpu (default), cuda, cuda:1 ... (or cuda:host), or rtl, a "
        "design simulated by Verilator; the client stays on the CPU, which then repeats the "
        "server's work to compare every byte",
    )
    parser.add_argument("--threads", type=integer, help="threads of CPUs (default: all)")
    parser.add_argument("--out", help="where the page goes (default out/demo)")
    parser.add_argument(
        "--keep-files", action="store_true", help="keep the files client and server exchanged"
    )
    parser.add_argument(
        "--seed", help="INSECURE: keys and encryptions from this text, to repeat a run in tests"
    )
    parser.add_argument("--web", action="store_true", help="a page in a browser as the client")
    parser.add_argument("--port", type=integer, help="with --web: port on this machine (8100)")
    parser.add_argument("--npm", help="with --web: folder of the npm package nttforge")


def run(options: argparse.Namespace) -> int:
    if options.web:
        return _run_web(options)
    if options.port is not None or options.npm is not None:
        raise ParameterError("--port and --npm are for the page: add --web")
    return _run_on_rtl(options) if options.device == "rtl" else _run(options)


def _run_web(options: argparse.Namespace) -> int:
    """The page, for as long as it is wanted."""
    for name in ("records", "n", "threads", "out", "keep_files", "seed"):
        if getattr(options, name) not in (None, False):
            raise ParameterError(f"--{name.replace('_', '-')} does not go with --web: leave it out")
    if options.device == "rtl":
        raise ParameterError("--device rtl does not go with --web: take cpu or cuda")
    importlib.import_module("sklearn.datasets")
    from .web import run as run_web

    return run_web(options)


def _run(options: argparse.Namespace) -> int:
    options.n = 16384 if options.n is None else options.n
    if options.records is not None and not 1 <= options.records <= 569:
        raise ParameterError(f"--records = {options.records} is not in [1, 569]")
    if options.n not in (16384, 32768):
        raise ParameterError(
            f"--n = {options.n}: need 16384 or 32768; smaller rings have no room for the noise"
        )
    for package in ("sklearn.datasets", "matplotlib"):
        importlib.import_module(package)  # what is missing is said before anything is printed
    from .machines import description
    from .run import run as run_demo

    description(options.device)  # so is a device that cannot be used
    print("Private scoring of patients: the server computes on what it cannot read.\n")
    if options.seed is not None:
        print("INSECURE: --seed makes keys predictable; for tests only.\n")
    out = Path("out/demo" if options.out is None else options.out)
    progress = _ServerProgress()
    result = run_demo(
        out,
        options.n,
        options.records,
        0 if options.threads is None else options.threads,
        options.seed,
        options.keep_files,
        options.device,
        report=progress.phase,
        server_progress=progress,
    )
    _summary(result, out)
    return 0 if result.passed else 1


def _run_on_rtl(options: argparse.Namespace) -> int:
    """The multiplication alone, on hardware that is simulated."""
    for name in ("threads", "out", "keep_files"):
        if getattr(options, name) not in (None, False):
            raise ParameterError(
                f"--{name.replace('_', '-')} does not go with --device rtl, which writes no files "
                "and has one thread: leave it out"
            )
    importlib.import_module("sklearn.datasets")
    from nttforge.ntt._devices import registered

    from .rtl import scores

    device = registered("rtl")
    assert device is not None
    tools = device.tools()  # what is missing is said before anything is printed

    print("Private scoring of patients on simulated hardware, clock cycle by clock cycle: slow.")
    print("INSECURE: a small ring, to keep the simulation short; this shows hardware.\n")
    print(f"  {'phase':<28}{'time':>9}  {'cycles':>9}", flush=True)

    def phase(name: str, seconds: float, cycles: int) -> None:
        print(f"  {name:<28}{duration(seconds):>9}  {cycles or '':>9}".rstrip(), flush=True)

    n = 1024 if options.n is None else options.n
    result = scores(n, options.records, options.seed, phase)
    exchange, count = result.exchange, len(result.plain)
    equal = sum(a == b for a, b in zip(result.decrypted, result.plain, strict=True))
    print(f"\ndesign       n = {n}, {exchange.recipe}")
    print(f"             {tools}")
    print(f"cycles       {exchange.cycles} of its clock")
    print(
        f"\n{exchange.equal_words} of {exchange.words} words of the product and of the result "
        "behind it are those of the textbook scheme"
    )
    print(f"{equal} of {count} decrypted scores equal the plaintext computation")
    print("PASSED" if result.passed else "FAILED")
    return 0 if result.passed else 1


class _ServerProgress:
    """Prints phases as they end; a bar for the server's ciphertexts on a terminal."""

    def __init__(self) -> None:
        self._bar: Any = None
        print(f"  {'who':<6}  {'phase':<28}{'time':>9}  {'bytes':>9}")

    def __call__(self, done: int, of: int) -> None:
        if not sys.stderr.isatty():
            print(f"server: {done}/{of} ciphertexts scored", file=sys.stderr, flush=True)
            return
        if self._bar is None:
            from tqdm import tqdm

            self._bar = tqdm(total=of, desc="server", unit="ciphertext", leave=False)
        self._bar.update(done - self._bar.n)
        if done == of:
            self._bar.close()

    def phase(self, phase: Phase) -> None:
        byte_count = size(phase.byte_count) if phase.byte_count is not None else ""
        line = f"  {phase.who}  {phase.name:<28}{duration(phase.seconds):>9}  {byte_count:>9}"
        print(f"{line}  {phase.remark}".rstrip(), flush=True)


def _summary(result: Result, out: Path) -> None:
    from .machines import recipe_facts
    from .page import metrics

    count = len(result.scores)
    p = result.parameters
    print("\nfiles        " + ", ".join(f"{k} {size(v)}" for k, v in result.sent.items()))
    print("             " + ", ".join(f"{k} {size(v)}" for k, v in result.received.items()))
    print(
        f"parameters   n = {p.n}, log2 Q = {p.q_bits}, t = {p.t}, "
        f"{p.security_verdict()[0]} bits of security\n"
        f"             by the {p.security_source}"
    )
    print(f"client       cpu: {result.client_machine}")
    print(f"server       {result.server_device}: {result.server_machine}")
    print("NTT recipe   {}, {}, {}, threads {}".format(*recipe_facts(result.server_recipe)))
    print(
        "\nnoise left   "
        + ", ".join(f"{s['name']}: {s['bits']:.0f}" for s in result.noise)
        + " bits"
    )
    test = int(result.patients.held_out.sum())
    print(f"\non {test} held-out patients:")
    rows = [
        [name, f"{100 * m['accuracy']:.2f} %", f"{m['auc']:.4f}"]
        for name, m in metrics(result).items()
    ]
    print(table(["", "accuracy", "AUC"], rows))
    print(f"\n{result.equal_scores} of {count} decrypted scores equal the plaintext computation")
    print(
        f"{result.equal_refined} of {count} decrypted refinements equal the plaintext computation"
    )
    of_scores, of_refined = result.differences
    real = result.real
    print(
        f"by CKKS, nearly: scores within {of_scores:.2g}, by the error that they carry within "
        f"{real.promised:.2g},\n  and {result.equal_rounded} of {count} equal when rounded; "
        f"probabilities within {of_refined:.2g};\n"
        f"  computed in {duration(real.seconds)}, n = {real.choice.parameters.n}, keys "
        f"{size(real.choice.evaluation_keys_bytes)}, ciphertexts {size(real.sent)}, results "
        f"{size(real.received)}"
    )
    if result.repeated_files is not None:
        print(
            f"{result.equal_files} of {result.repeated_files} ciphertexts of "
            f"{result.server_device} have the bytes of the CPU"
        )
    print(f"{'PASSED' if result.passed else 'FAILED'} in {duration(result.seconds)}")
    print(f"\npage: {out / 'index.html'}")
