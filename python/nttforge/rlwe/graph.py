# SPDX-License-Identifier: Apache-2.0
"""Functions of ciphertexts that a GPU records once and then runs as one piece."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ..errors import ArgumentTypeError, SizeError, UnsupportedError
from ._require import require
from .ciphertext import Ciphertext
from .context import Context

__all__ = ["Graph"]


class Graph:
    """A recorded function; made by :meth:`Context.graph`.

    Calls copy their arguments to the memory that was recorded, run the graph and return copies of
    its results. They may come from several threads, and follow one another.
    """

    __slots__ = ("_context", "_core", "_function", "_inputs", "_lock", "_results", "_single")

    def __init__(
        self, context: Context, function: Callable[..., Any], examples: tuple[Ciphertext, ...]
    ) -> None:
        for i, example in enumerate(examples):
            require(example, Ciphertext, f"examples[{i}]")
        if not examples:
            raise SizeError(
                "examples is empty: a graph has at least one ciphertext as its argument"
            )
        self._context = context
        self._function = function
        self._lock = threading.Lock()
        self._inputs = tuple(example.to(context) for example in examples)
        self._core: Any = None
        # Once without recording: errors come up as they do elsewhere, and tables are made.
        self._keep(function(*self._inputs))
        try:
            capture = context._core.begin_capture()
        except UnsupportedError:
            return
        try:
            self._keep(function(*self._inputs))
            self._core = capture.finish()
        finally:
            del capture

    @property
    def is_recorded(self) -> bool:
        """False where the device has no graphs, and calls call the function."""
        return self._core is not None

    def _keep(self, results: Any) -> None:
        self._single = isinstance(results, Ciphertext)
        kept = (results,) if self._single else results
        if not isinstance(kept, (tuple, list)) or not all(isinstance(x, Ciphertext) for x in kept):
            raise ArgumentTypeError(
                f"function returned a {type(results).__name__}: need a Ciphertext, or a tuple or "
                "list of them"
            )
        self._results = tuple(kept)

    def __call__(self, *arguments: Ciphertext) -> Any:
        """The function's result for these ciphertexts: one, or a tuple if it returns several.

        Raises
        ------
        SizeError
            There are more or fewer arguments than examples.
        ParameterError
            An argument differs from its example in batch, parts, level, correction factor or
            encoding, or its noise may be larger.
        """
        if len(arguments) != len(self._inputs):
            raise SizeError(
                f"{len(arguments)} arguments: the function was recorded with {len(self._inputs)}"
            )
        for i, argument in enumerate(arguments):
            require(argument, Ciphertext, f"arguments[{i}]")
        with self._lock:
            for own, argument in zip(self._inputs, arguments, strict=True):
                own._core.overwrite(argument._core)
            if self._core is None:
                self._keep(self._function(*self._inputs))
            else:
                self._core.run(self._context._core)
            copies = tuple(result.to(self._context) for result in self._results)
        return copies[0] if self._single else copies
