# SPDX-License-Identifier: Apache-2.0
"""Circuits on encrypted arrays as an HTTP service that holds no secret, and its client.

``nttforge serve FILE`` serves the circuits of a Python file; ``nttforge.remote`` is the client,
which alone has the secret key. ``docs/serving.md`` is the guide. Read ``circuits.py`` first.
"""

from __future__ import annotations

from .circuits import Circuit, circuit

__all__ = ["Circuit", "circuit"]


def __dir__() -> list[str]:
    return sorted(__all__)
