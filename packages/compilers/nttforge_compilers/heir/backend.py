# SPDX-License-Identifier: Apache-2.0
"""What ``heir.compile(backend=...)`` takes: programs compiled and run from Python."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nttforge import ArgumentTypeError, MissingKeyError, ParameterError

from ..program import Program
from .program import load

__all__ = ["Backend", "Client", "EncryptedArgument"]


@dataclass(frozen=True, eq=False)
class EncryptedArgument:
    """An argument that was encrypted, and its name, so that arguments cannot be mixed up."""

    identifier: str
    value: Any


class Client:
    """A compiled function: owner of keys, and what runs it on ciphertexts.

    Called with numbers it does all by itself; else ``setup()``, ``encrypt_NAME(value)`` for each
    argument, ``eval(...)`` and ``decrypt_result(...)``.

    Parameters
    ----------
    program : Program
    names : sequence of str
        Of the arguments.
    device : str
    options : mapping
        Of :meth:`Program.parameters`.
    """

    func: Any = None  #: What was compiled, in Python; HEIR sets it.

    def __init__(
        self, program: Program, names: Sequence[str], device: str, options: dict[str, Any]
    ) -> None:
        self.program = program
        self._names, self._device, self._options = tuple(names), device, options
        self._keys: Any = None

    def setup(self) -> None:
        """Parameters and keys are made."""
        context = self.program.context(self._device, **self._options)
        self._keys = context.generate_keys(**self.program.required_keys())

    @property
    def keys(self) -> Any:
        """The keys that :meth:`setup` made, the secret one among them."""
        if self._keys is None:
            raise MissingKeyError(f"{self.program.name} has no keys yet: call setup() first")
        return self._keys

    def eval(self, *arguments: EncryptedArgument) -> Any:
        """The function on encrypted arguments."""
        given = []
        for name, argument in zip(self._names, arguments, strict=False):
            if not isinstance(argument, EncryptedArgument):
                raise ArgumentTypeError(
                    f"{name} is a {type(argument).__name__}: need what encrypt_{name} gives"
                )
            if argument.identifier != name:
                raise ParameterError(
                    f"{name} was encrypted by encrypt_{argument.identifier}: take encrypt_{name}"
                )
            given.append(argument.value)
        return self.program.run(*given, keys=self.keys)

    def decrypt_result(self, result: Any) -> Any:
        """The numbers of what :meth:`eval` gave."""
        return self.program.decrypt(result, self.keys)

    def original(self, *arguments: Any) -> Any:
        """The function that was compiled, in Python."""
        return self.func(*arguments)

    def __call__(self, *arguments: Any) -> Any:
        """Keys, encryption, the function and decryption in one."""
        if self._keys is None:
            self.setup()
        bound = self._options.get("bound", 1.0)
        texts = self.program.encrypt(*arguments, keys=self.keys, bound=bound)
        return self.decrypt_result(self.program.run(*texts, keys=self.keys))

    def __getattr__(self, name: str) -> Any:
        argument = name.removeprefix("encrypt_")
        if argument == name or argument not in self.__dict__.get("_names", ()):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        index = self._names.index(argument)

        def encrypt(value: Any) -> EncryptedArgument:
            bound = self._options.get("bound", 1.0)
            text = self.program.encrypt_argument(index, value, self.keys, bound)
            return EncryptedArgument(argument, text)

        return encrypt


class Backend:
    """HEIR's hook: ``heir.compile(backend=nttforge.heir.Backend())``.

    Parameters
    ----------
    device : str
        "cpu" or a GPU.
    **options
        ``security``, and of CKKS ``bound`` and ``scale_bits``, of :meth:`Program.parameters`.

    Examples
    --------
    >>> from heir import compile  # doctest: +SKIP
    >>> @compile(scheme="bgv", backend=Backend())  # doctest: +SKIP
    ... def product(x: Secret[I16], y: Secret[I16]): return x * y
    >>> product(6, 7)  # doctest: +SKIP
    42
    """

    def __init__(self, device: str = "cpu", **options: Any) -> None:
        self._device, self._options = device, options
        try:
            interfaces = importlib.import_module("heir.interfaces")
        except ImportError:
            return  # what is compiled elsewhere needs no HEIR here
        interfaces.BackendInterface.register(type(self))

    def run_backend(
        self,
        workspace_dir: Any,
        heir_opt: Any,
        heir_translate: Any,
        func_name: str,
        arg_names: Sequence[str],
        secret_args: Sequence[int],
        heir_opt_output: str,
        debug: bool,
    ) -> Client:
        """Called by HEIR with what it compiled."""
        clear = [name for i, name in enumerate(arg_names) if i not in secret_args]
        if clear:
            raise ParameterError(
                f"{func_name} has the arguments {', '.join(clear)} in the clear: make them secret "
                "or constants"
            )
        generic = heir_opt.run_binary(
            input=heir_opt_output,
            options=["--mlir-print-op-generic", "--mlir-print-elementsattrs-with-hex-if-larger=-1"],
        )
        return Client(load(generic), arg_names, self._device, self._options)
