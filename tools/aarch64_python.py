# SPDX-License-Identifier: Apache-2.0
"""A Python for aarch64 that runs here under qemu: Debian's packages unpacked into a folder.

Nothing is installed and no right of root is needed: apt keeps its lists in that folder. Wheels for
aarch64 are unpacked by pip beside it. Needs Debian or a system like it, with apt-get and dpkg-deb.
"""

from __future__ import annotations

import functools
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Sequence

import programs

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "aarch64-python"
VERSION = "3.11"
PACKAGES = (
    *("libc6", "libgcc-s1", "libstdc++6", "libcrypt1", "zlib1g", "libexpat1", "libffi8", "libssl3"),
    *("libbz2-1.0", "liblzma5", "libsqlite3-0", "libuuid1", "libncursesw6", "libtinfo6"),
    *("libreadline8", f"python{VERSION}-minimal", f"libpython{VERSION}-minimal"),
    *(f"libpython{VERSION}-stdlib", f"python{VERSION}"),
)


#: What a C++ program needs that brings its own C++ library.
LIBRARIES = ("libc6", "libgcc-s1")
#: Where Debian's compilers for aarch64 have them.
CROSS = pathlib.Path("/usr/aarch64-linux-gnu")


class NoPythonError(Exception):
    """A sentence on why there is no such Python here."""


_run = functools.partial(programs.output, NoPythonError)


def _apt(machine: str) -> list[str]:
    """apt-get with lists of its own, which another architecture and a user may write."""
    state = FOLDER / f"apt-{machine}"
    for part in ("lists/partial", "cache/archives/partial"):
        (state / part).mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    options = {
        "Dir::State": state,
        "Dir::State::Lists": state / "lists",
        "Dir::State::status": state / "status",
        "Dir::Cache": state / "cache",
        "APT::Architecture": machine,
        "APT::Architectures": machine,
        "APT::Sandbox::User": "",
    }
    return ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in options.items())]


def _unpacked(machine: str, packages: Sequence[str], to: pathlib.Path) -> None:
    for program in ("apt-get", "dpkg-deb"):
        if shutil.which(program) is None:
            raise NoPythonError(
                f"{program} is missing: this takes its parts from Debian's packages"
            )
    fetched = FOLDER / f"fetched-{machine}"
    shutil.rmtree(fetched, ignore_errors=True)
    fetched.mkdir(parents=True)
    apt = _apt(machine)
    _run([*apt, "update"], fetched)
    _run([*apt, "download", *packages], fetched)
    to.mkdir(parents=True, exist_ok=True)
    for package in sorted(fetched.glob("*.deb")):
        _run(["dpkg-deb", "-x", package, to], fetched)


def emulator() -> str:
    """qemu-aarch64-static: the system's, or Debian's package unpacked into the folder."""
    found = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    if found:
        return found
    own = FOLDER / "qemu"
    program = own / "usr" / "bin" / "qemu-aarch64-static"
    if not program.exists():
        machine = {"x86_64": "amd64"}.get(os.uname().machine, os.uname().machine)
        _unpacked(machine, ["qemu-user-static"], own)
    return str(program)


def _made(folder: pathlib.Path, packages: Sequence[str]) -> pathlib.Path:
    """A folder with these packages unpacked, unless it has them already."""
    ready = folder.with_name(f".ready-{folder.name}")
    if not ready.exists() or ready.read_text() != " ".join(packages):
        shutil.rmtree(folder, ignore_errors=True)
        _unpacked("arm64", packages, folder)
        ready.write_text(" ".join(packages))
    return folder


def libraries() -> pathlib.Path:
    """The root below which programs in C++ find the system's libraries for aarch64."""
    if (CROSS / "lib" / "ld-linux-aarch64.so.1").exists():
        return CROSS
    return _made(FOLDER / "libraries", LIBRARIES)


def program() -> pathlib.Path:
    """That Python as one program, which may start itself as others do, by ``sys.executable``."""
    words = python()
    script = FOLDER / "bin" / f"python{VERSION}"
    script.parent.mkdir(parents=True, exist_ok=True)
    home = FOLDER / "system" / "usr"
    command = f"exec '{words[0]}' -0 \"$0\" -L '{words[2]}' '{words[3]}' \"$@\""
    script.write_text(f"#!/bin/sh\nPYTHONHOME='{home}'\nexport PYTHONHOME\n{command}\n")
    script.chmod(0o755)
    return script


def python() -> list[str]:
    """The words that begin a command line of that Python; makes it at the first call."""
    system = _made(FOLDER / "system", PACKAGES)
    return [emulator(), "-L", str(system), str(system / "usr" / "bin" / f"python{VERSION}")]


def installed(folder: pathlib.Path, packages: Sequence[str | pathlib.Path]) -> None:
    """Unpack wheels for aarch64 into a folder that PYTHONPATH can name."""
    shutil.rmtree(folder, ignore_errors=True)
    words: list[str | pathlib.Path] = ["-m", "pip", "install", "--quiet"]
    words += ["--disable-pip-version-check", "--target", folder]
    words += ["--platform", "manylinux_2_28_aarch64", "--platform", "manylinux_2_27_aarch64"]
    words += ["--platform", "manylinux2014_aarch64", "--python-version", VERSION]
    words += ["--implementation", "cp", "--only-binary", ":all:"]
    _run([sys.executable, *words, *packages], ROOT)


def main() -> int:
    """Run that Python with the arguments of this program."""
    try:
        return subprocess.run([*python(), *sys.argv[1:]], check=False).returncode
    except NoPythonError as error:
        print(f"aarch64_python: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
