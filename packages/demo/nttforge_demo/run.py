# SPDX-License-Identifier: Apache-2.0
"""The demonstration from start to end: client, server process, comparison, page."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nttforge._processes import started
from nttforge.console.output import duration
from nttforge.errors import NttforgeError

from . import model as models
from .client import Client, choose_parameters
from .machines import description
from .real import real_scores
from .result import Clock, Phase, Result

if TYPE_CHECKING:
    from nttforge.typing import DeviceName


def run(
    out: Path,
    n: int = 16384,
    records: int | None = None,
    threads: int = 0,
    seed: str | None = None,
    keep_files: bool = False,
    device: DeviceName = "cpu",
    report: Callable[[Phase], None] = lambda phase: None,
    server_progress: Callable[[int, int], None] = lambda done, of: None,
) -> Result:
    """Runs everything and writes the page to ``out``; nothing appears there before all is done.

    The client computes on the CPU, the server on ``device``. If that is a GPU, the CPU then repeats
    the server's work, and the bytes of every ciphertext are compared.

    Raises
    ------
    NttforgeError
        The parameters do not fit, or the server failed; the message says why.
    """
    from .page import write_page

    out = Path(out).resolve()
    _check_place(out, keep_files)
    machines = description("cpu"), description(device)  # throws before anything is computed
    out.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".demo-", dir=out.parent))
    try:
        start = time.perf_counter()
        clock = Clock(report)
        exchange = work / "exchange"
        result = _score(exchange, n, records, threads, seed, device, clock, server_progress)
        result.client_machine, result.server_machine = machines
        result.phases = clock.phases
        result.seconds = time.perf_counter() - start
        with clock.time("client", "draw the page"):
            write_page(work, result)
        if not keep_files:
            shutil.rmtree(exchange)
        _publish(work, out)
        return result
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _check_place(out: Path, keep_files: bool) -> None:
    """Check that nothing but an earlier run's files is in the way."""
    if out.exists() and not out.is_dir():
        raise NttforgeError(f"{out} is not a folder: choose another place for the page")
    exchange = out / "exchange"
    ours = (exchange / "to_server" / "job.json").is_file()
    if keep_files and exchange.exists() and not ours:
        raise NttforgeError(
            f"{exchange} is in the way and is not of an earlier run: move it, or choose another "
            "place for the page"
        )


def _score(
    exchange: Path,
    n: int,
    records: int | None,
    threads: int,
    seed: str | None,
    device: DeviceName,
    clock: Clock,
    server_progress: Callable[[int, int], None],
) -> Result:
    with clock.time("client", "load data, train model") as details:
        everyone = models.load_patients()
        model = models.train(everyone)
        patients = everyone if records is None else models.load_patients(records)
        x = model.quantise(patients.features)
        details["remark"] = f"{len(x)} patients, 30 features; model of integers"
    with clock.time("client", "parameters and tables") as details:
        parameters = choose_parameters(model, n)
        client = Client(parameters, threads, seed)
        details["remark"] = (
            f"n = {n:,}, log2 Q = {parameters.q_bits}, t of {parameters.t.bit_length()} bits"
        )
    sizes = parameters.serialized_sizes()
    with clock.time("client", "make keys") as details:
        steps = client.make_keys()
        details["byte_count"] = len(steps) * sizes["rotation_key"] + sum(
            sizes[key] for key in ("secret_key", "public_key", "relinearization_key")
        )
        details["remark"] = f"rotations by {', '.join(map(str, steps))} only"
    with clock.time("client", "encrypt model") as details:
        encrypted_model = client.encrypt_model(model)
        details["byte_count"] = len(encrypted_model) * sizes["ciphertext_seeded"]
        details["remark"] = "weights, a, b, c: by the secret key, half the bytes"
    with clock.time("client", "encrypt records") as details:
        encrypted_records = client.encrypt_records(x)
        details["byte_count"] = len(encrypted_records) * sizes["ciphertext"]
        count = len(encrypted_records)
        details["remark"] = f"{count} ciphertext{'s' * (count != 1)}, by the public key"
    with clock.time("client", "write files") as details:
        sent = client.send(exchange / "to_server", encrypted_model, encrypted_records, threads)
        details["byte_count"] = sum(sent.values())
    noise = [
        {
            "name": "fresh x",
            "bits": client.noise_budget(encrypted_records[0]),
            "predicted_bits": encrypted_records[0].predicted_noise_budget_bits,
        }
    ]

    server = _run_server(exchange, device, clock, server_progress)
    outbox = exchange / "from_server"
    batches = len(encrypted_records)
    with clock.time("client", "decrypt results") as details:
        scores = client.open_results(outbox, "score", batches, len(x))
        refined = client.open_results(outbox, "refined", batches, len(x))
        received = _bytes_by_kind(outbox)
        details["byte_count"] = received["encrypted results"]
    with clock.time("client", "measure noise") as details:
        measured = client.measure_trace(outbox, server["steps"])
        details["remark"] = "first batch, with the secret key; not part of the job"
    for step, bits in zip(server["steps"], measured, strict=True):
        noise.append({**step, "bits": bits})
    with clock.time("client", "all again by CKKS") as details:
        real = real_scores(model, x, threads, seed)
        details["byte_count"] = real.sent + real.received + real.choice.evaluation_keys_bytes
        details["remark"] = (
            f"real numbers, n = {real.choice.parameters.n:,}; computed in {duration(real.seconds)}"
        )
    repeated, equal = None, 0
    if device != "cpu":
        with clock.time("client", "repeat on the CPU, compare") as details:
            repeated, equal = _repeat_on_cpu(exchange)
            details["remark"] = f"{equal} of {repeated} ciphertexts have the server's bytes"
    plain = model.scores(x)
    return Result(
        patients=patients,
        model=model,
        parameters=parameters,
        float_scores=model.float_scores(patients.features),
        plain_scores=plain,
        plain_refined=model.refine(plain),
        scores=scores,
        refined=refined,
        real=real,
        sent=sent,
        received=received,
        noise=noise,
        client_recipe=client.context.recipe,
        server_recipe=server["recipe"],
        server_device=device,
        repeated_files=repeated,
        equal_files=equal,
        batches=batches,
        threads=threads,
        seeded=seed is not None,
    )


