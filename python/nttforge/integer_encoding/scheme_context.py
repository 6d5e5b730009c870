# SPDX-License-Identifier: Apache-2.0
"""What the contexts of schemes for integers make: keys, and recorded functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..rlwe import Graph
from .ciphertext import Ciphertext
from .context import Context
from .key_set import Keys

__all__ = ["SchemeContext"]


class SchemeContext(Context):
    """A parameter set on a device: immutable, shared by all objects made with it, thread-safe.

    Each scheme has its own: :class:`nttforge.bfv.Context`, :class:`nttforge.bgv.Context`.
    """

    __slots__ = ()

    def generate_keys(
        self,
        relinearization: bool | None = None,
        rotations: Iterable[int] = (),
        swap_columns: bool = False,
        inner_sum: int = 1,
        seed: bytes | None = None,
        offload: int | None = None,
    ) -> Keys:
        """A new secret key and what goes with it.

        Parameters
        ----------
        relinearization : bool, optional
            Make the relinearization key; by default if the parameters have a special prime.
        rotations : iterable of int
            Row steps to make rotation keys for.
        swap_columns : bool
            Also the key that swaps the two rows.
        inner_sum : int
            Also the keys that sums over this many slots need (a power of two up to n).
        seed : bytes, optional
            32 bytes from which everything follows: for tests only. By default the operating
            system's generator.
        offload : int, optional
            Evaluation keys are moved to host memory as soon as they are made, and so many of the
            rotation keys are kept on the device, as by :meth:`RotationKeys.offload`. By default
            they all stay on the device.

        Returns
        -------
        Keys
            secret, public, relinearization (or None), rotations (or None if none were asked for).

        Raises
        ------
        UnsupportedError
            Evaluation keys are asked for and the parameters have no special prime, or the rotation
            keys take more memory than there is.
        """
        return Keys.generate(
            self, relinearization, rotations, swap_columns, inner_sum, seed, offload
        )

    def graph(self, function: Callable[..., Any], *examples: Ciphertext) -> Graph:
        """Records what a function does with ciphertexts, to be run again as one piece.

        A GPU starts a recorded product in a fraction of the time of its single operations. The
        function is called twice here, and never again: it must do the same for all arguments, use
        no arrays of the host (encode and prepare plaintexts before) and neither encrypt nor
        decrypt. Devices without graphs call the function each time.

        Parameters
        ----------
        function : callable
            Takes ciphertexts and returns one, or a tuple or list of them.
        *examples : Ciphertext
            What the function is recorded with: later arguments have the same batch, parts, level,
            correction factor and encoding and at most as much noise.

        Returns
        -------
        Graph
            To be called as the function.

        Raises
        ------
        ParameterError
            The function does what a graph cannot have: it waits for a result, uploads or samples.

        Examples
        --------
        >>> from nttforge import bfv
        >>> context = bfv.Context(bfv.Parameters.preset(8192))
        >>> keys = context.generate_keys()
        >>> a, b = keys.encrypt([1, 2, 3]), keys.encrypt([4, 5, 6])
        >>> product = context.graph(lambda x, y: (x * y).relinearize(keys.relinearization), a, b)
        >>> keys.decrypt(product(b, b))[:3]
        array([16, 25, 36])
        """
        return Graph(self, function, examples)
