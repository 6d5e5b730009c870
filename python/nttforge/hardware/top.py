"""The top level of a design: ports, control, checks of the input, limbs."""

from __future__ import annotations

from .design import Design
from .parameters import HardwareParameters
from .verilog import packed, width_of


def lane_order(name: str, source: str, p: HardwareParameters, when: str, offset: int = 0) -> str:
    """Lanes of all limbs, from bit ``offset`` of the source on, bit-reversed where ``when``."""
    bits, k = p.bits, p.log_dp
    lines = []
    for limb in range(p.bp):
        for lane in range(p.dp):
            turned = int(format(lane, f"0{k}b")[::-1], 2)
            own = f"{source}[{offset + (limb * p.dp + lane) * bits}+:{bits}]"
            other = f"{source}[{offset + (limb * p.dp + turned) * bits}+:{bits}]"
            value = {"always": other, "never": own}.get(when, f"{when} ? {other} : {own}")
            lines.append(f"  assign {name}[{(limb * p.dp + lane) * bits}+:{bits}] = {value};\n")
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


def top_module(design: Design, name: str) -> str:
    p = design.parameters
    word = p.bp * p.dp * p.bits
    limb_word = p.dp * p.bits
    fixed_inverse = {"forward": "1'b0", "inverse": "1'b1", "both": "s_inverse"}[p.direction]
    when = {"forward": "always", "inverse": "never", "both": "!inverse"}[p.direction]
    exits = "\n".join(f"  logic exit_valid_{limb};" for limb in range(p.bp))
    text = f"""// {p.n} coefficients modulo {p.bp} prime(s), {p.dp} per cycle and prime.
//
// Words at the ports: limb by limb, lane by lane, {p.bits} bits each, lane 0 of limb 0 lowest.
// Coefficients: lane l of word t is number l * {
        p.words
    } + t. Values: lane l of word t is at position
// t * {
        p.dp
    } + l of the bit-reversed order. A forward transform takes coefficients and gives values,
// an inverse the other way round.
// First word in to last word out, without stalls: {
        ", ".join(f"{s.latency} cycles ({d})" for d, s in design.schedules.items())
    }.
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
    text += frame_check(p.moduli, p.dp, p.bits, p.words)
    text += lane_order("entry_data", "s_data", p, when)
    text += lane_order("m_data", "exit_data", p, when)
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
