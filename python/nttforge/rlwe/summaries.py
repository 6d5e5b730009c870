# SPDX-License-Identifier: Apache-2.0
"""What an object says of itself: a line of text, and a small table in notebooks."""

from __future__ import annotations

import html
from typing import Any


class Summarised:
    """Has a repr made of facts, each with its name; none of them is secret."""

    __slots__ = ()

    def _facts(self) -> dict[str, Any]:
        raise NotImplementedError

    def __repr__(self) -> str:
        facts = ", ".join(f"{name} {value}" for name, value in self._facts().items())
        return f"<{type(self).__name__}: {facts}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{html.escape(name)}</th><td>{html.escape(str(value))}</td></tr>"
            for name, value in self._facts().items()
        )
        return f"<table><caption>{html.escape(type(self).__name__)}</caption>{rows}</table>"
