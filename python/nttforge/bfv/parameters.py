# SPDX-License-Identifier: Apache-2.0
"""Parameter sets of BFV."""

from __future__ import annotations

import math

from .. import _arguments as arguments
from .. import _core, integer_encoding
from ..integer_encoding.parameters import signed_range


class Parameters(integer_encoding.Parameters):
    """An immutable, validated set; made by :meth:`preset`, :meth:`custom` or :meth:`badawi2018`.

    Examples
    --------
    >>> p = Parameters.preset(8192)
    >>> p.n, p.t, p.has_batching
    (8192, 65537, True)
    >>> p == Parameters.from_bytes(p.to_bytes())
    True
    """

    __slots__ = ()
    _core_class = _core.bfv.Parameters
    _builders = "Parameters.preset(n), Parameters.custom(...), Parameters.badawi2018(n)"

    @classmethod
    def badawi2018(cls, n: int, t: int = 2) -> Parameters:
        """A set of [Bad18b] Table 4: n = 2^11 ... 2^14; below 128-bit security today."""
        n = arguments.integer("n", n, 1, 2**17, "the paper has n = 2^11, 2^12, 2^13, 2^14")
        t = arguments.integer("t", t, 0, 2**60 - 1)
        return cls._wrap(cls._core_class.badawi2018(n, t))

    def explain(self) -> str:
        """What this set computes, in sentences: slots, range, noise, prices of operations, sizes.

        The bits are those of the bounds that ciphertexts carry, each for an operation on a fresh
        ciphertext of the public key.

        Examples
        --------
        >>> print(Parameters.preset(8192).explain().splitlines()[0])
        8192 slots in two rows of 4096; integers modulo t = 65537, signed -32768 ... 32768.
        """
        model, level = _core.bfv.NoiseModel(self._core), len(self.q)
        fresh, limit = model.fresh_public(), model.limit_log2(level)

        def price(noise: tuple[float, float, float]) -> str:
            return f"{noise[0] - fresh[0]:.1f}"

        low, high = signed_range(self.t)
        where = f"{self.n} slots in two rows of {self.n // 2}" if self.has_batching else "No slots"
        lines = [
            f"{where}; integers modulo t = {self.t}, signed {low} ... {high}.",
            f"A fresh ciphertext has {limit - fresh[0]:.1f} bits of noise budget. Bits that an "
            f"operation takes: a sum of two {price(model.add(fresh, fresh))}, a product with an "
            f"array at most {math.log2(self.n * (self.t // 2)):.1f}, with a constant c log2 |c|, "
            f"of two ciphertexts {price(model.multiply(fresh, fresh, 1))}"
            + (
                f", a rotation {price(model.key_switch(fresh, level))} (less after others)."
                if self.has_evaluation_keys
                else "; nothing is rotated or relinearized, without special primes."
            ),
            f"Promised depth: {self.promised_depth} levels, each a product of two sums, plus a "
            "plaintext, rotated once.",
        ]
        sizes = self.serialized_sizes()
        keys = "none"
        if self.has_evaluation_keys:
            keys = f"relinearization {sizes['relinearization_key']}, each rotation "
            keys += f"{sizes['rotation_key']}"
        lines.append(f"Bytes: ciphertext {sizes['ciphertext']}; evaluation keys: {keys}.")
        bits, why = self.security_verdict()
        lines.append(f"Security: {bits} bits; {why}.")
        return "\n".join(lines)
