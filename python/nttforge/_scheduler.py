# SPDX-License-Identifier: Apache-2.0
"""Dask: the connection to a scheduler, workers on this machine, certificates, which executor runs.

This is the one place that decides where long work runs. :func:`scheduled` makes a connection that
:func:`nttforge._parallel.run_parallel` takes within its block.
"""

from __future__ import annotations

import contextlib
import contextvars
import importlib
import tempfile
from collections.abc import Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._extras import install_command
from .errors import ClusterError, ParameterError, UnsupportedError

MOST_WORKERS = 1024
_ALLOWED_FAILURES = 20  # deaths of workers that one task survives, on workers of this machine
_SCHEMES = ("tcp://", "tls://", "ws://", "wss://", "ucx://")

_client: contextvars.ContextVar[Any] = contextvars.ContextVar("nttforge-scheduler", default=None)


@dataclass(frozen=True)
class Certificates:
    """Files in PEM that Dask asks for: the authority's certificate, ours, and our private key."""

    ca: Path
    cert: Path
    key: Path

    @classmethod
    def of(cls, ca: Path | None, cert: Path | None, key: Path | None) -> Certificates | None:
        """Checks the three options that name them; None without any.

        Raises
        ------
        ParameterError
            Some are given and not all, or a file is not there.
        """
        given = {"--tls-ca": ca, "--tls-cert": cert, "--tls-key": key}
        missing = [name for name, path in given.items() if path is None]
        if len(missing) == 3:
            return None
        if missing:
            raise ParameterError(f"{' and '.join(missing)} missing: TLS needs all three files")
        for name, path in given.items():
            if path is not None and not path.is_file():
                raise ParameterError(
                    f"{name} {path} does not exist: nttforge cluster certificates makes all files"
                )
        assert ca is not None and cert is not None and key is not None
        return cls(ca, cert, key)

    def security(self) -> Any:
        """The object that Dask takes."""
        security = dask("distributed.security").Security
        files = {"tls_ca_file": str(self.ca)}
        for role in ("client", "scheduler", "worker"):
            files |= {f"tls_{role}_cert": str(self.cert), f"tls_{role}_key": str(self.key)}
        return security(require_encryption=True, **files)


def dask(name: str) -> Any:
    """A module of Dask or of what comes with it, or an error that says how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UnsupportedError(
            f"work on several processes needs Dask, and {error}: {install_command('cluster')}"
        ) from None


def check_address(address: str, certificates: Certificates | None) -> None:
    """Raises ParameterError unless this can be a scheduler's address with these certificates."""
    if not address.startswith(_SCHEMES) or ":" not in address.split("://", 1)[1]:
        raise ParameterError(
            f"--scheduler {address!r} is no address: need tcp://HOST:PORT or tls://HOST:PORT, as "
            "dask scheduler prints it"
        )
    if address.startswith("tls://") and certificates is None:
        raise ParameterError(
            f"--scheduler {address} asks for TLS: give --tls-ca, --tls-cert and --tls-key"
        )
    if address.startswith("tcp://") and certificates is not None:
        raise ParameterError(
            f"--scheduler {address} has no TLS, and certificates are given: use a tls:// address"
        )


@contextlib.contextmanager
def connected(
    address: str, certificates: Certificates | None = None, seconds: float = 10
) -> Iterator[Any]:
    """A client of the scheduler at ``address``.

    Raises
    ------
    ClusterError
        Nothing answers there in time, or it refuses the certificates.
    """
    check_address(address, certificates)
    client_class = dask("distributed").Client
    security = None if certificates is None else certificates.security()
    _quiet()
    try:
        client = client_class(address, security=security, timeout=seconds, set_as_default=False)
    except (OSError, TimeoutError, ValueError, RuntimeError, TypeError) as error:
        raise ClusterError(
            f"no scheduler answers at {address} within {seconds:g} s: {_reason(error)}; start one "
            "with dask scheduler, and check address, certificates and firewall"
        ) from None
    try:
        yield client
    finally:
        _quiet_close(client)


