# SPDX-License-Identifier: Apache-2.0
"""A property of a module, and the faults that its proof must find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Fault:
    """A mistake put into a source or into a parameter, for a proof to find."""

    name: str
    file: str = ""
    old: str = ""
    new: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Theorem:
    """A property of a module with all inputs free.

    Parameters
    ----------
    name, statement : str
    top : str
        The module of hardware/formal that states it. Without one, ``sources`` are a design whose
        constants, tables and images are compared with the definition.
    parameters : dict
    cycles : int
        How long the run is that is looked at; the statement says what follows for longer ones.
    links : dict
        Inputs of ``top`` that show inner wires.
    cut : tuple of str
        Cells whose outputs are free.
    sources : dict
        Files beside those of hardware/rtl and hardware/formal.
    faults : tuple of Fault
    quick : bool
        Seconds; the others take up to minutes.
    registers : bool
        False: registers become wires before.
    """

    name: str
    statement: str
    top: str
    parameters: Mapping[str, object]
    cycles: int
    links: dict[str, str] = field(default_factory=dict)
    cut: tuple[str, ...] = ()
    sources: dict[str, str] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    quick: bool = False
    registers: bool = True
