# SPDX-License-Identifier: Apache-2.0
"""The options ``--scheduler`` and ``--tls-...`` that commands with long work share."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

from .._scheduler import Certificates, scheduled


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


def certificates(options: argparse.Namespace) -> Certificates | None:
    """Those that were given, checked."""
    return Certificates.of(options.tls_ca, options.tls_cert, options.tls_key)


def on_scheduler(options: argparse.Namespace) -> contextlib.AbstractContextManager[None]:
    """A block in which what runs in several processes runs on the scheduler, if one is given."""
    return scheduled(options.scheduler, certificates(options))
