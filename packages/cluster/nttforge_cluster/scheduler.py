# SPDX-License-Identifier: Apache-2.0
"""Dask: the connection of this process to a scheduler, certificates, which executor runs.

:func:`scheduled` makes a connection on which commands with long work compute within its block
(:data:`nttforge._parallel.elsewhere`). Whoever speaks to Dask refuses secret keys from then on, and
whoever has had one does not speak to Dask (:mod:`nttforge._secrecy`).
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import logging
import socket
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from nttforge._extras import install_command
from nttforge._parallel import elsewhere
from nttforge._secrecy import refuse_secrets
from nttforge.errors import ClusterError, ParameterError, UnsupportedError

T = TypeVar("T")
R = TypeVar("R")

_SCHEMES = ("tcp://", "tls://", "ws://", "wss://", "ucx://")


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


#: What starting and reaching workers takes, as packages/cluster requires it.
DASK = ("dask>=2026.1,<2027", "distributed>=2026.1,<2027", "fsspec>=2024.2")


def dask(name: str) -> Any:
    """A module of Dask or of what comes with it, or an error that says how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UnsupportedError(
            f"work on several processes needs Dask, and {error}: {install_command(DASK)}"
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


def begin_dask(what: str) -> None:
    """Called before this process speaks to Dask, or anything else unpickles what others send.

    Raises
    ------
    UnsupportedError
        This process has, or had, a secret key.
    """
    refuse_secrets(
        what,
        "this process speaks to Dask, and any worker could take the key; keep it where its owner "
        "is, and encrypt and decrypt there",
    )


@contextlib.contextmanager
def dask_client(
    address: str, certificates: Certificates | None = None, seconds: float = 10
) -> Iterator[Any]:
    """A client of the scheduler at ``address``, in this process.

    Raises
    ------
    ClusterError
        Nothing answers there in time, or it refuses the certificates.
    UnsupportedError
        This process has, or had, a secret key.
    """
    check_address(address, certificates)
    client_class = dask("distributed").Client
    security = None if certificates is None else certificates.security()
    begin_dask(f"a connection to {address}")
    with settings():
        try:
            client = client_class(address, security=security, timeout=seconds, set_as_default=False)
        except (OSError, TimeoutError, ValueError, RuntimeError, TypeError) as error:
            raise ClusterError(
                f"no scheduler answers at {address} within {seconds:g} s: {_reason(error)}; start "
                "one with dask scheduler, and check address, certificates and firewall"
            ) from None
        try:
            yield client
        finally:
            close(client)


@contextlib.contextmanager
def scheduled(address: str | None, certificates: Certificates | None = None) -> Iterator[None]:
    """Within the block work runs on the scheduler (:data:`elsewhere`); without an address, here."""
    if address is None:
        if certificates is not None:
            raise ParameterError("certificates go with --scheduler: leave --tls-... out")
        yield
        return
    with quiet(), dask_client(address, certificates) as client:
        token = elsewhere.set(functools.partial(_on_workers, client))
        try:
            yield
        finally:
            elsewhere.reset(token)


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


def settings() -> contextlib.AbstractContextManager[Any]:
    """Dask's settings that long work needs, until the block ends."""
    spawn = "distributed.nanny.pre-spawn-environ"
    found: contextlib.AbstractContextManager[Any] = dask("dask").config.set(
        {
            "distributed.comm.timeouts.connect": "10s",
            # Freed memory would go back to the system after every operation, and be cleared again.
            f"{spawn}.MALLOC_TRIM_THRESHOLD_": 1 << 28,
            "distributed.worker.profile.enabled": False,
        }
    )
    return found


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """No messages of Dask in a command's process, which reports what they say in its own words."""
    loggers = [logging.getLogger(name) for name in ("distributed", "tornado.application")]
    dask("distributed")  # which sets its levels when it is imported
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def close(client: Any) -> None:
    """Ends the connection; that the other side is gone already is no error."""
    with contextlib.suppress(Exception):
        client.close(timeout=5)


def _reason(error: BaseException) -> str:
    cause: BaseException | None = error
    while cause is not None and cause.__cause__ is not None:
        cause = cause.__cause__
    return " ".join(f"{type(cause).__name__}: {cause}".split())


_MOST_LOST = 5  # workers that may die with one item before it is given up
_PER_THREAD = 4  # items given out for each thread of the workers, so that none waits for the next


def _on_workers(client: Any, work: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R]]:
    """Items with their results from the workers of a scheduler, a bounded number at a time."""
    distributed = dask("distributed")
    left = list(enumerate(items))[::-1]
    running: dict[Any, tuple[int, T]] = {}
    lost: dict[int, int] = {}
    title = getattr(work, "__qualname__", "work")
    try:
        while left or running:
            if client.status != "running":
                raise ClusterError("the connection to the scheduler is lost: run the same again")
            workers = workers_of(client)
            threads = sum(int(w["nthreads"]) for w in workers.values())
            while left and len(running) < max(1, _PER_THREAD * threads):
                number, item = left.pop()
                key = f"nttforge-{title}-{number}-{uuid.uuid4().hex}"
                running[client.submit(_work_of, release(), work, item, key=key, pure=False)] = (
                    number,
                    item,
                )
            done = ended(client, list(running))
            if not done and not workers:
                raise ClusterError(
                    "the scheduler has no worker: start some, with dask worker ADDRESS"
                )
            for future in done:
                number, item = running.pop(future)
                try:
                    result = future.result(timeout=60)
                except (distributed.KilledWorker, CancelledError) as error:
                    lost[number] = lost.get(number, 0) + 1
                    if lost[number] >= _MOST_LOST:
                        raise ClusterError(
                            f"{title}, item {number}: its workers died {_MOST_LOST} times: look "
                            f"into their logs, for lack of memory first ({error})"
                        ) from None
                    left.append((number, item))
                    continue
                yield item, result
    finally:
        if running and client.status == "running":
            client.cancel(list(running), force=True)


def _work_of(version: str, work: Callable[[T], R], item: T) -> R:
    """On a worker: the work, by the same release as the client's."""
    if version != release():
        raise ClusterError(
            f"a worker on {socket.gethostname()} has nttforge {release()}, and the client "
            f"{version}: install the same release on all workers"
        )
    return work(item)
