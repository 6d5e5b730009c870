# SPDX-License-Identifier: Apache-2.0
"""What the contexts of schemes for integers make: keys, and recorded functions."""

from __future__ import annotations

from collections.abc import Iterable

from ..rlwe import Recording
from .context import Context
from .key_set import Keys


class SchemeContext(Recording, Context):
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
