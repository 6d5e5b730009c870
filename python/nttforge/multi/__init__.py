# SPDX-License-Identifier: Apache-2.0
"""Several devices in one process: keys on each of them once, and a batch shared out among them.

>>> from nttforge import bfv, multi
>>> context = bfv.Context(bfv.Parameters.preset(4096))
>>> keys = context.generate_keys()
>>> batch = keys.encrypt([[1, 2], [3, 4], [5, 6]])
>>> places = multi.Places(["cpu", "cpu"], keys.evaluation)
>>> squares = multi.map(lambda c, place: c.square().relinearize(place.keys), batch, places)
>>> keys.decrypt(squares)[:, :2].tolist()
[[1, 4], [9, 16], [25, 36]]
"""

from __future__ import annotations

from .places import Place, Places
from .sharing import map

__all__ = ["Place", "Places", "map"]


def __dir__() -> list[str]:
    return sorted(__all__)
