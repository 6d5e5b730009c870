# SPDX-License-Identifier: Apache-2.0
"""[Bad18b]: its conclusions against what was measured."""

from __future__ import annotations

from collections.abc import Callable

from .._sections import Row, measured, statement
from .._verdicts import Claim
from .figures import SETS, TABLE_1, TABLE_2, TABLE_5, Figures, average, span
from .tables import ms

MULTIPLY = "multiply + relinearize"
Time = Callable[[int], float | None]


def statements(f: Figures) -> list[Row]:
    """Every conclusion whose figures were measured."""
    found = _reductions(f) + _reconstructions(f) + _residues(f) + _peers(f) + _kernels(f)
    found += _sampling(f) + _load(f)
    return measured(found)


def _scheme(f: Figures, where: str, variant: str, operation: str) -> Time:
    return lambda n: f.scheme(n, where, variant, operation)


def _reductions(f: Figures) -> list[Row]:
    def ratios(where: str, slow: str, fast: str) -> list[float]:
        return f.ratios(
            lambda n: f.reduction(n, where, slow), lambda n: f.reduction(n, where, fast)
        )

    card, cpu = ratios("cuda", "nfllib", "native"), ratios("cpu", "native", "nfllib")
    ours = ratios("cuda", "native", "ours")
    return [
        statement(
            "Table 1",
            "a GPU's native remainder is 1.02 ... 1.04 times as fast as NFLlib's reduction",
            f"on the card {span(card)} times; Barrett's with a 64-bit product is {span(ours)} "
            "times as fast as the native one",
            Claim("range", [1.02, 1.04], card, "times"),
            because="a native remainder of 64 bits is a routine of many instructions ([Kim20] "
            "counts 68), "
            "NFLlib's is two products and a comparison; launching is most of both times here",
        ),
        statement(
            "Table 1",
            "on a CPU NFLlib's reduction is 3.5 ... 4.1 times as fast as the native remainder",
            f"on this CPU {span(cpu)} times",
            Claim("range", [3.48, 4.06], cpu, "times"),
            because="this CPU divides faster than the E5-2620: its native remainder takes "
            f"{ms(f.reduction(16384, 'cpu', 'native'))} ms at 2^14 where the paper's takes "
            f"{TABLE_1[16384][0]}, NFLlib's {ms(f.reduction(16384, 'cpu', 'nfllib'))} for "
            f"{TABLE_1[16384][1]}",
        ),
    ]


def _reconstructions(f: Figures) -> list[Row]:
    def ratios(slow: str, fast: str) -> list[float]:
        pairs = [
            (f.reconstruction(q, "cuda", slow), f.reconstruction(q, "cuda", fast)) for q in TABLE_2
        ]
        return [a / b for a, b in pairs if a and b]

    subtract = ratios("classic, subtractions", "paper")
    divide = ratios("classic, division", "paper")
    ours = ratios("paper", "ours")
    return [
        statement(
            "Table 2",
            "Garner's reconstruction is 1.2 ... 2.0 times as fast as the classic one with "
            "subtractions on a GPU",
            f"on the card {span(subtract)} times; ours, digits first in registers, is {span(ours)} "
            "times as fast as Garner's",
            Claim("range", [1.23, 2.04], subtract, "times"),
            because="Garner's takes r (r - 1) / 2 native remainders one after the other, 276 for "
            "r = 24 "
            "primes, the classic sum one for each prime; with few primes Garner's is the faster",
        ),
        statement(
            "Table 2",
            "and 9 ... 27 times as fast as the classic one with a division of many words",
            f"on the card {span(divide)} times",
            Claim("range", [9.08, 27.07], divide, "times"),
            because="the classic sum is below r M, so that its quotient by M is one word and "
            "Algorithm "
            "14.20 takes one step over M's words; the paper's figures are those of many steps",
        ),
    ]


