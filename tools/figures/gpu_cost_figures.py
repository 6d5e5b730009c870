# SPDX-License-Identifier: Apache-2.0
"""Write what the cost model knows (cuda/explorer/cost_figures.hpp) from measurements on one card.

On an idle card: build/gpu-bench/gpu_bench --grid figures --kind transform --runs 15 \\
                   --min-log-n 11 --max-log-n 17 --json figures.json
then anywhere:    python3 tools/figures/gpu_cost_figures.py figures.json
Figures of recipes that the documents do not have are kept as they are.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import sys
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMBS = (1, 8, 21, 45, 180)
ROW = re.compile(r"\{(0x[0-9a-f]{16})u, (\d+), \{([^}]*)\}\}")
HEADER = """#pragma once

// Written by tools/figures/gpu_cost_figures.py; the last measurements are of {card}.
// Nanoseconds of a transform of so many limbs, mean of forward and inverse in a graph of repeated
// calls; 0: not measured. Recipes as the hash of their JSON text (cost_model.cpp): changed ones
// have none.

#include <cstdint>

namespace nttforge::cuda {{

inline constexpr unsigned kFigureLimbs[] = {{{limbs}}};

struct CostFigures {{
  std::uint64_t recipe;
  unsigned log_n;
  float ns[{count}];
}};

// clang-format off
inline constexpr CostFigures kCostFigures[] = {{
{rows}
}};
// clang-format on

}}  // namespace nttforge::cuda
"""

Figures = dict[tuple[int, int], list[float]]


def text_hash(text: str) -> int:
    """FNV-1a, as in cost_model.cpp."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def kept(header: str) -> Figures:
    """(log n, recipe) -> figures of the header as it is."""
    return {
        (int(log_n), int(recipe, 16)): [float(ns) for ns in figures.split(",")]
        for recipe, log_n, figures in ROW.findall(header)
    }


def measured(document: dict[str, Any]) -> Figures:
    """The figures of a document of gpu_bench: means of both directions."""
    sums: dict[tuple[int, int, int], list[float]] = {}
    for row in document["results"]:
        if row["kind"] == "gpu_transform" and row["limbs"] in LIMBS:
            recipe = text_hash(json.dumps(row["recipe"]))
            key = (row["n"].bit_length() - 1, recipe, row["limbs"])
            sums.setdefault(key, []).append(row["median_ns"])
    figures: Figures = {}
    for (log_n, recipe, limbs), ns in sums.items():
        found = figures.setdefault((log_n, recipe), [0.0] * len(LIMBS))
        found[LIMBS.index(limbs)] = sum(ns) / len(ns)
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("documents", type=pathlib.Path, nargs="+", help="of gpu_bench, one card's")
    figures = ROOT / "nttforge/cuda/explorer/cost_figures.hpp"
    parser.add_argument("--out", type=pathlib.Path, default=figures)
    options = parser.parse_args()
    read = [json.loads(path.read_text(encoding="utf-8")) for path in options.documents]
    cards = {document["gpu"]["name"] for document in read}
    if len(cards) != 1:
        sys.exit(f"documents of {', '.join(sorted(cards))}: give those of one card")
    figures = kept(options.out.read_text(encoding="utf-8")) if options.out.exists() else {}
    for document in read:
        for key, new in measured(document).items():
            old = figures.get(key, [0.0] * len(LIMBS))
            figures[key] = [b or a for a, b in zip(old, new, strict=True)]
    rows = []
    for (log_n, recipe), ns in sorted(figures.items()):
        rows.append(f"    {{{recipe:#018x}u, {log_n}, {{{', '.join(f'{x:.0f}' for x in ns)}}}}},")
    text = HEADER.format(
        card=cards.pop(), limbs=", ".join(map(str, LIMBS)), count=len(LIMBS), rows="\n".join(rows)
    )
    options.out.write_text(text, encoding="utf-8")
    print(f"{len(rows)} recipes in {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
