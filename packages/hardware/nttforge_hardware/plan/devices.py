# SPDX-License-Identifier: Apache-2.0
"""Devices by name: their multiplier block and what they have of each resource."""

from __future__ import annotations

from dataclasses import dataclass

from nttforge.errors import ParameterError

from .pipeline import Pipeline


@dataclass(frozen=True)
class Device:
    """Resources of a device; ``bandwidth_gb_s`` is that of its memory, None where it has none.

    ``block`` is one of ``pipeline.BLOCKS``; ``family`` is what Yosys calls it, if it knows it, or
    ours. ``ramb18`` are blocks of 18 kbit, of Agilex the M20K of 20 kbit; ``uram`` UltraRAM blocks.
    Two LUTs are an ALM of Agilex, whose four registers are ``ffs``.
    """

    family: str
    block: str
    dsps: int
    ramb18: int
    luts: int
    ffs: int
    bandwidth_gb_s: float | None = None
    uram: int = 0
    source: str = "[Yan22] Table 2"


_ULTRA = (
    "; UltraRAM: DS890, UltraScale Architecture and Product Data Sheet, Virtex UltraScale+ table"
)
#: Names without package and speed grade.
DEVICES = {
    "xcu200": Device(
        "xcup", "dsp48e2", 6840, 2 * 2160, 1_182_000, 2_364_000, 78, 960, "[Yan22] Table 2" + _ULTRA
    ),
    "xcu280": Device(
        "xcup",
        "dsp48e2",
        8490,
        2 * 2016,
        1_304_000,
        2_607_000,
        460,
        960,
        "[Yan22] Table 2" + _ULTRA,
    ),
    "xc7vx690": Device("xc7", "dsp48e1", 3600, 2 * 1470, 433_000, 866_000, 78),
    "lfe5u85": Device(
        "ecp5",
        "mult18x18d",
        156,
        208,
        83_640,
        83_640,
        source="FPGA-DS-02012, ECP5 and ECP5-5G Family Data Sheet, Table 1.1, LFE5U-85; LUTs and "
        "flip-flops as nextpnr-ecp5 has them",
    ),
    "xcau25p": Device(
        "xcup",
        "dsp48e2",
        1200,
        2 * 300,
        141_000,
        282_000,
        source="DS890, UltraScale Architecture and Product Data Sheet: Overview, Artix UltraScale+ "
        "FPGA feature summary, AU25P",
    ),
    "xcvc1902": Device(
        "versal",
        "dsp58",
        1968,
        2 * 967,
        899_840,
        1_799_680,
        uram=463,
        source="DS950, Versal Architecture and Product Data Sheet: Overview, Versal AI Core series "
        "table, VC1902; DSP58 also in AM004, Table 1",
    ),
    "agf014": Device(
        "agilex",
        "dsp_agilex",
        4510,
        7110,
        2 * 487_200,
        4 * 487_200,
        source="Agilex 7 FPGAs and SoCs Device Overview (document 683458), F-Series family plan, "
        "AGF 014",
    ),
}
_FAMILIES = {"generic": "dsp48e2", "xcup": "dsp48e2", "xc7": "dsp48e1", "ecp5": "mult18x18d"}
_FAMILIES |= {"versal": "dsp58", "agilex": "dsp_agilex"}
#: Choices of registers that are not the default everywhere: blocks of ECP5 are slow without.
_CHOSEN = {"ecp5": "fast"}


def device_pipeline(name: str, pipeline: str | None = None, **registers: int) -> Pipeline:
    """Multiplier blocks and registers for a device or a family.

    Parameters
    ----------
    name : str
        A device of ``DEVICES``, or a family: generic, xcup, xc7, ecp5, versal or agilex.
    pipeline : {"small", "balanced", "fast"}, optional
        By default ``balanced``, for ecp5 ``fast``.
    **registers : int
        Single registers in place of the choice's own.

    Raises
    ------
    ParameterError
        If no device, choice or register has this name, or there cannot be so many.

    Examples
    --------
    >>> device_pipeline("xcu200").block, device_pipeline("xc7", "fast").block
    ('dsp48e2', 'dsp48e1')
    """
    if name not in DEVICES and name not in _FAMILIES:
        allowed = ", ".join([*_FAMILIES, *DEVICES])
        raise ParameterError(f"device = {name!r} must be one of {allowed}")
    block = DEVICES[name].block if name in DEVICES else _FAMILIES[name]
    return Pipeline.named(pipeline or default_choice(name), block, **registers)


def default_choice(device: str) -> str:
    """The named choice of registers of a device's designs where none is asked for."""
    family = DEVICES[device].family if device in DEVICES else device
    return _CHOSEN.get(family, "balanced")


def check_memories(device: str, memories: str) -> None:
    """Raises ParameterError if ``memories`` is "ultra" and the device has no UltraRAM."""
    if memories == "ultra" and device in DEVICES and not DEVICES[device].uram:
        having = ", ".join(name for name, found in DEVICES.items() if found.uram)
        raise ParameterError(
            f"memories = 'ultra': {device} has no UltraRAM; use 'block' or one of {having}"
        )
