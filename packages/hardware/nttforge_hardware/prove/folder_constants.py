# SPDX-License-Identifier: Apache-2.0
"""Constants of a limb's core, and its stored twiddles, by their definitions."""

from __future__ import annotations

from collections.abc import Callable

from nttforge.errors import FormatError
from nttforge.spec.number_theory import is_prime, smallest_root_of_unity
from nttforge.spec.transform import bit_reverse, powers
from nttforge_oracle.dgt import multiply, power, twist_root

from .folder_files import Finding, Limb

MONTGOMERY, BARRETT, SOLINAS = range(3)
SHOWN = 3  # problems of one finding


def constants(limb: Limb, order: int, parts: int) -> Finding:
    """Q and CONSTANT, and that the core of CORE reduces modulo Q."""
    q, core, said = limb.q, limb.core, []
    bits, kind = core["DATA_BITS"], core["KIND"]
    if not is_prime(q) or (parts == 1 and (q - 1) % order):
        said.append(f"Q = {q} is no prime with roots of order {order}")
    if q.bit_length() > bits:
        said.append(f"Q = {q} has more than DATA_BITS = {bits} bits")
    entries = 2
    if kind == MONTGOMERY:
        digit, steps, two = core["DIGIT_BITS"], core["STEPS"], core["TWO_ADICITY"]
        entries += 3
        if not (0 < digit <= 32 and 0 < steps * digit < 256 and steps * digit >= bits):
            said.append(f"{steps} digits of {digit} bits are less than DATA_BITS = {bits}")
        elif limb.constant * q % (1 << digit) != 1 or limb.constant >> digit:
            said.append(f"CONSTANT = {limb.constant} is not 1 / Q modulo 2^{digit}")
        if not 0 < two < 64 or (q - 1) % (1 << two):
            said.append(f"2^TWO_ADICITY = 2^{two} does not divide Q - 1")
    elif kind == BARRETT:
        if q.bit_length() != bits or limb.constant != (1 << (2 * bits + 3)) // q:
            said.append(f"CONSTANT = {limb.constant} is not 2^{2 * bits + 3} / Q, rounded down")
    elif kind == SOLINAS:
        entries += 4 + 2 * bits
        said += _weights(limb)
    else:
        said.append(f"KIND = {kind} is no core")
    latency = product_latency(core, parts)
    if core["PRODUCT_LATENCY"] != latency:
        said.append(
            f"PRODUCT_LATENCY = {core['PRODUCT_LATENCY']}, the registers of CORE take {latency}"
        )
    return Finding(f"{limb.name}: constants", entries + 1, tuple(said[:SHOWN]))


def product_latency(core: dict[str, int], parts: int) -> int:
    """Cycles of nttf_product, from the registers that CORE names: see the modules' comments."""
    tiles = 1 + core["PRODUCT_REGS"]
    cycles = core["INPUT_REGS"] + tiles + core["SUM_REGS"]
    more = core["REDUCTION_REGS"]
    if core["KIND"] == MONTGOMERY:
        front = core["DIGIT_BITS"] > core["TWO_ADICITY"] or more > 0
        cycles += core["STEPS"] * (1 + tiles + front + (more > 1)) + 1
    elif core["KIND"] == BARRETT:
        cycles += 2 * (tiles + core["SUM_REGS"] + (more > 0)) + 2
    else:
        cycles += core["TREE_REGS"] + 2
    return cycles + (3 * (1 + core["ADD_REGS"]) if parts == 2 else 0)


def _weights(limb: Limb) -> list[str]:
    """The weight of each bit of a product in the sum of the operands, modulo Q."""
    q, core = limb.q, limb.core
    bits, i, j = core["DATA_BITS"], core["I"], core["J"]
    if not 0 < j < i < 64 or core["SIGN_J"] not in (1, -1) or core["SIGN_0"] not in (1, -1):
        return [f"2^{i} and 2^{j} with their signs are no form"]
    if (1 << i) + core["SIGN_J"] * (1 << j) + core["SIGN_0"] != q:
        return [f"2^{i}, 2^{j} and their signs do not give Q = {q}"]
    if not 0 < core["OPERANDS"] <= 32:
        return [f"OPERANDS = {core['OPERANDS']} must be in 1 ... 32"]
    weights = [0] * 127
    for k in range(core["OPERANDS"]):
        sign = -1 if core["SIGNS"] >> k & 1 else 1
        for place in range(bits + 1):
            source = core["SOURCES"] >> 7 * (k * (bits + 1) + place) & 127
            if source != 127:
                weights[source] += sign << place
    said = [f"bit {s} of a product counts {w}" for s, w in enumerate(weights)
            if (w - (1 << s) if s < 2 * bits else w) % q]  # fmt: skip
    low, high = (sum(w for w in weights if (w < 0) == down) for down in (True, False))
    fold = -core["SIGN_J"] * (1 << j) - core["SIGN_0"]
    ends = [top * fold for top in (low >> i, high >> i)]
    if core["OPERANDS"] and (min(ends) <= -2 * q or max(ends) >= 3 * q):
        said.append("a folded sum leaves the range of the last correction")
    return said


Twiddle = Callable[[int, int, str], int]  # stage, group, direction


def definition(limb: Limb, n: int, ring: str, parts: int) -> Twiddle:
    """Stored twiddles from q, n and the smallest root: with the core's factor, inverse with 1/2."""
    q, log = limb.q, n.bit_length() - 1
    montgomery = limb.core["KIND"] == MONTGOMERY
    factor = pow(2, limb.core["STEPS"] * limb.core["DIGIT_BITS"], q) if montgomery else 1
    scale = {"forward": factor, "inverse": factor * pow(2, -1, q)}
    if parts == 2:
        # Group j of m: h^((1 + 4 bitrev j) points / 2m), docs/bounds/dgt.md; its inverse: h^-e.
        h, order = twist_root(2 * n, q), 8 * n
        table = [(1, 0)]
        for _ in range(order - 1):
            table.append(multiply(table[-1], h, q))
        if power(h, order, q) != (1, 0):
            raise FormatError(f"{limb.name}: q = {q} has no twist of order {order}")
        half = limb.core["DATA_BITS"]

        def dgt(stage: int, group: int, direction: str) -> int:
            e = (1 + 4 * bit_reverse(group, stage)) * (n >> (stage + 1))
            x, y = table[(e if direction == "forward" else -e) % order]
            return x * scale[direction] % q | (y * scale[direction] % q) << half

        return dgt
    order = 2 * n if ring == "negacyclic" else n
    roots = powers(smallest_root_of_unity(order, q), order, q)

    def ntt(stage: int, group: int, direction: str) -> int:
        if ring == "negacyclic":
            e = bit_reverse((1 << stage) + group, log)
        else:
            e = bit_reverse(group, stage) * (n >> (stage + 1))
        return roots[(e if direction == "forward" else -e) % order] * scale[direction] % q

    return ntt
