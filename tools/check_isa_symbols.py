"""Check that no object compiled with instruction-set flags defines a weak symbol.

The linker keeps one copy of each weak (inline, template) function for the whole program. If an
AVX-512 object offered one, a machine without AVX-512 could end up executing it.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

TARGETS = ("avx2", "avx512", "avx512_ifma")


def weak_definitions(nm: str, path: pathlib.Path) -> list[str]:
    listing = subprocess.run([nm, "-C", path], check=True, capture_output=True, text=True).stdout
    # "address kind name"; an undefined weak reference has no address and is harmless.
    lines = listing.splitlines()
    return [line[19:] for line in lines if line[17:18] in "WVu" and line[:16].strip()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path, help="CMake build folder")
    build = parser.parse_args().build
    nm = shutil.which("nm")
    if nm is None:
        print("nm (binutils) not found; it comes with the compiler", file=sys.stderr)
        return 1
    objects = [
        path
        for path in sorted(build.rglob("*.o"))
        if path.parent.name == "cpu" and path.name.removesuffix(".cpp.o").endswith(TARGETS)
    ]
    if not objects:
        print(f"no instruction-set objects below {build}: build first", file=sys.stderr)
        return 1
    problems = [
        f"{path.name}: weak definition {name}"
        for path in objects
        for name in weak_definitions(nm, path)
    ]
    print("\n".join(problems) or f"no weak definitions in {len(objects)} instruction-set objects")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
