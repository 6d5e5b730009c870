# SPDX-License-Identifier: Apache-2.0
"""What a design is built of: multiplier blocks, and registers by name or one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from nttforge.errors import ParameterError

_REGISTER_LIMITS = {
    "input_regs": 2,
    "sum_regs": 4,
    "tree_regs": 4,
    "add_regs": 1,
    "reduction_regs": 2,
    "memory_regs": 4,
    "enable_regs": 1,
    "product_regs": 1,
    "carry_bits": 127,
}


@dataclass(frozen=True)
class Tile:
    """Factors of one multiplier block, and rows left over that go to LUTs.

    ``family``: whose modules instantiate the block, where synthesis does not find it. ``ultra``:
    whether its devices can have UltraRAM. ``counted``: whether a tool here counts what they take.
    """

    a_bits: int
    b_bits: int
    lut_bits: int
    family: str = ""
    ultra: bool = False
    counted: bool = True


#: Unsigned parts of signed blocks of 27 x 18, 25 x 18 and 27 x 24; unsigned 18 x 18 and 27 x 27.
BLOCKS = {
    "dsp48e2": Tile(26, 17, 2, ultra=True),
    "dsp48e1": Tile(24, 17, 2),
    "mult18x18d": Tile(18, 18, 2, "ecp5"),
    "dsp58": Tile(26, 23, 2, ultra=True, counted=False),
    "dsp_agilex": Tile(27, 27, 2, counted=False),
}

Choice = Literal["small", "balanced", "fast"]

#: Registers of each named choice, beside those that every design has.
CHOICES: Mapping[str, Mapping[str, int]] = {
    "small": {},
    "balanced": {"memory_regs": 1, "enable_regs": 1},
    "fast": {
        "sum_regs": 4,
        "tree_regs": 3,
        "add_regs": 1,
        "reduction_regs": 2,
        "memory_regs": 4,
        "enable_regs": 1,
        "product_regs": 1,
        "carry_bits": 60,
    },
}


@dataclass(frozen=True)
class Pipeline:
    """What a design is built of: registers and multiplier blocks.

    ``Pipeline.named`` gives the three choices that have a name; the defaults here are those of
    ``small``.

    Parameters
    ----------
    input_regs : int
        In front of the full product, 0 ... 2.
    sum_regs : int
        In the adder tree of a full product, 0 ... 4; at most one for each of its levels, or one.
    tree_regs : int
        In the reduction tree of the solinas core, 0 ... 4.
    block : {"dsp48e2", "dsp48e1", "mult18x18d", "dsp58", "dsp_agilex"}
        Whose size products are cut to: of UltraScale+, 7-series, ECP5, Versal or Agilex devices;
        that of ECP5 is instantiated with its registers.
    add_regs : int
        Between sum and correction of modular additions, 0 or 1.
    reduction_regs : int
        In front of the products of a reduction, 0 or 1; 2: also in Montgomery's sums of tiles.
    memory_regs : int
        1: behind the memories; 2: also in front of them; 3: also at the inputs of a super pipeline;
        4: also before addresses are computed.
    enable_regs : int
        1: a registered enable, one copy for each core, between buffers at both ports.
    product_regs : int
        Behind the product of each tile, 0 or 1: the output register of a DSP block.
    carry_bits : int
        Sums of more bits are cut into parts, each computed for both carries, 0 ... 127; 0: none is.

    Raises
    ------
    ParameterError
        Naming the field, its value and what is allowed.
    """

    input_regs: int = 1
    sum_regs: int = 1
    tree_regs: int = 2
    block: str = "dsp48e2"
    add_regs: int = 0
    reduction_regs: int = 0
    memory_regs: int = 0
    enable_regs: int = 0
    product_regs: int = 0
    carry_bits: int = 0

    def __post_init__(self) -> None:
        for name, limit in _REGISTER_LIMITS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= limit:
                raise ParameterError(f"pipeline.{name} = {value!r} must be in 0 ... {limit}")
        if self.block not in BLOCKS:
            raise ParameterError(
                f"pipeline.block = {self.block!r} must be one of {', '.join(BLOCKS)}"
            )
        if self.tile.family and not (self.input_regs and self.reduction_regs):
            raise ParameterError(
                f"pipeline.block = {self.block!r} needs input_regs and reduction_regs of 1 or "
                "more: registers of its multiplier blocks"
            )

    @classmethod
    def named(cls, name: str, block: str = "dsp48e2", **registers: int) -> Pipeline:
        """The registers of a named choice.

        Parameters
        ----------
        name : {"small", "balanced", "fast"}
            ``small``: as few cycles and flip-flops as there can be; a stalled port stops the design
            in the same cycle. ``balanced``: buffers at both ports, a registered enable, so that no
            path leads from a handshake into the design or from one port to the other, and a
            register behind each memory. ``fast``: also registers in additions, sums and addresses.
        block : {"dsp48e2", "dsp48e1", "mult18x18d", "dsp58", "dsp_agilex"}
        **registers : int
            Single registers in place of the choice's own.

        Raises
        ------
        ParameterError
            If there is no such choice or register.

        Examples
        --------
        >>> Pipeline.named("balanced", add_regs=1).enable_regs
        1
        """
        if name not in CHOICES:
            raise ParameterError(f"pipeline = {name!r} must be one of {', '.join(CHOICES)}")
        for register in registers:
            if register not in _REGISTER_LIMITS:
                raise ParameterError(
                    f"pipeline.{register} is no register; there are {', '.join(_REGISTER_LIMITS)}"
                )
        has = dict(CHOICES[name])
        if block in BLOCKS and BLOCKS[block].family:
            # The least that the block needs, whose output register is behind its product.
            has = {"reduction_regs": 1} | has | {"product_regs": 0, "carry_bits": 0}
        return cls(block=block, **(has | registers))

    @property
    def name(self) -> str:
        """The named choice that this is, or ``own``."""
        for name in CHOICES:
            if self == Pipeline.named(name, self.block):
                return name
        return "own"

    @property
    def registers(self) -> dict[str, int]:
        """The registers by name."""
        return {name: getattr(self, name) for name in _REGISTER_LIMITS}

    @property
    def tile(self) -> Tile:
        """Factors of the multiplier block."""
        return BLOCKS[self.block]

    @property
    def port_cycles(self) -> int:
        """Cycles of a word in the buffers at both ports."""
        return 3 if self.enable_regs else 0


class PipelineField:
    """A dataclass's field that is given a ``Pipeline`` or a choice's name and holds a ``Pipeline``.

    Without a value it is ``balanced`` with blocks of UltraScale+.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._held = f"_{name}"

    def __get__(self, instance: Any, owner: type) -> Pipeline:
        if instance is None:  # the dataclass asks for the default
            return Pipeline.named("balanced")
        held: Pipeline = instance.__dict__[self._held]
        return held

    def __set__(self, instance: Any, value: Pipeline | Choice) -> None:
        if isinstance(value, str):
            value = Pipeline.named(value)
        if not isinstance(value, Pipeline):
            raise ParameterError(
                f"pipeline = {value!r} must be a Pipeline or one of {', '.join(CHOICES)}"
            )
        instance.__dict__[self._held] = value
