# SPDX-License-Identifier: Apache-2.0
"""[Bad18b]: the paper's figures, and times of the results by what was measured."""

from __future__ import annotations

from typing import Any

from .._gpu import Results
from .._sections import Row

#: n -> log2 q of the paper's sets (SEAL's have 60, 180, 360 and 720 bits).
SETS = {2048: 62, 4096: 186, 8192: 372, 16384: 744}
#: Table 1, ms: N -> remainder and NFLlib's algorithm 2 on the CPU, then on a K80.
TABLE_1 = {
    2048: (0.025, 0.007, 0.0089, 0.0093),
    4096: (0.052, 0.014, 0.0091, 0.0094),
    8192: (0.108, 0.031, 0.0097, 0.0099),
    16384: (0.219, 0.054, 0.0100, 0.0102),
}
#: Table 2, ms on a K80, n = 8192: log2 q -> division, subtractions, Garner.
TABLE_2 = {
    62: (0.4142, 0.0312, 0.0153),
    186: (0.8057, 0.0624, 0.0506),
    372: (1.7040, 0.1638, 0.1299),
    744: (3.8620, 0.5660, 0.4252),
}
#: Table 5, ms: procedure -> n -> P100, K80, K80 with rounding on the CPU, SEAL, NFLlib.
TABLE_5: dict[str, dict[int, tuple[float, float, float | None, float, float]]] = {
    "key generation": {
        2048: (2.786, 5.943, None, 4.981, 0.903),
        4096: (8.147, 17.218, None, 35.624, 12.131),
        8192: (30.943, 86.095, None, 212.719, 83.366),
        16384: (174.508, 356.224, None, 1474.903, 633.42),
    },
    "encrypt": {
        2048: (0.271, 0.541, None, 1.642, 0.276),
        4096: (0.730, 1.440, None, 4.095, 1.081),
        8192: (1.081, 2.645, None, 9.792, 4.321),
        16384: (3.296, 6.657, None, 28.834, 17.353),
    },
    "decrypt": {
        2048: (0.065, 0.151, 1.484, 0.198, 0.396),
        4096: (0.108, 0.194, 3.444, 0.967, 1.494),
        8192: (0.152, 0.252, 9.615, 3.308, 4.645),
        16384: (0.252, 0.610, 19.55, 13.888, 15.36),
    },
    "add": {
        2048: (0.016, 0.037, None, 0.007, 0.007),
        4096: (0.021, 0.052, None, 0.054, 0.065),
        8192: (0.030, 0.068, None, 0.177, 0.309),
        16384: (0.053, 0.127, None, 0.612, 1.075),
    },
    "multiply + relinearize": {
        2048: (1.072, 3.343, 203.622, 2.327, 3.231),
        4096: (1.833, 3.873, 817.958, 13.655, 16.722),
        8192: (3.538, 7.700, 3351.660, 57.857, 81.363),
        16384: (11.747, 28.953, 12674.51, 314.029, 465.587),
    },
}
#: Table 5, speed-ups as printed: procedure -> by n, K80 over P100, CPU rounding over K80, SEAL and
#: NFLlib over P100.
TABLE_5_FACTORS: dict[str, tuple[tuple[float, float | None, float, float], ...]] = {
    "key generation": (
        (2.13, None, 1.79, 0.32),
        (2.11, None, 4.37, 1.49),
        (2.78, None, 6.87, 2.69),
        (2.04, None, 8.45, 3.63),
    ),
    "encrypt": (
        (2.00, None, 6.06, 1.02),
        (1.97, None, 5.61, 1.48),
        (2.45, None, 9.06, 4.00),
        (2.02, None, 8.75, 5.26),
    ),
    "decrypt": (
        (2.32, 9.83, 3.05, 6.09),
        (1.80, 17.75, 8.95, 13.83),
        (1.66, 38.15, 21.76, 30.56),
        (2.42, 32.05, 55.11, 60.95),
    ),
    "add": (
        (2.31, None, 0.44, 0.44),
        (2.48, None, 2.57, 3.10),
        (2.27, None, 5.90, 10.30),
        (2.40, None, 11.55, 20.28),
    ),
    "multiply + relinearize": (
        (3.12, 60.91, 2.17, 3.01),
        (2.11, 211.19, 7.45, 9.12),
        (2.18, 435.28, 16.35, 23.00),
        (2.46, 437.76, 26.73, 39.63),
    ),
}
#: Kernels of Tables 6 and 7, ms: name -> n -> K80, P100.
TABLES_6_7 = {
    "CRT": {
        2048: (0.007, 0.004),
        4096: (0.022, 0.012),
        8192: (0.091, 0.040),
        16384: (1.057, 0.218),
    },
    "CRT reconstruct": {
        2048: (0.024, 0.014),
        4096: (0.056, 0.037),
        8192: (0.131, 0.100),
        16384: (1.409, 0.323),
    },
    "DGT": {
        2048: (0.031, 0.027),
        4096: (0.039, 0.036),
        8192: (0.048, 0.040),
        16384: (0.193, 0.087),
    },
    "DGT inverse": {
        2048: (0.033, 0.030),
        4096: (0.041, 0.040),
        8192: (0.050, 0.048),
        16384: (0.202, 0.093),
    },
    "fast base conversion": {
        2048: (0.023, 0.012),
        4096: (0.064, 0.030),
        8192: (0.183, 0.062),
        16384: (0.858, 0.318),
    },
    "fast RNS floor": {
        2048: (0.050, 0.028),
        4096: (0.140, 0.069),
        8192: (0.443, 0.164),
        16384: (2.090, 0.790),
    },
}
#: Section 6.5's samplers, for which the paper has no figures.
SAMPLERS = ("sample uniform", "sample binary", "sample error")
#: Our programs' names for SEAL's operations; key generation is their sum.
SEAL = {
    "key generation": ("secret and public key", "relinearization key"),
    "encrypt": ("encrypt (public key)",),
    "decrypt": ("decrypt",),
    "add": ("add",),
    "multiply + relinearize": ("multiply + relinearize",),
}


