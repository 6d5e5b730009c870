# SPDX-License-Identifier: Apache-2.0
"""Devices by name: their multiplier block and what they have of each resource."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import ParameterError
from .pipeline import Pipeline


@dataclass(frozen=True)
class Device:
    """Resources of a device; ``bandwidth_gb_s`` is that of its memory, None where it has none.

    ``block`` is one of ``pipeline.BLOCKS``; ``family`` is what Yosys calls it.
    """

    family: str
    block: str
    dsps: int
    ramb18: int
    luts: int
    ffs: int
    bandwidth_gb_s: float | None = None


#: [Yan22] Table 2.
DEVICES = {
    "xcu200": Device("xcup", "dsp48e2", 6840, 2 * 2160, 1_182_000, 2_364_000, 78),
    "xcu280": Device("xcup", "dsp48e2", 8490, 2 * 2016, 1_304_000, 2_607_000, 460),
    "xc7vx690": Device("xc7", "dsp48e1", 3600, 2 * 1470, 433_000, 866_000, 78),
}
_FAMILIES = {"generic": "dsp48e2", "xcup": "dsp48e2", "xc7": "dsp48e1", "ecp5": "mult18x18d"}
#: Choices of registers that are not the default everywhere: blocks of ECP5 are slow without.
_CHOSEN = {"ecp5": "fast"}


def device_pipeline(name: str, pipeline: str | None = None, **registers: int) -> Pipeline:
    """Multiplier blocks and registers for a device or a family.

    Parameters
    ----------
    name : str
        A device of ``DEVICES``, or a family: generic, xcup, xc7 or ecp5.
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
    return _CHOSEN.get(device, "balanced")
