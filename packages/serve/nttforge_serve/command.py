# SPDX-License-Identifier: Apache-2.0
"""Serves circuits on encrypted arrays over HTTP, and holds no secret key.

examples:
  nttforge serve circuits.py                              on 127.0.0.1, port 8100
  nttforge serve circuits.py --device cuda --data keys    on a card; sessions survive a restart
  nttforge serve circuits.py --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem

circuits.py has functions with @nttforge_serve.circuit. Clients use nttforge.remote; /docs
describes the interface, /metrics has figures for Prometheus. SIGTERM or Ctrl-C end the server when
what it has begun is answered. docs/serving.md is the guide.
"""

from __future__ import annotations

import argparse
import ipaddress
import re
import tempfile
from pathlib import Path
from typing import Any

from nttforge import _secrecy
from nttforge._extras import install_command
from nttforge._system import usable_cpus
from nttforge.console.arguments import integer, number
from nttforge.console.output import size
from nttforge.errors import ParameterError, UnsupportedError

from .limits import Limits

__all__ = ["add_arguments", "run", "start"]

_UNITS = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def byte_count(text: str) -> int:
    """Bytes of a text such as 2GiB.

    >>> byte_count("1.5GiB")
    1610612736
    """
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)(KiB|MiB|GiB|TiB)", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r}: need bytes, as 500MiB or 2GiB")
    return int(float(found[1]) * _UNITS[found[2]])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("circuits", help="a Python file, or a module, with functions with @circuit")
    parser.add_argument("--page", help="a folder of static files, served at /")
    add_server_arguments(parser)


def add_server_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of any server."""
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=integer, default=8100, help="port (8100; 0: any free one)")
    parser.add_argument("--device", default="cpu", help="cpu (default), cuda, cuda:1, ...")
    parser.add_argument(
        "--workers", type=integer, help="computations at a time (cores; 2 on a card)"
    )
    parser.add_argument("--batch", type=integer, default=64, help="requests computed together (64)")
    parser.add_argument(
        "--requests", type=integer, default=256, help="requests at work at most (256)"
    )
    parser.add_argument("--sessions", type=integer, default=1024, help="sessions at most (1024)")
    parser.add_argument(
        "--sessions-per-address", type=integer, default=256, help="of one address at most (256)"
    )
    parser.add_argument(
        "--keys-memory", type=byte_count, default=2**30, help="evaluation keys in memory (1GiB)"
    )
    parser.add_argument(
        "--keys-disk", type=byte_count, default=2**34, help="evaluation keys on disk (16GiB)"
    )
    parser.add_argument(
        "--session-seconds", type=number, default=3600.0, help="an unused session ends (3600)"
    )
    parser.add_argument(
        "--idle-seconds", type=number, default=20.0, help="a silent connection ends (20)"
    )
    parser.add_argument(
        "--grace-seconds", type=number, default=30.0, help="for answers when the server ends (30)"
    )
    parser.add_argument(
        "--data", help="folder for keys, kept for the next start (default: a new one)"
    )
    parser.add_argument("--tls-cert", help="certificate chain, PEM")
    parser.add_argument("--tls-key", help="its private key, PEM")
    parser.add_argument("--tls-ca", help="take clients with certificates of this authority only")
    parser.add_argument(
        "--plain-http",
        action="store_true",
        help="no TLS on other addresses: behind a proxy that has it",
    )


def run(options: argparse.Namespace) -> int:
    from .circuits import load

    page = None if options.page is None else Path(options.page)
    if page is not None and not page.is_dir():
        raise ParameterError(f"--page = {page} is no folder")
    return start(options, load(options.circuits), page)


def start(options: argparse.Namespace, circuits: Any, page: Path | None = None) -> int:
    """Serves circuits with the options of the command, until a signal ends it."""
    try:
        from .application import Service
        from .network import listen, serve
    except ImportError as error:
        raise UnsupportedError(
            f"nttforge serve: {error.name} is not installed: {install_command('serve')} (in a "
            "clone: pip install './packages/serve[server]')"
        ) from error
    from .circuits import prepare
    from .hands import Hands
    from .sessions import one_server

    tls = _tls(options)
    _secrecy.refuse_secrets(
        "nttforge serve",
        "this process serves strangers: secret keys stay with whoever encrypts, who uses "
        "nttforge.remote or nttforge he",
    )
    limits = _limits(options)
    hands = Hands.beside(limits.workers)
    prepared = [prepare(one, 1, options.device, hands) for one in circuits]
    with tempfile.TemporaryDirectory(prefix="nttforge-serve-") as own:
        folder = Path(own if options.data is None else options.data)
        with one_server(folder):
            service = Service(prepared, folder, limits, page=page)
            sock = listen(options.host, options.port)
            host = f"[{options.host}]" if ":" in options.host else options.host
            scheme = "https" if tls else "http"
            for one in prepared:
                wanted = one.contract
                print(f"circuit      {wanted.name}: {wanted.parameters}")
                print(
                    f"             keys {size(wanted.keys_bytes)}, requests up to "
                    f"{size(wanted.request_bytes)}, {'in batches' if one.batches else 'one by one'}"
                )
            bound = size(limits.memory_bytes(prepared))
            print(f"memory       at most {bound}; {limits.workers} workers")
            print(f"serving      {scheme}://{host}:{sock.getsockname()[1]}", flush=True)
            serve(
                service.application,
                sock,
                idle_seconds=limits.idle_seconds,
                grace_seconds=options.grace_seconds,
                tls=tls,
            )
    print("ended")
    return 0


def _limits(options: argparse.Namespace) -> Limits:
    """The limits that the options state."""
    card = options.device.partition(":")[0] == "cuda" and options.device != "cuda:host"
    workers = options.workers
    if workers is None:
        workers = 2 if card else len(usable_cpus())
    limits = Limits(
        workers=workers,
        batch=options.batch,
        requests=options.requests,
        sessions=options.sessions,
        sessions_per_address=options.sessions_per_address,
        keys_memory=options.keys_memory,
        keys_disk=options.keys_disk,
        session_seconds=options.session_seconds,
        idle_seconds=options.idle_seconds,
    )
    for name in ("batch", "requests", "sessions", "sessions_per_address", "workers"):
        if getattr(limits, name) < 1:
            raise ParameterError(
                f"--{name.replace('_', '-')} = {getattr(limits, name)}: need at least 1"
            )
    return limits


def _tls(options: argparse.Namespace) -> dict[str, Any]:
    """What uvicorn is told of TLS; an error where tokens would travel in the clear."""
    if (options.tls_cert is None) != (options.tls_key is None):
        raise ParameterError("--tls-cert and --tls-key go together: give both, or none")
    if options.tls_cert is None:
        if options.tls_ca is not None:
            raise ParameterError("--tls-ca needs --tls-cert and --tls-key")
        if not _is_loopback(options.host) and not options.plain_http:
            raise ParameterError(
                f"--host {options.host} without TLS would let others read tokens: give --tls-cert "
                "and --tls-key, or --plain-http behind a proxy that has TLS"
            )
        return {}
    for name in ("tls_cert", "tls_key", "tls_ca"):
        path = getattr(options, name)
        if path is not None and not Path(path).is_file():
            raise ParameterError(f"--{name.replace('_', '-')} = {path} is no file")
    found: dict[str, Any] = {"ssl_certfile": options.tls_cert, "ssl_keyfile": options.tls_key}
    if options.tls_ca is not None:
        import ssl

        found |= {"ssl_ca_certs": options.tls_ca, "ssl_cert_reqs": int(ssl.CERT_REQUIRED)}
    return found


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