class Figures:
    """Times of the results, in us; None where nothing was measured.

    ``where`` is "cpu" or "cuda": minima of runs there, medians here, as in bench/README.md.
    """

    def __init__(self, results: Results) -> None:
        self.results = results
        self._times = {
            (r["part"], r["n"], r["log2_q"], r["where"], r["variant"], r["operation"]): (
                r["min_ns" if r["where"] == "cpu" else "median_ns"] / 1e3
            )
            for r in results["rows"]
        }

    def time(
        self, part: str, n: int, log2_q: int, where: str, variant: str, operation: str
    ) -> float | None:
        return self._times.get((part, n, log2_q, where, variant, operation))

    def reduction(self, count: int, where: str, variant: str) -> float | None:
        """Table 1."""
        return self.time("table 1", count, 62, where, variant, "reduce")

    def reconstruction(self, log2_q: int, where: str, variant: str) -> float | None:
        """Table 2."""
        return self.time("table 2", 8192, log2_q, where, variant, "CRT reconstruct")

    def scheme(self, n: int, where: str, variant: str, operation: str) -> float | None:
        """Table 5."""
        return self.time("table 5", n, SETS[n], where, variant, operation)

    def stream(self, n: int, operation: str) -> float | None:
        """Table 5, ours on the card without a graph: calls one after the other."""
        for row in self.results["rows"]:
            here = (row["part"], row["n"], row["log2_q"], row["where"], row["variant"])
            if here == ("table 5", n, SETS[n], "cuda", "ours") and row["operation"] == operation:
                return row["stream_median_ns"] / 1e3 if "stream_median_ns" in row else None
        return None

    def kernel(self, n: int, where: str, variant: str, operation: str) -> float | None:
        """Tables 6 and 7."""
        return self.time("table 6", n, SETS[n], where, variant, operation)

    def seal(self, n: int, operation: str) -> float | None:
        """The faster of SEAL's builds that were measured."""
        sums: dict[str, list[float]] = {}
        for row in self.results.get("peers", []):
            if row["n"] == n and row["operation"] in SEAL[operation]:
                sums.setdefault(row["program"], []).append(row["min_ns"] / 1e3)
        whole = [sum(times) for times in sums.values() if len(times) == len(SEAL[operation])]
        return min(whole, default=None)

    def ratios(self, slow: Any, fast: Any) -> list[float]:
        """slow(n) / fast(n) over the sets where both were measured."""
        pairs = [(slow(n), fast(n)) for n in SETS]
        return [a / b for a, b in pairs if a and b]

    @property
    def has_card(self) -> bool:
        return any(row["where"] == "cuda" for row in self.results["rows"])

    def load(self, variant: str) -> list[Row]:
        """What the driver told, by n."""
        rows = (self.results.get("load") or {}).get("rows", [])
        return sorted((r for r in rows if r["variant"] == variant), key=lambda r: int(r["n"]))


def span(values: list[float], digits: int = 2) -> str:
    """ "1.20 ... 3.40", one number, or "not measured"."""
    if not values:
        return "not measured"
    low, high = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return low if low == high else f"{low} ... {high}"


def average(values: list[float]) -> float:
    return sum(values) / len(values) if values else float("nan")