def _residues(f: Figures) -> list[Row]:
    def against(where: str, slow: str, operation: str) -> list[float]:
        return f.ratios(_scheme(f, where, slow, operation), _scheme(f, where, "paper", operation))

    host = "textbook, rounding on host"
    decrypt, multiply = against("cuda", host, "decrypt"), against("cuda", host, MULTIPLY)
    card = against("cuda", "textbook", MULTIPLY)
    cpu = {op: against("cpu", "textbook", op) for op in ("decrypt", MULTIPLY)}
    library = {
        op: f.ratios(_scheme(f, "cpu", "textbook", op), _scheme(f, "cpu", "ours", op))
        for op in ("decrypt", MULTIPLY)
    }
    dgt = f.ratios(
        _scheme(f, "cuda", "paper with NTT", MULTIPLY), _scheme(f, "cuda", "paper", MULTIPLY)
    )
    transforms = f.ratios(
        lambda n: f.kernel(n, "cuda", "ours", "DGT"), lambda n: f.kernel(n, "cuda", "paper", "DGT")
    )
    return [
        statement(
            "Table 5",
            "rounding by residues on the GPU makes products 61 ... 438 times and decryption 10 ... "
            "38 times as fast as rounding on the CPU",
            f"on the card products {span(multiply, 1)} times, decryption {span(decrypt, 1)} times; "
            f"the textbook's rounding on the card itself takes {span(card, 1)} times as long",
            Claim("range", [60.91, 437.76], multiply, "times"),
            Claim("range", [9.83, 38.15], decrypt, "times"),
            unlike="a card is compared with a host, and the host here rounds on all of its cores "
            "with integers of a fixed size, not with NTL",
        ),
        statement(
            "Fig. 2",
            "RNS FV is dramatically faster than the textbook's on a CPU (the text has no figures)",
            "on this CPU, both with native remainders, decryption "
            f"{span(cpu['decrypt'], 1)} times, products {span(cpu[MULTIPLY], 1)} times; the "
            f"library's RNS decryption "
            f"{span(library['decrypt'], 1)} times, its products {span(library[MULTIPLY], 1)} times",
            Claim("order", [], cpu["decrypt"] + cpu[MULTIPLY], "times", much=True),
            because="the paper compares SEAL 2.1, all in multi-precision, with SEAL 2.3; here "
            "both have "
            "the same transforms and native remainders, of which a base conversion takes one for "
            "each pair of primes: without them, in the library, the gain is there",
        ),
        statement(
            "4.3",
            "the DGT's half-length transform computes products more efficiently than an NTT",
            f"with the NTT the same product takes {span(dgt)} of the DGT's time on the card, the "
            f"transform alone {span(transforms)}",
            Claim("order", [], dgt, "times"),
            because="n/4 log2(n/2) butterflies of GF(p^2) with three or four products each are "
            "0.75 to 1 "
            "n log2(n/2) products, those of an NTT 0.5 n log2 n",
        ),
    ]


def _peers(f: Figures) -> list[Row]:
    found = []
    claims = {
        op: round(average([t[3] / t[0] for t in rows.values()]), 2) for op, rows in TABLE_5.items()
    }
    gains = {
        operation: f.ratios(
            lambda n, op=operation: f.seal(n, op), _scheme(f, "cuda", "paper", operation)
        )
        for operation in TABLE_5
    }
    for operation, claim in claims.items():
        ours = f.ratios(
            lambda n, op=operation: f.seal(n, op), _scheme(f, "cuda", "ours", operation)
        )
        found.append(
            statement(
                "Table 5",
                f"{operation}: the GPU is {claim:.2f} times as fast as SEAL on average",
                f"the paper's method on the card {average(gains[operation]):.2f} times on average "
                f"({span(gains[operation])}), ours {average(ours):.2f} times ({span(ours)})",
                Claim("gain", [claim], [average(gains[operation])], "times"),
                unlike="which card and which CPU are compared decides: the paper's P100 and a Xeon "
                "with SEAL 2.3, here this card and one core with SEAL of today",
            )
        )
    grows = {op: g for op, g in gains.items() if len(g) == len(SETS)}
    found.append(
        statement(
            "7.4",
            "the larger the parameters, the larger the gain, for every procedure",
            ", ".join(f"{op} {g[0]:.1f} to {g[-1]:.1f}" for op, g in grows.items())
            or "not measured",
            Claim("order", [], [g[-1] / g[0] for g in grows.values()], "times"),
        )
    )
    return found


