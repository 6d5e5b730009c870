# SPDX-License-Identifier: Apache-2.0
"""What a design moves through its ports, and how a memory that is slower than they are slows it.

A transform takes W words in W cycles in a row and gives W words in W cycles in a row, W = n / dp.
For so long a port wants a word of all lanes and limbs in every cycle, however seldom transforms
come. A memory that moves less in a cycle leaves the sender owing a word, or the receiver not ready
for one, and either stops the whole design: each such cycle adds to the latency and to the interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Traffic:
    """The words at the ports of a design.

    Parameters
    ----------
    in_bytes, out_bytes : float
        Of a word at each port, of all lanes and limbs: bits / 8, not rounded.
    words : int
        Of a transform, at either port.
    latency, interval : int
        Cycles from a transform's first word in to its last word out, and between the first words of
        two transforms.
    buffered : bool
        Whether both ports have buffers of a transform, so that only averages count back to back.

    Examples
    --------
    [Yan22] Table 7: 21 limbs of 52 bits, n = 16384, dp = 32, pp = 1, 180 MHz, 460 GB/s.

    >>> word = 21 * 32 * 52 / 8
    >>> t = Traffic(word, word, 512, 7184, 7168)
    >>> round(t.peak_bytes * 0.18), round(t.interval_bytes * 0.18, 1)
    (1572, 112.3)
    >>> t.latency_from_memory(460 / 0.18), round(t.interval_from_memory(460 / 0.18))
    (7912, 7910)
    """

    in_bytes: float
    out_bytes: float
    words: int
    latency: int
    interval: int
    buffered: bool = False

    @property
    def overlap(self) -> int:
        """Cycles of an interval in which, back to back, words come and go at the same time."""
        first_out = (self.latency - self.words) % self.interval
        past = first_out + self.words - self.interval  # words of the output in the next interval
        return max(0, self.words - first_out) + max(0, min(self.words, past))

    @property
    def peak_bytes(self) -> float:
        """Most that both ports move in one cycle, back to back."""
        if self.overlap:
            return self.in_bytes + self.out_bytes
        return max(self.in_bytes, self.out_bytes)

    @property
    def interval_bytes(self) -> float:
        """What both ports move in a cycle on the average, back to back."""
        return self.words * (self.in_bytes + self.out_bytes) / self.interval

    def latency_from_memory(self, bytes_per_cycle: float) -> int:
        """Cycles from the first word asked of a memory to the last word in it, one transform alone.

        The memory moves so many bytes in a cycle; how long it takes to answer is not counted.
        """
        slower = (max(1.0, word / bytes_per_cycle) for word in (self.in_bytes, self.out_bytes))
        return self.latency + sum(math.ceil(self.words * rate) - self.words for rate in slower)

    def interval_from_memory(self, bytes_per_cycle: float) -> float:
        """Cycles between the first words of two transforms, back to back from and to a memory."""
        if self.buffered:
            return max(self.interval, self.interval_bytes * self.interval / bytes_per_cycle)
        both = self.overlap
        cycles = float(self.interval - 2 * self.words + both)  # neither port moves
        for bytes_, count in (
            (self.in_bytes, self.words - both),
            (self.out_bytes, self.words - both),
            (self.in_bytes + self.out_bytes, both),
        ):
            cycles += count * max(1.0, bytes_ / bytes_per_cycle)
        return cycles
