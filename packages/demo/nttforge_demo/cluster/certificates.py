# SPDX-License-Identifier: Apache-2.0
"""``nttforge cluster certificates``: files for TLS as Dask has them, by the program openssl."""

from __future__ import annotations

import argparse
import ipaddress
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from nttforge._processes import run as run_program
from nttforge.console.arguments import integer
from nttforge.console.output import require_writable
from nttforge.errors import NttforgeError, ParameterError, UnsupportedError

_NAMES = ("ca.pem", "ca-key.pem", "cert.pem", "key.pem")


def add_actions(actions: Any) -> None:
    parser = actions.add_parser("certificates", help="an authority and a certificate for TLS")
    parser.add_argument("--out", type=Path, required=True, help="folder without such files")
    parser.add_argument(
        "--hosts",
        nargs="+",
        default=["localhost", "127.0.0.1"],
        help="names and addresses of the machines (default: this one)",
    )
    parser.add_argument("--days", type=integer, default=365, help="until they end (default 365)")


def _certificates(options: argparse.Namespace) -> int:
    if shutil.which("openssl") is None:
        raise UnsupportedError("certificates are made by openssl, which is not on PATH: install it")
    if not 1 <= options.days <= 3650:
        raise ParameterError(f"--days = {options.days} is not in [1, 3650]")
    for name in _NAMES:
        if (options.out / name).exists():
            raise ParameterError(f"{options.out / name} exists: name another folder")
    subjects = ",".join(_subject(host) for host in options.hosts)
    require_writable(options.out)
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="nttforge-tls-") as text:
        work = Path(text)
        work.chmod(0o700)
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        _openssl(
            *("req", "-x509", *key, "-days", str(options.days), "-subj", "/CN=nttforge authority"),
            *("-addext", "keyUsage=critical,keyCertSign"),
            *("-keyout", work / "ca-key.pem", "-out", work / "ca.pem"),
        )
        _openssl(
            *("req", *key, "-subj", "/CN=nttforge"),
            *("-keyout", work / "key.pem", "-out", work / "request.pem"),
        )
        (work / "extensions").write_text(
            f"subjectAltName={subjects}\nbasicConstraints=CA:FALSE\n"
            "extendedKeyUsage=serverAuth,clientAuth\n",
            "utf-8",
        )
        _openssl(
            *("x509", "-req", "-in", work / "request.pem", "-days", str(options.days)),
            *("-CA", work / "ca.pem", "-CAkey", work / "ca-key.pem", "-CAcreateserial"),
            *("-extfile", work / "extensions", "-out", work / "cert.pem"),
        )
        for name in _NAMES:
            target = options.out / name
            target.touch(mode=0o600 if name.endswith("key.pem") else 0o644)
            target.write_bytes((work / name).read_bytes())
    print(
        f"{options.out}: ca.pem, cert.pem and key.pem for scheduler, workers and clients, for "
        f"{options.days} days; ca-key.pem makes more of them: keep it apart"
    )
    return 0


def _subject(host: str) -> str:
    try:
        return f"IP:{ipaddress.ip_address(host)}"
    except ValueError:
        pass
    if not re.fullmatch(r"[A-Za-z0-9*][A-Za-z0-9.*-]{0,252}", host):
        raise ParameterError(f"--hosts {host!r} is no name or address of a machine")
    return f"DNS:{host}"


def _openssl(*words: str | Path) -> None:
    done = run_program(["openssl", *words])
    if done.returncode != 0:
        raise NttforgeError(f"openssl {words[0]} failed: {done.stderr.strip()}")


ACTIONS = {"certificates": _certificates}
