# SPDX-License-Identifier: Apache-2.0
"""Check that the Python module and the shared library live with any C++ library in the process.

1. It exports PyInit__core and nothing else: a symbol of ours, of nanobind or of a statically linked
   C++ library that others can see takes the place of theirs, or theirs of ours.
2. No object of the library uses C++ streams: their locales are shared by all copies of the C++
   library in a process, and two versions need not agree about them.
3. The same objects, linked with -static-libstdc++ -static-libgcc into a module of their own, export
   no more, and compute in a process with the system's C++ library and a foreign one, whose streams
   end the process.
4. libnttforge_c, where it is built, exports the functions of nttforge.h and nothing else, by the
   number of its interface, which is in its name too.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from check_isa_symbols import library_objects

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENTRY = "PyInit__core"
STREAMS = re.compile(
    r"std::(?:__cxx11::)?basic_[io]?(?:f|string)?stream|std::basic_ios|std::ios_base"
)
# What a C++ library of another version may do with the objects of this one.
FOREIGN = """
#include <stdlib.h>
#define TRAP(name) void name(void) { abort(); }
TRAP(_ZNSi10_M_extractIlEERSiRT_)
TRAP(_ZNSi10_M_extractImEERSiRT_)
TRAP(_ZNSt13basic_filebufIcSt11char_traitsIcEEC1Ev)
TRAP(_ZNSo9_M_insertIlEERSoT_)
"""
PROGRAM = """
import ctypes, sys
import numpy
ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
ctypes.CDLL("libstdc++.so.6", ctypes.RTLD_GLOBAL)
import nttforge
from nttforge import bfv, errors
q = nttforge.ntt_primes(4096, 50, 2)
plan = nttforge.NttPlan(4096, q, threads=0)
x = numpy.arange(2 * 4096, dtype=numpy.uint64).reshape(2, 4096)
assert (plan.inverse(plan.forward(x)) == x).all()
keys = bfv.Context(bfv.Parameters.preset(n=8192, t=65537)).generate_keys()
assert list(keys.decrypt(keys.encrypt([1, 2, 3]))[:3]) == [1, 2, 3]
# Tables above 64 MiB: memory is looked at.
nttforge.NttPlan(2**22, nttforge.ntt_primes(2**22, 50, 1))
if nttforge.cuda.is_available():
    nttforge.NttPlan(2**20, nttforge.ntt_primes(2**20, 50, 1), device="cuda")
try:
    nttforge.NttPlan(4096, 4096)
except errors.NttforgeError as error:
    assert "4096" in str(error)
print("works")
"""


def lines_of(*command: str | pathlib.Path) -> list[str]:
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    return result.stdout.splitlines()


def exported(module: pathlib.Path) -> list[str]:
    """Names that other modules of a process can see, but for what the linker itself defines."""
    names = [line.split()[-1] for line in lines_of("nm", "-D", "--defined-only", module)]
    return sorted(set(names) - {"_init", "_fini", "__bss_start", "_edata", "_end"})


def check_shared(library: pathlib.Path, header: str) -> list[str]:
    """What is wrong with libnttforge_c beside its header."""
    number = re.findall(r"^#define NTTFORGE_ABI_VERSION (\d+)$", header, re.M)[0]
    declared = set(re.findall(r"\b(nttforge_\w+)\(", re.sub(r"/\*.*?\*/", "", header, flags=re.S)))
    there = set(exported(library)) - {f"NTTFORGE_{number}"}
    wanted = {f"{name}@@NTTFORGE_{number}" for name in declared}
    problems = [f"{library.name} exports {name}" for name in sorted(there - wanted)[:10]]
    problems += [f"{library.name} does not export {name}" for name in sorted(wanted - there)]
    if not any(
        f"SONAME libnttforge_c.so.{number}" in " ".join(line.split())
        for line in lines_of("objdump", "-p", library)
    ):
        problems.append(f"{library.name} has not the name libnttforge_c.so.{number}")
    return problems


def stream_users(objects: list[pathlib.Path]) -> list[str]:
    users = []
    for path in objects:
        found = sorted({m[0] for line in lines_of("nm", "-C", path) if (m := STREAMS.search(line))})
        users += [f"{path.name}: uses {', '.join(found)}"] if found else []
    return users


def static_module(build: pathlib.Path, module: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """The module linked again, with the C++ library inside; the package around it in `folder`."""
    package = folder / "nttforge"
    package.mkdir()
    for path in module.parent.iterdir():
        if path.name not in (module.name, "__pycache__"):
            (package / path.name).symlink_to(path.resolve())
    target = module.relative_to(build).as_posix()
    command = lines_of("ninja", "-C", build, "-t", "commands", "-s", target)[-1]
    again = package / module.name
    libraries = " -static-libstdc++ -static-libgcc"
    command = command.replace(f"-o {target}", f"-o {again}{libraries}")
    subprocess.run(["sh", "-c", command.split("&& cd ")[0]], cwd=build, check=True)
    return again


def check_static(build: pathlib.Path, module: pathlib.Path) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="nttforge-static-") as text:
        folder = pathlib.Path(text)
        again = static_module(build, module, folder)
        if any("libstdc++" in line for line in lines_of("objdump", "-p", again)):
            return ["the module was not linked with a static C++ library"]
        names = [name for name in exported(again) if name != ENTRY]
        problems = [f"statically linked, the module exports {len(names)} names"] if names else []
        foreign = folder / "libforeign.so"
        compiler = [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-x", "c", "-", "-o", foreign]
        subprocess.run(compiler, input=FOREIGN, text=True, check=True)
        result = subprocess.run(
            [sys.executable, "-c", PROGRAM, foreign],
            env=os.environ | {"PYTHONPATH": text, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        if result.stdout != "works\n":
            problems.append(
                f"statically linked, the module fails beside other C++ libraries (exit code "
                f"{result.returncode}):\n{result.stdout}{result.stderr}"
            )
        return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path, help="CMake build folder with the module")
    build = parser.parse_args().build.resolve()
    modules = list(build.glob("python/nttforge/_core.*so"))
    if len(modules) != 1:
        print(f"{len(modules)} modules below {build}/python/nttforge: build first", file=sys.stderr)
        return 1
    names = [name for name in exported(modules[0]) if name != ENTRY]
    problems = [f"{modules[0].name} exports {name}" for name in names[:10]]
    if len(names) > 10:
        problems.append(f"{modules[0].name} exports {len(names) - 10} more")
    problems += stream_users(library_objects(build))
    done = f"{modules[0].name} exports {ENTRY} alone, no object of the library uses streams"
    for library in build.glob("libnttforge_c.so"):
        header = (ROOT / "nttforge/nttforge.h").read_text(encoding="utf-8")
        problems += check_shared(library, header)
        done += f", {library.name} the functions of nttforge.h"
    compiler = os.environ.get("CXX", "c++")
    archive = lines_of(compiler, "-print-file-name=libstdc++.a")[0]
    if not pathlib.Path(archive).is_file() or shutil.which("ninja") is None:
        done += "; not linked statically: there is no libstdc++.a or ninja"
    else:
        problems += check_static(build, modules[0])
        done += "; it works with a static libstdc++ beside others"
    print("\n".join(problems) or done)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
