# SPDX-License-Identifier: Apache-2.0
"""Parameters for what Orion's configuration asks for, and how its levels become ours."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nttforge import ParameterError, ckks

from ..demand import Demand, smallest_set

__all__ = ["Options", "Ring"]

LOG = logging.getLogger("nttforge.orion")
#: Bits of room that bounds on numbers leave below the modulus, and those that numbers have above
#: what the lowest level has room for.
_ROOM, _ABOVE = 3, 6
#: log2 of the least and the largest scale that is taken for Orion's.
_SCALE_BITS, _MOST_SCALE_BITS = 40, 55


@dataclass(frozen=True)
class Options:
    """What :func:`nttforge.orion.use` takes."""

    device: str = "cpu"
    threads: int = 0
    scale_bits: int | None = None
    security: Any = "classical128"
    bootstraps: bool = False
    insecure_n: int | None = None


class Ring:
    """A context with the slots and the levels of a configuration.

    Parameters
    ----------
    logn, logq, logp, logscale, ringtype
        Of Orion's configuration. Of the primes their number and sizes are taken, as far as they say
        how many levels there are and how large numbers get; the primes themselves are ours.
    options : Options
    """

    def __init__(
        self,
        logn: int,
        logq: Sequence[int],
        logp: Sequence[int],
        logscale: int,
        ringtype: str,
        options: Options,
    ) -> None:
        kind = str(ringtype).lower()
        if kind not in ("standard", "conjugateinvariant"):
            raise ParameterError(
                f"ringtype = {ringtype!r} is not one of 'standard', 'conjugateinvariant'"
            )
        if not logq or not 2 <= logn <= 17:
            raise ParameterError(
                f"logn = {logn} with {len(logq)} primes: need logn in 2 ... 17 and one prime"
            )
        self.log_q, self.log_p = [int(b) for b in logq], [int(b) for b in logp]
        self.log_scale = int(logscale)
        self.slots = 1 << (logn - (kind == "standard"))
        self.top = len(logq) - 1
        self.room = float(max(1, self.log_q[0] - self.log_scale - 1))
        self.machine: ckks.Bootstrapper | None = None
        self._lowest = 1
        if options.bootstraps:
            self.context = self._with_bootstraps(options)
        else:
            self.context = self._leveled(options)
        p = self.context.parameters
        LOG.info(
            "Orion's LogN %d (%s) has %d slots: n = %d, scale 2^%.0f, %s",
            logn, kind, self.slots, p.n, math.log2(p.scale), p.security,
        )  # fmt: skip

    def _leveled(self, options: Options) -> ckks.Context:
        demand = Demand(self.top, self.room)
        word_bits = 32 if options.device.startswith("cuda") else 64
        scale_bits = options.scale_bits or min(max(_SCALE_BITS, self.log_scale), _MOST_SCALE_BITS)
        parameters = smallest_set([demand], self.slots, scale_bits, options.security, word_bits)
        return ckks.Context(parameters, options.device, threads=options.threads)  # type: ignore[arg-type]

    def _with_bootstraps(self, options: Options) -> ckks.Context:
        name = "boot16w_40" if options.device.startswith("cuda") else "boot16_40"
        machine = ckks.Bootstrapper.of(
            name, insecure_n=options.insecure_n, device=options.device, threads=options.threads
        )
        most = machine.level - machine.input_level
        if self.top > most or self.slots > machine.context.slots:
            raise ParameterError(
                f"LogQ has {self.top} levels and LogN {self.slots} slots: {name} has {most} levels "
                f"between bootstraps and {machine.context.slots} slots; state fewer"
            )
        self.machine, self._lowest = machine, machine.input_level
        return machine.context

    @property
    def message_slots(self) -> int:
        """Slots of our messages: a bootstrap is for all of the ring, in which vectors repeat."""
        return self.slots if self.machine is None else self.context.slots

    @property
    def moduli(self) -> list[int]:
        """What a rescaling divides Orion's scales by, at each level."""
        return [1 << bits for bits in self.log_q]

    @property
    def usual(self) -> float:
        """What numbers stay below at any level, unless a network is unusual."""
        return float(2.0 ** (self.room + _ABOVE))

    def level(self, level: int) -> int:
        """Our level of one of Orion's."""
        if not 0 <= level <= self.top:
            raise ParameterError(f"level = {level} is out of range [0, {self.top}]")
        return level + self._lowest

    def capacity(self, level: int) -> float:
        """What numbers of one of our levels must stay below."""
        p = self.context.parameters
        first, last = p.levels[level - 1]
        bits = math.fsum(math.log2(q) for q in p.q[first:last])
        return float(2.0 ** min(bits - math.log2(self.context.scale(level)) - _ROOM, 900))
