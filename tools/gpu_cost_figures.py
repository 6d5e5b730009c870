"""Measure every GPU recipe on this card and write nttforge/cuda/cost_figures.hpp.

The cost model takes its figures from there. For an idle card, with the extension built there
(`make gpu-test`): PYTHONPATH=build/gpu/python python3 tools/gpu_cost_figures.py
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMBS = (1, 8, 21, 45, 180)
# Bits of primes (0: Goldilocks), of words.
CLASSES = ((30, 32), (50, 64), (60, 64), (62, 64), (0, 64))
MOST_WORDS = 2**23 + 2**19
HEADER = """#pragma once

// Written by tools/gpu_cost_figures.py on {card}, driver {driver}.
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


def text_hash(text: str) -> int:
    """FNV-1a, as in cost_model.cpp."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def moduli(n: int, bits: int, limbs: int) -> list[int]:
    """Primes of one class; the first ones again where there are too few."""
    import nttforge

    if bits == 0:
        return [2**64 - 2**32 + 1] * limbs
    few = nttforge.ntt_primes(n, bits, min(limbs, 4))
    return [few[i % len(few)] for i in range(limbs)]


def measure(most_log_n: int) -> dict[tuple[str, int], dict[int, float]]:
    import nttforge
    from nttforge import cuda

    figures: dict[tuple[str, int], dict[int, float]] = {}
    for log_n in range(1, most_log_n + 1):
        for bits, word_bits in CLASSES:
            for limbs in LIMBS:
                n = 2**log_n
                if n * limbs > MOST_WORDS:
                    continue
                spec = nttforge.NttPlan(n, moduli(n, bits, limbs), word_bits=word_bits).spec
                try:
                    found = cuda.explore(spec, "cuda", budget=5.0)
                except nttforge.UnsupportedError:
                    break
                for r in found:
                    if r.measured_ns:
                        key = json.dumps(r.recipe)
                        figures.setdefault((key, log_n), {})[limbs] = r.measured_ns
            print(f"n = 2^{log_n}, {bits} bits", file=sys.stderr, flush=True)
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "nttforge/cuda/cost_figures.hpp")
    parser.add_argument("--most-log-n", type=int, default=20)
    options = parser.parse_args()
    from nttforge import cuda

    card = cuda.describe()
    rows = []
    for (recipe, log_n), by_limbs in sorted(measure(options.most_log_n).items(), key=str):
        figures = ", ".join(f"{by_limbs.get(k, 0):.0f}" for k in LIMBS)
        rows.append((log_n, f"    {{{text_hash(recipe):#018x}u, {log_n}, {{{figures}}}}},"))
    limbs = ", ".join(map(str, LIMBS))
    text = HEADER.format(
        card=card.card,
        driver=card.driver,
        limbs=limbs,
        count=len(LIMBS),
        rows="\n".join(line for _, line in sorted(rows)),
    )
    options.out.write_text(text, encoding="utf-8")
    print(f"{len(rows)} recipes in {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
