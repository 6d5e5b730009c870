# SPDX-License-Identifier: Apache-2.0
"""Devices by name: their multiplier block and what they have of each resource."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import ParameterError
from .cores import DEVICE_PIPELINES, Pipeline


@dataclass(frozen=True)
class Device:
    """Resources of a device; ``bandwidth_gb_s`` is that of its memory, None where it has none.

    ``block`` is one of ``cores.BLOCKS``; ``family`` is what Yosys calls it.
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
_FAMILIES = {"generic": "dsp48e2", "xcup": "dsp48e2", "xc7": "dsp48e1"}


def device_pipeline(name: str) -> Pipeline:
    """Multiplier blocks and registers for a device or a family.

    Raises
    ------
    ParameterError
        If none has this name.

    Examples
    --------
    >>> device_pipeline("xcu200").block, device_pipeline("xc7").block
    ('dsp48e2', 'dsp48e1')
    """
    if name in DEVICE_PIPELINES:
        return DEVICE_PIPELINES[name]
    if name in DEVICES:
        return Pipeline(block=DEVICES[name].block)
    if name not in _FAMILIES:
        allowed = ", ".join([*_FAMILIES, *DEVICE_PIPELINES, *DEVICES])
        raise ParameterError(f"device = {name!r} must be one of {allowed}")
    return Pipeline(block=_FAMILIES[name])
