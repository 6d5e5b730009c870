# SPDX-License-Identifier: Apache-2.0
"""A server of circuits under load: many sessions at once, every answer decrypted and compared.

Each session has keys of its own. First all sessions ask without a pause, for as long as stated:
that is the most that the server does. Then requests come at random (exponential gaps) at half that
rate, and times from a request's due moment to its answer are what is stated. Clients and server
share the machine. Answers other than right ones and 429 are errors, and end with exit code 1.

    python bench/serve_load.py --sessions 200 --seconds 120 --out bench/results/serve/load.json

With --device cuda and --batches it compares a batch of 64 requests of one session with one by one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import nttforge
from nttforge import ArraySpec, remote
from nttforge_serve import circuit
from nttforge_serve.circuits import prepare
from nttforge_serve.wire import joined

FEATURES = 30
WEIGHTS = np.arange(FEATURES) % 13 - 6


@circuit(x=ArraySpec((FEATURES,), -15, 15))
def risk(x: Any) -> Any:
    """A patient's score, and a polynomial of degree 2 of it."""
    s = x @ WEIGHTS + 11
    return s, s * s * 3 + s * 5 + 7


def distinct(seed: int) -> Any:
    return np.random.default_rng(seed).integers(-15, 16, FEATURES)


class Sessions:
    """A part of the sessions, each in a thread of this process."""

    def __init__(self, url: str, first: int, count: int) -> None:
        contract = remote.connect(url).circuit("risk").contract
        self.failures: list[str] = []
        self.times: list[float] = []
        self.sessions, self.requests = [], []
        for i in range(first, first + count):
            server = remote.connect(url, patience=600)
            session = remote.RemoteCircuit(server, contract).open(threads=1)
            values = distinct(i)
            self.sessions.append(session)
            self.requests.append((session.encrypt(values), [int(v) for v in risk(values)]))

    def run(self, seconds: float, rate: float) -> None:
        """Asks for so long; ``rate`` requests a second of all, or without a pause if 0."""
        self.times, self.failures = [], []
        count = len(self.sessions)
        threads = [
            threading.Thread(target=self._ask, args=(i, seconds, rate / count))
            for i in range(count)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _ask(self, i: int, seconds: float, rate: float) -> None:
        session, (request, wanted) = self.sessions[i], self.requests[i]
        begun = due = time.perf_counter()
        while True:
            due = due + random.expovariate(rate) if rate else time.perf_counter()
            if due - begun > seconds:
                return
            time.sleep(max(0.0, due - time.perf_counter()))
            try:
                answer = session.send(request)
                self.times.append(time.perf_counter() - due)
                found = [int(v) for v in session.decrypt(answer)]
                if found != wanted:
                    self.failures.append(f"session {i}: {found} is not {wanted}")
            except Exception as error:
                self.failures.append(f"session {i}: {type(error).__name__}: {error}")

    def close(self) -> None:
        for session in self.sessions:
            session.close()


def client(url: str, first: int, count: int, pipe: Any) -> None:
    """A process of sessions: told how long and how fast, it answers with times and failures."""
    sessions = Sessions(url, first, count)
    pipe.send(len(sessions.sessions))
    while (order := pipe.recv()) is not None:
        sessions.run(*order)
        pipe.send((sessions.times, sessions.failures[:5], len(sessions.failures)))
    sessions.close()
    pipe.send(None)


def figures(url: str) -> tuple[dict[str, float], float]:
    """Answers by status, and the stated bound on memory."""
    text = urllib.request.urlopen(f"{url}/metrics").read().decode()
    found: dict[str, float] = {}
    for status, count in re.findall(r'answers_total\{[^}]*status="(\d+)"[^}]*\} (\S+)', text):
        found[status] = found.get(status, 0) + float(count)
    bound = re.search(r"^nttforge_serve_memory_bound_bytes (\S+)", text, re.MULTILINE)
    requests = re.search(r'batch_requests_sum\{circuit="risk"\} (\S+)', text)
    batches = re.search(r'batch_requests_count\{circuit="risk"\} (\S+)', text)
    if requests and batches:
        found["requests a batch"] = round(float(requests[1]) / float(batches[1]), 2)
    return found, float(bound[1]) if bound else 0.0


def peak(process: int) -> int:
    """The most memory that a process had."""
    text = Path(f"/proc/{process}/status").read_text()
    return int(text.split("VmHWM:")[1].split()[0]) * 1024


def machine() -> str:
    """The processor in words."""
    cpu = nttforge.describe_cpu()
    threads = f"{cpu.hardware_threads} hardware threads"
    return f"{cpu.brand}, {threads}, target {nttforge.active_target()}"


def load(options: argparse.Namespace) -> dict[str, Any]:
    """Both parts, against a server in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "nttforge", "serve", __file__, "--port", "0"]
        command += ["--data", folder, "--sessions-per-address", str(options.sessions + 1)]
        command += ["--requests", str(options.requests), "--keys-memory", options.keys_memory]
        command += ["--device", options.device]
        log = Path(folder) / "log"
        with (
            log.open("w") as stderr,
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True) as server,
        ):
            assert server.stdout is not None
            url = next(line for line in server.stdout if line.startswith("serving")).split()[1]
            try:
                document = _measured(url, server.pid, options)
            finally:
                server.terminate()
            document["server_exit_code"] = server.wait(60)
        return document


def _measured(url: str, process: int, options: argparse.Namespace) -> dict[str, Any]:
    parts, spawned = [], get_context("spawn")
    share = -(-options.sessions // options.processes)
    begun = time.perf_counter()
    for first in range(0, options.sessions, share):
        here, there = spawned.Pipe()
        count = min(share, options.sessions - first)
        one = spawned.Process(target=client, args=(url, first, count, there))
        one.start()
        parts.append((one, here))
    opened = sum(pipe.recv() for _, pipe in parts)
    print(f"{opened} sessions opened in {time.perf_counter() - begun:.1f} s", flush=True)

    def run(seconds: float, rate: float) -> tuple[list[float], list[str], int, float]:
        began = time.perf_counter()
        for _, pipe in parts:
            pipe.send((seconds, rate / len(parts)))
        answers = [pipe.recv() for _, pipe in parts]
        times = sorted(t for found, _, _ in answers for t in found)
        failures = [text for _, found, _ in answers for text in found]
        spent = time.perf_counter() - began
        return times, failures, sum(count for _, _, count in answers), spent

    full, failures, failed, spent = run(options.seconds, 0)
    busy, bound = figures(url)
    rate = len(full) / spent
    print(f"full load: {len(full)} answers in {spent:.0f} s, {rate:.1f} a second", flush=True)
    half, more, failed_too, _ = run(options.seconds, rate / 2)
    for _, pipe in parts:
        pipe.send(None)
    for one, pipe in parts:
        pipe.recv()
        one.join()
    statuses, _ = figures(url)
    for text in failures + more:
        print(text, file=sys.stderr)
    chosen = prepare(risk).contract
    return {
        "schema": "nttforge-serve-load-1",
        "machine": machine(),
        "device": options.device,
        "cores_shared_by_clients_and_server": len(os.sched_getaffinity(0)),
        "load_average_before": options.load,
        "circuit": {
            "n": chosen.parameters.n,
            "q_bits": chosen.parameters.q_bits,
            "keys_bytes": chosen.keys_bytes,
            "request_bytes": chosen.request_bytes,
        },
        "sessions": opened,
        "seconds": options.seconds,
        "full_load": _times(full) | {"answers_a_second": round(rate, 1), "failures": failed,
                                     "refused_429": int(busy.get("429", 0)),
                                     "requests_a_batch": busy.get("requests a batch")},
        "half_load": _times(half) | {"failures": failed_too, "offered_a_second": round(rate / 2, 1),
            "refused_429": int(statuses.get("429", 0) - busy.get("429", 0))},
        "statuses": {k: int(v) for k, v in statuses.items() if k.isdigit()},
        "memory_peak_bytes": peak(process),
        "memory_stated_bytes": int(bound),
    }  # fmt: skip


def _times(times: list[float]) -> dict[str, Any]:
    def at(share: float) -> float:
        return round(times[min(len(times) - 1, int(share * len(times)))], 4)

    return {"answers": len(times), "p50_s": at(0.5), "p95_s": at(0.95), "p99_s": at(0.99)}


def batches(options: argparse.Namespace) -> dict[str, Any]:
    """A batch of 64 requests of one session, and the same one by one, without a network."""
    prepared = prepare(risk, 1, options.device)
    contract = prepared.contract
    keys = contract.make_keys(contract.make_context())
    held = keys.evaluation.to(prepared.context)
    texts = [
        contract.inputs["x"].encrypt(distinct(i), keys.secret).text.to_bytes() for i in range(64)
    ]
    bodies = [joined([text]) for text in texts]
    rounds: dict[str, list[float]] = {"batch": [], "alone": []}
    for round_ in range(options.rounds + 1):
        begun = time.perf_counter()
        together = prepared.compute(bodies, held)
        middle = time.perf_counter()
        alone = [prepared.compute([body], held)[0] for body in bodies]
        end = time.perf_counter()
        if together != alone:
            sys.exit("serve_load.py: a batch gave other words than its requests alone")
        if round_:
            rounds["batch"].append(middle - begun)
            rounds["alone"].append(end - middle)
    batch, single = (statistics.median(rounds[name]) for name in ("batch", "alone"))
    return {
        "schema": "nttforge-serve-batch-1",
        "machine": machine(),
        "device": options.device,
        "requests": len(bodies),
        "n": contract.parameters.n,
        "seconds_batch": round(batch, 5),
        "seconds_one_by_one": round(single, 5),
        "speedup": round(single / batch, 2),
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--sessions", type=int, default=200)
    add("--seconds", type=float, default=120, help="of each part")
    add("--processes", type=int, default=2, help="processes of clients")
    add("--requests", type=int, default=128, help="places of the server")
    add("--keys-memory", default="2GiB")
    add("--device", default="cpu")
    add("--batches", action="store_true", help="a batch beside one by one, and nothing else")
    add("--rounds", type=int, default=5, help="of --batches")
    add("--out", type=Path)
    options = parser.parse_args()
    options.load = os.getloadavg()[0]
    document = batches(options) if options.batches else load(options)
    text = json.dumps(document, indent=1)
    print(text)
    if options.out is not None:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(text + "\n")
    failed = sum(document.get(part, {}).get("failures", 0) for part in ("full_load", "half_load"))
    wrong = set(document.get("statuses", {})) - {"200", "201", "204", "429"}
    over = document.get("memory_peak_bytes", 0) > document.get("memory_stated_bytes", 1)
    return 1 if failed or wrong or over else 0


if __name__ == "__main__":
    sys.exit(main())
