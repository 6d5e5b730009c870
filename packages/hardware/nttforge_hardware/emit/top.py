# SPDX-License-Identifier: Apache-2.0
"""The top level of a transform: wires between ports and limbs."""

from __future__ import annotations

from collections.abc import Sequence

from nttforge.spec.number_theory import smallest_root_of_unity
from nttforge.spec.transform import Ring, bit_reverse
from nttforge_oracle.dgt import twist_root

from ..plan.design import Design
from ..plan.parameters import HardwareParameters
from .stream_top import StreamTop, unread


def _fields(p: HardwareParameters, port: str, direction: str) -> list[int]:
    """Field of the inner word (limb, lane, part) for each field of the port's word.

    Lanes inside are those of the port, reversed bitwise for a forward transform. With two parts a
    port of coefficients has all lower halves of a limb's lanes first: coefficients j and j + n / 2
    are the parts of one number.
    """
    coefficients = (direction == "forward") == (port == "in")
    fields = []
    for limb in range(p.bp):
        for field in range(p.dp * p.parts):
            part, lane = divmod(field, p.dp) if coefficients else divmod(field, p.parts)[::-1]
            inner = bit_reverse(lane, p.log_dp) if direction == "forward" else lane
            fields.append((limb * p.dp + inner) * p.parts + part)
    return fields


def port_wires(
    name: str,
    source: str,
    p: HardwareParameters,
    port: str,
    directions: tuple[str, ...] | None = None,
    offset: int = 0,
    inverse: str = "inverse",
) -> str:
    """From the port ``in`` to the inner word, or from the inner word to the port ``out``.

    ``offset``: first bit in the source. With two directions the wire ``inverse`` chooses.
    """
    bits = p.bits // p.parts
    wires = {}
    for direction in directions or p.directions:
        fields = _fields(p, port, direction)
        if port == "in":
            fields = sorted(range(len(fields)), key=fields.__getitem__)
        wires[direction] = [f"{source}[{offset + f * bits}+:{bits}]" for f in fields]
    lines = []
    for i in range(p.bp * p.dp * p.parts):
        values = [wires[d][i] for d in wires]
        value = values[0] if len(set(values)) == 1 else f"{inverse} ? {values[1]} : {values[0]}"
        lines.append(f"  assign {name}[{i * bits}+:{bits}] = {value};\n")
    return "".join(lines)


def _description(p: HardwareParameters) -> str:
    """What the words at the ports are."""
    lanes, dgt, bits = p.dp * p.parts, p.parts == 2, p.bits // p.parts
    values = (
        f"Values: lanes 2l and 2l + 1 of word t: number t * {p.dp} + l"
        if dgt
        else f"Values: lane l of word t is at position t * {p.dp} + l"
    )
    title = f"{'DGT, ' if dgt else ''}{p.n * p.parts} coefficients modulo {p.bp} prime(s)"
    if p.degree > 1:
        d = p.degree
        title = f"NTT of {p.n * d} coefficients, {p.log_n} layers, modulo {p.bp // d} prime(s)"
    each = "limb" if p.degree > 1 else "prime"
    return f"""// {title}, {lanes} per cycle and {each}.
//
{_incomplete(p)}{_WORDS}, {bits} bits each, lane 0 of limb 0 lowest.
// Coefficients: lane l of word t is number l * {p.words} + t.
// {values} of the bit-reversed order.
{_values(p)}
// A forward transform takes coefficients and gives values, an inverse the other way round."""


_WORDS = "// Words at the ports: limb by limb, lane by lane"


def _incomplete(p: HardwareParameters) -> str:
    """Which coefficients limbs have where a transform leaves factors of a higher degree."""
    d = p.degree
    if d == 1:
        return ""
    gamma = "psi^(2 k + 1)" if p.ring == "negacyclic" else "omega^k"
    return f"""// A prime has {d} limbs: limb c has the coefficients {d} j + c of a polynomial,
// and its value k is coefficient c of the polynomial modulo X^{d} - gamma, gamma = {gamma}.
"""


def _values(p: HardwareParameters) -> str:
    """What the values are: their definition and the roots in it."""
    if p.parts == 2:
        n = p.n * p.parts
        x, y = zip(*(twist_root(n, q) for q in p.moduli), strict=True)
        terms = f"(a[j] + i a[j + {p.n}]) h^(j (4 k + 1))"
        return f"""// Value k: sum over j < {p.n} of {terms}, i in lane 2l + 1;
// h = x + y i, x = {", ".join(map(str, x))}, y = {", ".join(map(str, y))}."""
    return "// " + ntt_values(p.n, p.ring, p.moduli[:: p.degree]).replace("\n", "\n// ")


def ntt_values(n: int, ring: Ring, moduli: Sequence[int]) -> str:
    """The definition of the values of an NTT, and its root for each modulus."""
    negacyclic = ring == "negacyclic"
    name, power = ("psi", "(2 k + 1)") if negacyclic else ("omega", "k")
    order = 2 * n if negacyclic else n
    roots = ", ".join(str(smallest_root_of_unity(order, q)) for q in moduli)
    return f"""Value k: sum over j < {n} of a[j] {name}^({power} j), order {order}:
{name} = {roots}."""


def transform_top(design: Design, name: str) -> StreamTop:
    """What the top level of a transform shares with all others."""
    p = design.parameters
    word = p.bp * p.dp * p.bits
    note = "with a transform's first word" + ("" if p.direction == "both" else "; not used")
    return StreamTop(
        name,
        word,
        word,
        p.words,
        design.interval_cycles,
        max(design.latency_cycles(d) for d in p.directions),
        p.moduli,
        p.dp * p.parts,
        p.bits // p.parts,
        {"forward": "1'b0", "inverse": "1'b1", "both": "s_inverse"}[p.direction],
        choice=("s_inverse", 1, note),
        registered=bool(p.pipeline.enable_regs),
        buffers=p.buffers,
        changes=design.change_cycles,
    )


def top_module(design: Design, name: str) -> str:
    p = design.parameters
    word = p.bp * p.dp * p.bits
    limb_word = p.dp * p.bits
    latencies = ", ".join(f"{design.latency_cycles(d)} cycles ({d})" for d in p.directions)
    # All limbs move together: the first one's flags are read.
    exits = "".join(
        unread(f"  logic exit_valid_{limb}, exit_inverse_{limb};\n") for limb in range(1, p.bp)
    )
    exits = unread("  logic exit_inverse_0;\n") + exits
    text = f"""{_description(p)}
// First word in to last word out, without stalls: {latencies}.
{transform_top(design, name).opening()}  logic [{word - 1}:0] entry_data, exit_data;
{exits}"""
    text += port_wires("entry_data", "entry_word", p, "in")
    text += port_wires("exit_word", "exit_data", p, "out", inverse="exit_inverse_0")
    for limb in range(p.bp):
        low = limb * limb_word
        text += f"""
  {name}_limb_{limb} u_limb_{limb} (
    .clk(clk), .reset(clear), .enable(enable), .enable_next(enable_next), .inverse(inverse),
    .entry_valid(entry_valid), .entry_first(entry_first),
    .entry_data(entry_data[{low}+:{limb_word}]),
    .exit_valid(exit_valid_{limb}), .exit_inverse(exit_inverse_{limb}),
    .exit_data(exit_data[{low}+:{limb_word}])
  );
"""
    return text + "endmodule\n"
