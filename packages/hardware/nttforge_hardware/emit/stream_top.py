# SPDX-License-Identifier: Apache-2.0
"""What the top levels of all designs share: ports, control, checks of the input, testbench."""

from __future__ import annotations

from dataclasses import dataclass

from .verilog import packed, wrong_word

_WIRES = "  logic clear, enable, enable_next, entry_valid, entry_first, inverse, exit_valid_0;\n"


def unread(lines: str) -> str:
    """Declarations of which some are not read in this design, without Verilator's warning."""
    pad = lines[: len(lines) - len(lines.lstrip())]
    off, on = (f"{pad}// verilator lint_{what} UNUSEDSIGNAL\n" for what in ("off", "on"))
    return f"{off}{lines}{on}"


@dataclass(frozen=True)
class StreamTop:
    """A design between two streams.

    Parameters
    ----------
    name : str
        Beginning of the module's name.
    in_bits, out_bits : int
        Of a word at the ports.
    words : int
        Of a frame.
    interval, latency : int
        Cycles between two frames, and from a frame's first word in to its last word out.
    moduli : tuple of int
        Limb by limb; a word holds ``fields`` residues of ``bits`` bits for each of them in turn,
        0 for fields that are not checked.
    fields, bits : int
    inverse : str
        The direction of a frame, an expression.
    frame : str
        What a frame is, for comments.
    choice : tuple of (str, int, str)
        Name, bits and comment of the port that comes with a frame's first word.
    registered : bool
        Whether the enable is registered, between buffers at both ports.
    buffers : str
        Buffers of a frame at both ports, as in ``HardwareParameters``.
    changes : (int, int), optional
        Cycles from a forward frame to an inverse one, and the other way round.
    """

    name: str
    in_bits: int
    out_bits: int
    words: int
    interval: int
    latency: int
    moduli: tuple[int, ...]
    fields: int
    bits: int
    inverse: str = "1'b0"
    frame: str = "transform"
    choice: tuple[str, int, str] = ("s_inverse", 1, "not used")
    registered: bool = False
    buffers: str = "none"
    changes: tuple[int, int] | None = None

    def opening(self) -> str:
        """The module from its name to the instances that see the handshakes.

        What follows reads ``clear``, ``enable``, ``enable_next``, ``inverse``, ``entry_valid``,
        ``entry_first`` and ``entry_word``, and drives ``exit_valid_0`` and ``exit_word``. A choice
        other than ``s_inverse`` is ``entry_choice``, with every word of its frame.
        """
        choice, choice_bits, note = self.choice
        width = f"[{choice_bits - 1}:0] " if choice != "s_inverse" else ""
        chosen = f"  input  logic {width}{choice},  // {note}\n"
        chosen = unread(chosen) if "not used" in note else chosen
        return f"""module {self.name}_top (
  input  logic clk,
  input  logic reset,      // synchronous
  input  logic flush,      // drops all words in flight; the next one is a {self.frame}'s first
  input  logic s_valid,    // stays, as s_data does, until the word is taken: with s_ready
  output logic s_ready,
{chosen}  input  logic s_last,     // with a {self.frame}'s last word
  input  logic [{self.in_bits - 1}:0] s_data,
  output logic m_valid,
  input  logic m_ready,    // the word is given: with m_valid
  output logic m_last,     // with a result's last word
  output logic [{self.out_bits - 1}:0] m_data,
  output logic error_last,  // s_last came too early or not in time; until reset or flush
  output logic error_range  // {self._range_note}
);
{unread(_WIRES)}  logic [{self.in_bits - 1}:0] entry_word;
  logic [{self.out_bits - 1}:0] exit_word;
{self._entry_choice}  assign clear = reset || flush;

{self._frame_buffers()}{self._control()}{self._frame_check()}"""

    @property
    def checked(self) -> bool:
        """Whether there are words that ``error_range`` tells of."""
        return any(self.moduli)

    @property
    def _range_note(self) -> str:
        if not self.checked:
            return "never: every word is allowed"
        return "a residue was not below its modulus; until reset or flush"

    def _frame_buffers(self) -> str:
        """From the ports to what the control has instead of them."""
        if self.buffers == "none":
            return ""
        choice, bits, note = self.choice
        stored = "not used" not in note
        width = self.in_bits + bits * stored
        begin = self.words if self.buffers == "frame" else 1
        chosen = f"  logic [{bits - 1}:0] held_choice;\n" if stored else ""
        given, held = (f"{{{choice}, s_data}}", "{held_choice, held_data}")
        if not stored:
            given, held = "s_data", "held_data"
        return f"""  logic held_valid, held_ready, done_valid, done_ready, done_last;
  logic [{self.in_bits - 1}:0] held_data;
{chosen}  logic [{self.out_bits - 1}:0] done_data;
  nttf_frame_buffer #(
    .WIDTH({width}), .WORDS({self.words}), .DEPTH({self.words}), .BEGIN({begin})
  ) u_in (
    .clk(clk), .reset(clear), .s_valid(s_valid), .s_ready(s_ready), .s_data({given}),
    .m_valid(held_valid), .m_ready(held_ready), .m_data({held}));
  nttf_frame_buffer #(
    .WIDTH({self.out_bits + 1}), .WORDS({self.words}), .DEPTH({self.words}), .BEGIN(1)
  ) u_out (
    .clk(clk), .reset(clear), .s_valid(done_valid), .s_ready(done_ready),
    .s_data({{done_last, done_data}}), .m_valid(m_valid), .m_ready(m_ready),
    .m_data({{m_last, m_data}}));

"""

    def _control(self) -> str:
        s, m = ("s", "m") if self.buffers == "none" else ("held", "done")
        inverse = self.inverse
        if self.buffers != "none" and inverse == self.choice[0]:
            inverse = "held_choice"
        shape = f"""
    .WORDS({self.words}), .INTERVAL({self.interval})"""
        if self.changes:
            shape += f", .TO_INVERSE({self.changes[0]}), .TO_FORWARD({self.changes[1]})"
        ports = f"""
    .clk(clk), .reset(clear), .s_valid({s}_valid), .s_ready({s}_ready), .s_inverse({inverse}),
    .enable(enable), .entry_valid(entry_valid), .entry_first(entry_first), .inverse(inverse),
    .exit_valid(exit_valid_0), .m_valid({m}_valid), .m_ready({m}_ready), .m_last({m}_last)"""
        chosen = self._entry_choice != ""
        given, taken, bits = f"{s}_data", "entry_word", self.in_bits
        choice = self.choice[0] if s == "s" else "held_choice"
        if chosen:  # the choice waits in the buffer beside its word
            given, taken = f"{{{choice}, {s}_data}}", "{entry_choice, entry_word}"
            bits += self.choice[1]
        if self.registered:
            return f"""  nttf_control_registered #({shape},
    .IN_BITS({bits}), .OUT_BITS({self.out_bits})
  ) u_control ({ports},
    .enable_next(enable_next), .s_data({given}), .entry_word({taken}), .exit_word(exit_word),
    .m_data({m}_data)
  );

"""
        return f"""  nttf_control #({shape}
  ) u_control ({ports}
  );
  assign enable_next = 1'b0;  // not used
  assign entry_word  = {s}_data;
  assign {m}_data      = exit_word;
{f"  assign entry_choice = {choice};" if chosen else ""}
"""

    @property
    def _entry_choice(self) -> str:
        """The declaration of the choice inside the design, where it is no direction."""
        if self.choice[0] == "s_inverse":
            return ""
        return f"  logic [{self.choice[1] - 1}:0] entry_choice;\n"

    def _frame_check(self) -> str:
        moduli = packed([q for q in self.moduli for _ in range(self.fields)], self.bits)
        return f"""  nttf_frame_check #(
    .DATA_BITS({self.bits}), .FIELDS({self.fields * len(self.moduli)}), .WORDS({self.words}),
    .MODULI({moduli})
  ) u_frame_check (
    .clk(clk), .reset(clear), .in_valid(s_valid && s_ready), .in_last(s_last),
    .in_data(s_data), .error_last(error_last), .error_range(error_range));

"""

    @property
    def _wrong_word(self) -> str:
        if not self.checked:
            return f"{self.in_bits}'h0"  # not looked at
        return wrong_word(self.moduli, self.fields, self.bits)

    def bench_parameters(self, transforms: int, **changes: int) -> dict[str, int | str]:
        """Parameters of testbench.sv, all transforms forward unless ``changes`` say otherwise."""
        values: dict[str, int | str] = {
            "WORD_BITS": self.out_bits,
            "IN_BITS": self.in_bits,
            "WORDS": self.words,
            "TRANSFORMS": transforms,
            "INVERSE_FROM": transforms,
            "LATENCY_FORWARD": self.latency,
            "LATENCY_INVERSE": 0,
            "INTERVAL": self.interval,
            "RANGE_CHECKED": int(self.checked),
            "WRONG": self._wrong_word,
            "CHOICES": 1,
            "BUFFERED": int(self.buffers != "none"),
            "TO_INVERSE": self.changes[0] if self.changes else 0,
            "TO_FORWARD": self.changes[1] if self.changes else 0,
        }
        return {**values, **changes}