def _run_server(
    exchange: Path, device: DeviceName, clock: Clock, server_progress: Callable[[int, int], None]
) -> dict[str, Any]:
    """Starts the server process on the directory, waits, and returns its report."""
    start = time.perf_counter()
    report = _serve(exchange, server_progress, "--device", device)
    wall = time.perf_counter() - start
    phases = report["phases"]
    clock.add(Phase("server", "start the process", wall - sum(p["seconds"] for p in phases)))
    for phase in phases:
        clock.add(Phase("server", **phase))
    return report


def _repeat_on_cpu(exchange: Path) -> tuple[int, int]:
    """How many ciphertexts a server on the CPU makes, and how many are, byte for byte, the same."""
    _serve(exchange, lambda done, of: None, "--outbox", "from_cpu")
    ours = {f.name: f.read_bytes() for f in (exchange / "from_cpu").glob("*.ct")}
    files = {f.name: f.read_bytes() for f in (exchange / "from_server").glob("*.ct")}
    return len(ours.keys() | files.keys()), sum(files.get(k) == v for k, v in ours.items())


def _serve(exchange: Path, progress: Callable[[int, int], None], *words: str) -> dict[str, Any]:
    """A server process from start to end; its report."""
    with started(
        [sys.executable, "-m", "nttforge_demo.server", str(exchange), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        if process.stdout is not None:
            for line in process.stdout:
                event = json.loads(line)
                progress(event["done"], event["of"])
        _, errors = process.communicate()
    if process.returncode != 0:
        message = errors.strip().splitlines()[-1] if errors.strip() else "no message"
        raise NttforgeError(f"the server stopped with code {process.returncode}: {message}")
    outbox = exchange / (words[1] if words[0] == "--outbox" else "from_server")
    report: dict[str, Any] = json.loads((outbox / "report.json").read_text("utf-8"))
    return report


def _bytes_by_kind(outbox: Path) -> dict[str, int]:
    sizes = {f.name: f.stat().st_size for f in outbox.iterdir()}
    return {
        "encrypted results": sum(
            s for name, s in sizes.items() if name.startswith(("score_", "refined_"))
        ),
        "trace for the noise plot": sum(
            s for name, s in sizes.items() if name.startswith("trace_")
        ),
    }


def _publish(work: Path, out: Path) -> None:
    """Moves the finished files to ``out``, replacing those of an earlier run."""
    out.mkdir(parents=True, exist_ok=True)
    for item in work.iterdir():
        target = out / item.name
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        item.replace(target)