def _kernels(f: Figures) -> list[Row]:
    shares, transforms = [], []
    for n in SETS:
        whole = f.scheme(n, "cuda", "paper", MULTIPLY)
        kernel = {
            name: f.kernel(n, "cuda", "paper", name)
            for name in ("fast base conversion", "fast RNS floor", "DGT", "DGT inverse")
        }
        if whole is None or None in kernel.values():
            continue
        conversion, floor, there, back = (t or 0.0 for t in kernel.values())
        # Four polynomials are extended, three floored and brought back to Q; the tensor transforms
        # four polynomials there and three back, in each of two bases of about the same size.
        shares.append(100 * (4 * conversion + 3 * floor + 3 * conversion) / whole)
        transforms.append(100 * (8 * there + 6 * back) / whole)
    rows = f.ratios(
        lambda n: f.kernel(n, "cuda", "paper", "fast base conversion"),
        lambda n: f.kernel(n, "cuda", "ours", "fast base conversion"),
    )
    return [
        statement(
            "Tables 6, 7",
            "fast base conversion and flooring contribute largely to a product's time",
            f"alone they would be {span(shares, 0)} % of it, the tensor's transforms "
            f"{span(transforms, 0)} %; our conversion takes 1/{span(rows)} of the time of the "
            "paper's kernel",
            # Without a third of its time a product would be 1.5 times as fast.
            Claim("at least", [100 / 3], shares[-1:], "%"),
        )
    ]


def _sampling(f: Figures) -> list[Row]:
    shares: dict[str, list[float]] = {"key generation": [], "encrypt": []}
    for n, log2_q in SETS.items():
        names = ("sample uniform", "sample binary", "sample error")
        uniform, binary, error = (f.kernel(n, "cuda", "paper", name) for name in names)
        whole = {op: f.scheme(n, "cuda", "paper", op) for op in shares}
        if uniform is None or binary is None or error is None:
            continue
        parts = log2_q // 31 + 1  # of the public and the evaluation key
        spent = {
            "key generation": binary + parts * (uniform + error),
            "encrypt": binary + 2 * error,
        }
        for op, time in whole.items():
            if time is not None:
                shares[op].append(100 * spent[op] / time)
    return [
        statement(
            "7.4",
            "key generation and encryption gain least (beside NFLlib), for their sampling is dear",
            f"the samplers of the paper's method are {span(shares['key generation'], 0)} % of key "
            f"generation and {span(shares['encrypt'], 0)} % of encryption on the card",
            Claim("at least", [100 / 3], [s for share in shares.values() for s in share], "%"),
            unlike="NFLlib, beside which they gain least, is not here; the shares say only how "
            "dear sampling is",
        )
    ]


def _load(f: Figures) -> list[Row]:
    found = []
    for variant, name in (("paper", "the paper's method"), ("ours", "ours")):
        rows = f.load(variant)
        if len(rows) < 2:
            continue
        busy = ", ".join(f"{row['gpu_percent']:.0f}" for row in rows)
        watts = ", ".join(f"{row['watts']:.0f}" for row in rows)
        found.append(
            statement(
                "Fig. 4",
                "utilisation and power grow with the parameters (K80: 62 to 148 W)",
                f"{name}: busy {busy} % and {watts} W from 2^11 to 2^14",
                Claim("at least", [1], [rows[-1]["gpu_percent"] / rows[0]["gpu_percent"]]),
                Claim("order", [], [rows[-1]["watts"] / rows[0]["watts"]], "times"),
            )
        )
    return found
