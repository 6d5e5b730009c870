# SPDX-License-Identifier: Apache-2.0
"""A small encrypted dataset with its keys, and processes of Dask on loopback."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

import nttforge
from nttforge import bfv
from nttforge.encrypted.kinds import EVALUATION, PARAMETERS
from nttforge_cluster import EncryptedDataset

ROWS = 8192
BOUNDS = {"a": (-3, 3), "b": (0, 1)}


@dataclass(frozen=True)
class Home:
    """Keys in folders as the commands have them, and a dataset of eight partitions."""

    folder: Path
    keys: bfv.Keys
    table: dict[str, NDArray[np.int64]]
    dataset: EncryptedDataset

    @property
    def server(self) -> Path:
        """The folder of keys without a secret."""
        return self.folder / "keys"


def make_home(folder: Path, parts: int = 8) -> Home:
    context = bfv.Context(bfv.Parameters.preset(8192, nttforge.ntt_primes(8192, 24)[0]))
    steps = [1 << i for i in range(12)]
    keys = context.generate_keys(relinearization=True, rotations=steps, swap_columns=True)
    (folder / "keys").mkdir()
    (folder / "keys" / PARAMETERS).write_bytes(context.parameters.to_bytes())
    (folder / "keys" / EVALUATION).write_bytes(keys.evaluation.to_bytes())
    rng = np.random.default_rng(5)
    size = parts * ROWS - 100
    table = {"a": rng.integers(-3, 4, size), "b": rng.integers(0, 2, size)}
    dataset = EncryptedDataset.encrypt(
        table, folder / "in", keys.secret, bounds=BOUNDS, records=ROWS
    )
    return Home(folder, keys, table, dataset)


def slow(seconds: float, begun: str = "") -> Any:
    """A map that takes its time, and leaves a file for each process that has begun one."""

    def work(a: Any, b: Any) -> Any:
        import os
        import pathlib
        import time

        if begun:
            pathlib.Path(begun, str(os.getpid())).touch()
        time.sleep(seconds)
        return {"c": 3 * a - b}

    return work


def plain(home: Home) -> NDArray[np.int64]:
    """What :func:`slow` computes."""
    return 3 * home.table["a"] - home.table["b"]


def require_equal(home: Home, result: EncryptedDataset) -> None:
    """Every record once, equal to the plain computation."""
    found = result.decrypt(home.keys.secret)["c"]
    assert found.shape == plain(home).shape
    assert (found == plain(home)).all()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def program(*words: str, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A program of Dask, ended with the block."""
    with subprocess.Popen(
        [sys.executable, "-m", "dask", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **options,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextlib.contextmanager
def outside_cluster(
    folder: Path, workers: int = 1, tls: Path | None = None, preload: Path | None = None
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A scheduler and workers in processes of their own; its address and its process."""
    port, scheme = free_port(), "tcp" if tls is None else "tls"
    address = f"{scheme}://127.0.0.1:{port}"
    secure = []
    if tls is not None:
        secure = ["--tls-ca-file", str(tls / "ca.pem"), "--tls-cert", str(tls / "cert.pem")]
        secure += ["--tls-key", str(tls / "key.pem")]
    loaded = [] if preload is None else ["--preload", str(preload)]
    where = ["--host", "127.0.0.1", "--no-dashboard"]
    common = [*secure, *loaded]
    scheme_words = ["--protocol", scheme, "--port", str(port)]
    with contextlib.ExitStack() as stack:
        scheduler = stack.enter_context(
            program("scheduler", *where, *scheme_words, *common, cwd=folder)
        )
        for i in range(workers):
            words = ["--nthreads", "1", "--no-nanny", "--name", str(i)]
            place = ["--local-directory", str(folder), "--host", "127.0.0.1", "--no-dashboard"]
            stack.enter_context(program("worker", address, *words, *place, *common, cwd=folder))
        if workers:
            waiting = [sys.executable, "-c", _WAITER, address, str(workers)]
            subprocess.run([*waiting, "" if tls is None else str(tls)], check=True, timeout=90)
        yield address, scheduler


#: Waits for the workers of a scheduler, in a process that may speak to it.
_WAITER = """
import sys
from distributed import Client, Security

address, count, tls = sys.argv[1:]
files = {"tls_client_cert": f"{tls}/cert.pem", "tls_client_key": f"{tls}/key.pem"}
files |= {"tls_ca_file": f"{tls}/ca.pem", "require_encryption": True}
security = Security(**files) if tls else None
with Client(address, security=security, timeout=60) as client:
    client.wait_for_workers(int(count), timeout=60)
"""


def processes_below(pid: int) -> list[int]:
    """The children of a process, and theirs."""
    return [child.pid for child in psutil.Process(pid).children(recursive=True)]


def listening(pids: list[int]) -> list[tuple[str, int]]:
    """Address and port of every TCP socket on which these processes listen."""
    found = psutil.net_connections("tcp")
    return [tuple(c.laddr) for c in found if c.status == psutil.CONN_LISTEN and c.pid in pids]


def wait_until(condition: Any, seconds: float = 30) -> None:
    """Polls until the condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 9)
