# SPDX-License-Identifier: Apache-2.0
"""Check the layer chain: arrows point down only (README, "How it is built").

base <- arith <- ntt <- rns <- device <- bfv; random stands beside ntt and rns on arith.
cpu implements what ntt, rns, random and device declare; nothing outside cpu includes it.
cuda stands beside cpu; nothing outside cuda includes it.
"""

import pathlib
import re
import sys

ALLOWED = {
    "base": {"base"},
    "arith": {"base", "arith"},
    "random": {"base", "arith", "random"},
    "ntt": {"base", "arith", "ntt"},
    "rns": {"base", "arith", "ntt", "rns"},
    "device": {"base", "arith", "ntt", "rns", "random", "device"},
    "cpu": {"base", "arith", "ntt", "rns", "random", "device", "cpu"},
    "cuda": {"base", "arith", "ntt", "rns", "random", "device", "cuda"},
    "bfv": {"base", "arith", "ntt", "rns", "random", "device", "bfv"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*"(nttforge/([a-z0-9_]+)/[^"]+)"', re.MULTILINE)
LOCAL = re.compile(r'^\s*#\s*include\s*"(?!nttforge/)([^"]+)"', re.MULTILINE)


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent
    problems: list[str] = []
    files = sorted([*root.glob("nttforge/**/*.[ch]pp"), *root.glob("nttforge/**/*.cu*")])
    for path in files:
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(root)
        layer = name.parts[1]  # a folder inside a layer belongs to it
        if layer not in ALLOWED:
            problems.append(f"{name}: folder '{layer}' is in no layer")
            continue
        for included, other in INCLUDE.findall(text):
            if other not in ALLOWED[layer]:
                problems.append(f"{name}: {layer} may not include {included}")
            if not (root / included).exists():
                problems.append(f"{name}: {included} does not exist")
        problems += [f"{name}: include {local!r} by its full path" for local in LOCAL.findall(text)]
        if path.suffix in (".hpp", ".cuh") and "#pragma once" not in text:
            problems.append(f"{name}: header without #pragma once")
    if len(files) < 10:
        problems.append(f"only {len(files)} C++ files found under {root}: wrong folder?")
    print("\n".join(problems) or f"layer chain holds over {len(files)} files")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
