# SPDX-License-Identifier: Apache-2.0
"""The options ``--scheduler`` and ``--tls-...`` that commands with long work share."""

from __future__ import annotations

import argparse
import contextlib
import importlib
from pathlib import Path
from typing import Any

from .._providers import remedy
from ..errors import UnsupportedError


def add_scheduler(parser: argparse.ArgumentParser) -> None:
    """Adds the options."""
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="a Dask scheduler, tcp://HOST:PORT or tls://HOST:PORT, whose workers do the work",
    )
    for name, text in (
        ("ca", "certificate of the authority"),
        ("cert", "certificate of this client"),
        ("key", "its private key"),
    ):
        parser.add_argument(f"--tls-{name}", type=Path, metavar="FILE", help=f"PEM: {text}")


def on_scheduler(options: argparse.Namespace) -> contextlib.AbstractContextManager[None]:
    """A block in which what runs in several processes runs on the scheduler, if one is given."""
    files = (options.tls_ca, options.tls_cert, options.tls_key)
    if options.scheduler is None and files == (None, None, None):
        return contextlib.nullcontext()
    try:
        scheduler: Any = importlib.import_module("nttforge_cluster.scheduler")
    except ImportError as error:
        needed = f"--scheduler needs the package nttforge-cluster: {remedy('nttforge-cluster')}"
        raise UnsupportedError(needed) from error
    block: contextlib.AbstractContextManager[None] = scheduler.scheduled(
        options.scheduler, scheduler.Certificates.of(*files)
    )
    return block
