"""The top level of a design: ports, control, checks of the input, limbs."""

from __future__ import annotations

from ..spec.transform import bit_reverse
from .design import Design
from .parameters import HardwareParameters
from .verilog import packed, width_of


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
) -> str:
    """From the port ``in`` to the inner word, or from the inner word to the port ``out``.

    ``offset``: first bit in the source. With two directions ``inverse`` chooses.
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
        value = values[0] if len(set(values)) == 1 else f"inverse ? {values[1]} : {values[0]}"
        lines.append(f"  assign {name}[{i * bits}+:{bits}] = {value};\n")
    return "".join(lines)


def frame_check(moduli: tuple[int, ...], dp: int, bits: int, words: int) -> str:
    """The instance that sets the error flags; fields are limb by limb, dp of them."""
    fields = packed([q for q in moduli for _ in range(dp)], bits)
    return f"""  nttf_frame_check #(
    .DATA_BITS({bits}), .FIELDS({dp * len(moduli)}), .WORDS({words}),
    .SLOT_BITS({width_of(words)}), .MODULI({fields})
  ) u_frame_check (
    .clk(clk), .reset(reset), .enable(enable), .in_valid(entry_valid), .in_last(s_last),
    .in_data(s_data), .error_last(error_last), .error_range(error_range));

"""


def control(words: int, interval: int, latency: int, inverse: str) -> str:
    """The instance that admits transforms; exit_valid_0 says that a word leaves."""
    flight = (-(-latency // interval) + 1).bit_length() + 1
    return f"""  nttf_control #(
    .WORDS({words}), .SLOT_BITS({width_of(words)}), .INTERVAL({interval}),
    .INTERVAL_BITS({interval.bit_length()}), .FLIGHT_BITS({flight})
  ) u_control (
    .clk(clk), .reset(reset), .s_valid(s_valid), .s_ready(s_ready), .s_inverse({inverse}),
    .enable(enable), .entry_valid(entry_valid), .entry_first(entry_first), .inverse(inverse),
    .exit_valid(exit_valid_0), .m_valid(m_valid), .m_ready(m_ready), .m_last(m_last)
  );

"""


def _description(p: HardwareParameters) -> str:
    """What the words at the ports are."""
    lanes, dgt, bits = p.dp * p.parts, p.parts == 2, p.bits // p.parts
    values = (
        f"Values: lanes 2l and 2l + 1 of word t: number t * {p.dp} + l"
        if dgt
        else f"Values: lane l of word t is at position t * {p.dp} + l"
    )
    title = f"{'DGT, ' if dgt else ''}{p.n * p.parts} coefficients modulo {p.bp} prime(s)"
    return f"""// {title}, {lanes} per cycle and prime.
//
// Words at the ports: limb by limb, lane by lane, {bits} bits each, lane 0 of limb 0 lowest.
// Coefficients: lane l of word t is number l * {p.words} + t.
// {values} of the bit-reversed order.
// A forward transform takes coefficients and gives values, an inverse the other way round."""


def top_module(design: Design, name: str) -> str:
    p = design.parameters
    word = p.bp * p.dp * p.bits
    limb_word = p.dp * p.bits
    fixed_inverse = {"forward": "1'b0", "inverse": "1'b1", "both": "s_inverse"}[p.direction]
    exits = "\n".join(f"  logic exit_valid_{limb};" for limb in range(p.bp))
    latencies = ", ".join(f"{s.latency} cycles ({d})" for d, s in design.schedules.items())
    text = f"""{_description(p)}
// First word in to last word out, without stalls: {latencies}.
module {name}_top (
  input  logic clk,
  input  logic reset,      // synchronous
  input  logic s_valid,
  output logic s_ready,
  input  logic s_inverse,  // with a transform's first word{
        "" if p.direction == "both" else "; not used"
    }
  input  logic s_last,     // with a transform's last word
  input  logic [{word - 1}:0] s_data,
  output logic m_valid,
  input  logic m_ready,
  output logic m_last,
  output logic [{word - 1}:0] m_data,
  output logic error_last,  // s_last came too early or not in time; until reset
  output logic error_range  // a residue was not below its modulus; until reset
);
  logic enable, entry_valid, entry_first, inverse;
{exits}
  logic [{word - 1}:0] entry_data, exit_data;

"""
    latency = max(s.latency for s in design.schedules.values())
    text += control(p.words, design.interval_cycles, latency, fixed_inverse)
    text += frame_check(p.moduli, p.dp * p.parts, p.bits // p.parts, p.words)
    text += port_wires("entry_data", "s_data", p, "in")
    text += port_wires("m_data", "exit_data", p, "out")
    for limb in range(p.bp):
        low = limb * limb_word
        text += f"""
  {name}_limb_{limb} u_limb_{limb} (
    .clk(clk), .reset(reset), .enable(enable), .inverse(inverse), .entry_valid(entry_valid),
    .entry_first(entry_first), .entry_data(entry_data[{low}+:{limb_word}]),
    .exit_valid(exit_valid_{limb}), .exit_data(exit_data[{low}+:{limb_word}])
  );
"""
    return text + "endmodule\n"
