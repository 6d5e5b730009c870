# SPDX-License-Identifier: Apache-2.0
"""JSON that is compact and readable in a diff: short values on one line, long lists filled."""

from __future__ import annotations

import json
import textwrap

WIDTH = 120


def to_json(value: object) -> str:
    """The text of ``value`` with a line end.

    Examples
    --------
    >>> print(to_json({"n": 4, "x": [1, 2]}), end="")
    {"n": 4, "x": [1, 2]}
    """
    return _render(value, 0) + "\n"


def _render(value: object, depth: int) -> str:
    flat = json.dumps(value)
    if len(flat) + depth <= WIDTH or not isinstance(value, dict | list):
        return flat
    indent = " " * (depth + 1)
    if isinstance(value, dict):
        items = [f"{json.dumps(k)}: {_render(v, depth + 1)}" for k, v in value.items()]
        opening, closing = "{", "}"
    elif all(not isinstance(v, dict | list | str) for v in value):
        lines = textwrap.wrap(flat[1:-1], WIDTH - depth, subsequent_indent=indent)
        return "[" + "\n".join(lines) + "]"
    else:
        items = [_render(v, depth + 1) for v in value]
        opening, closing = "[", "]"
    body = ",\n".join(indent + item for item in items)
    return f"{opening}\n{body}\n{' ' * depth}{closing}"
