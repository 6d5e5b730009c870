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


class Recording(Context):
    """A context that records what functions do with its ciphertexts."""

    __slots__ = ()

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
            correction factor, scale and encoding and at most as much noise.

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