@contextlib.contextmanager
def local_workers(
    count: int, cards: bool = False, certificates: Certificates | None = None
) -> Iterator[Any]:
    """A client of a scheduler in this process with worker processes of one thread each.

    Parameters
    ----------
    count : int
        Processes, 1 ... 1024.
    cards : bool
        Each worker sees one GPU, the next in turn, as its ``cuda``.
    certificates : Certificates, optional
        TLS between all of them.
    """
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_WORKERS:
        raise ParameterError(f"--local {count} must be in 1 ... {MOST_WORKERS}: worker processes")
    distributed = dask("distributed")
    _quiet()
    secure: dict[str, Any] = {"protocol": "tcp://"}
    if certificates is not None:
        secure = {"protocol": "tls://", "security": certificates.security()}
    with tempfile.TemporaryDirectory(prefix="nttforge-workers-") as scratch:
        common = {"host": "127.0.0.1", "dashboard_address": ":0", **secure}
        workers = {
            i: {
                "cls": distributed.Nanny,
                "options": {
                    "nthreads": 1,
                    "local_directory": scratch,
                    "memory_limit": 0,  # a batch is sized beforehand; no data rests in workers
                    "env": worker_environment(i if cards else None),
                    "silence_logs": 40,
                    **common,
                },
            }
            for i in range(count)
        }
        options = {"allowed_failures": _ALLOWED_FAILURES, **common}
        cluster = distributed.SpecCluster(
            scheduler={"cls": distributed.Scheduler, "options": options},
            workers=workers,
            silence_logs=40,
            security=secure.get("security"),
        )
        client = None
        try:
            client = distributed.Client(cluster, set_as_default=False)
            yield client
        finally:
            if client is not None:
                _quiet_close(client)
            with contextlib.suppress(Exception):
                cluster.close(timeout=20)


def worker_environment(card: int | None) -> dict[str, str]:
    """What a worker's process gets: one thread for compute, and one card or none by name."""
    found = {"NTTFORGE_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return found if card is None else found | {"CUDA_VISIBLE_DEVICES": str(card)}


@contextlib.contextmanager
def scheduled(address: str | None, certificates: Certificates | None = None) -> Iterator[None]:
    """Within the block :func:`run_parallel` runs on the scheduler; without an address, here."""
    if address is None:
        if certificates is not None:
            raise ParameterError("certificates go with --scheduler: leave --tls-... out")
        yield
        return
    with connected(address, certificates) as client:
        token = _client.set(client)
        try:
            yield
        finally:
            _client.reset(token)


def chosen_client() -> Any:
    """The client of the innermost :func:`scheduled` block, or None: this machine's processes."""
    return _client.get()


def ended(client: Any, futures: list[Any], seconds: float = 1) -> set[Any]:
    """Those futures that are no longer pending, after the first of them or after ``seconds``."""
    distributed = dask("distributed")
    with client.as_current(), contextlib.suppress(TimeoutError, CancelledError):
        distributed.wait(futures, timeout=seconds, return_when="FIRST_COMPLETED")
    return {future for future in futures if future.status != "pending"}


def release() -> str:
    """The installed release of this package; "" where it runs from its sources."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("nttforge")
    except PackageNotFoundError:
        return ""


def workers_of(client: Any) -> dict[str, Any]:
    """Address of each worker with what the scheduler knows of it."""
    return dict(client.scheduler_info(n_workers=-1).get("workers", {}))


def _quiet() -> None:
    import logging

    settings = dask("dask").config
    spawn = "distributed.nanny.pre-spawn-environ"
    settings.set(
        {
            "distributed.comm.timeouts.connect": "10s",
            # Freed memory would go back to the system after every operation, and be cleared again.
            f"{spawn}.MALLOC_TRIM_THRESHOLD_": 1 << 28,
            "distributed.worker.profile.enabled": False,
        }
    )
    for name in ("distributed", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _quiet_close(client: Any) -> None:
    with contextlib.suppress(Exception):
        client.close(timeout=5)


def _reason(error: BaseException) -> str:
    cause: BaseException | None = error
    while cause is not None and cause.__cause__ is not None:
        cause = cause.__cause__
    return " ".join(f"{type(cause).__name__}: {cause}".split())
