# SPDX-License-Identifier: Apache-2.0
"""A scheduler in this process with worker processes of this machine, which nobody else can reach.

All of them listen on 127.0.0.1 and take connections by TLS only, with a certificate that is made
for this run and kept in memory. There is no web server unless it is asked for.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from typing import Any

from nttforge._extras import install_command
from nttforge.errors import UnsupportedError

from .scheduler import Certificates, begin_dask, close, dask, settings

distributed = dask("distributed")

_ALLOWED_FAILURES = 20  # deaths of workers that one task survives
_HOST = "127.0.0.1"
#: So long after a worker's death Dask looks for one of its name; without one it closes the nanny
#: that would start it again, for good. A worker that was killed a second time is just being started
#: then, and a busy machine takes longer to start one: none is given up while the block lasts.
_GIVEN_UP_AFTER = {"distributed.deploy.lost-worker-timeout": "1000000 hours"}


class _Scheduler(distributed.Scheduler):  # type: ignore
    def start_http_server(self, *arguments: Any, **options: Any) -> None:
        """None: it would answer everybody on this machine, without certificates."""


class _Worker(distributed.Worker):  # type: ignore
    def start_http_server(self, *arguments: Any, **options: Any) -> None:
        """As the scheduler's."""


@contextlib.contextmanager
def local_client(
    count: int,
    cards: bool = False,
    certificates: Certificates | None = None,
    dashboard: bool = False,
) -> Iterator[Any]:
    """A client of a scheduler in this process with ``count`` worker processes of one thread each.

    Parameters
    ----------
    count : int
    cards : bool
        Each worker sees one GPU, the next in turn, as its ``cuda``.
    certificates : Certificates, optional
        For TLS between all of them; by default one that is made for this run.
    dashboard : bool
        The scheduler's web server, on a free port of 127.0.0.1, for everybody on this machine.

    Raises
    ------
    UnsupportedError
        This process has, or had, a secret key; or certificates are to be made, and the package
        cryptography is missing.
    """
    begin_dask("a scheduler of Dask")
    security = _temporary() if certificates is None else certificates.security()
    common = {"host": _HOST, "protocol": "tls://", "security": security}
    scheduler: dict[str, Any] = {"cls": _Scheduler}
    served: dict[str, Any] = {}
    if dashboard:
        scheduler = {"cls": distributed.Scheduler}
        served = {"dashboard_address": f"{_HOST}:0", "dashboard": True}
    with (
        settings(),
        dask("dask").config.set(_GIVEN_UP_AFTER),
        tempfile.TemporaryDirectory(prefix="nttforge-workers-") as scratch,
    ):
        workers = {
            i: {
                "cls": distributed.Nanny,
                "options": {
                    "worker_class": _Worker,
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
        options = {"allowed_failures": _ALLOWED_FAILURES, **served, **common}
        cluster = distributed.SpecCluster(
            scheduler={**scheduler, "options": options},
            workers=workers,
            silence_logs=40,
            security=security,
        )
        client = None
        try:
            client = distributed.Client(cluster, set_as_default=False)
            yield client
        finally:
            if client is not None:
                close(client)
            with contextlib.suppress(Exception):
                cluster.close(timeout=20)


def _temporary() -> Any:
    """A certificate of its own authority, with a key that is nowhere else, valid for this run."""
    try:
        return distributed.Security.temporary()
    except ImportError:
        raise UnsupportedError(
            "workers on this machine are reached by TLS, and certificates for it need the package "
            f"cryptography: {install_command(('cryptography>=42',))}; or give certificates, which "
            "nttforge cluster certificates makes"
        ) from None


def worker_environment(card: int | None) -> dict[str, str]:
    """What a worker's process gets: one thread for compute, and one card or none by name."""
    found = {"NTTFORGE_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return found if card is None else found | {"CUDA_VISIBLE_DEVICES": str(card)}
