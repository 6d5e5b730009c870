# SPDX-License-Identifier: Apache-2.0
"""A parameter set of BFV bound to a device, with every table computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from .. import _core
from ..errors import ArgumentTypeError
from ..integer_encoding import Bootstrapper as _Bootstrapper
from ..integer_encoding import SchemeContext
from .parameters import Parameters

if TYPE_CHECKING:
    from ..typing import DeviceName, ProductForm, Target


class Context(SchemeContext):
    """A parameter set on a device: immutable, shared by all objects made with it, thread-safe.

    Parameters
    ----------
    parameters : Parameters
    device : str
        Where to compute: "cpu", a GPU ("cuda", "cuda:1"), or "cuda:host", the GPU's kernels run
        on the host, slowly, for tests. Keys and ciphertexts have the same bytes everywhere.
    threads : int
        Threads of one operation on a CPU; 0 for all this process may use.
    target : str, optional
        Instruction set of a CPU, one of :func:`nttforge.available_targets`.
    product : str
        How ciphertexts are multiplied: "behz"; "hps", "hps_over_q" and "hps_levelled"; or "auto",
        the one that was measured as fastest for n, the words and the device. Products of every form
        decrypt alike; their noise differs little and their words do. "hps_levelled" computes with
        the fewer primes the more noise its operands have. Contexts that differ in this alone share
        keys and ciphertexts.

    Raises
    ------
    UnsupportedError
        The device or target is not in this build or machine.
    ParameterError
        There is no such form of products.

    Examples
    --------
    >>> context = Context(Parameters.preset(4096))
    >>> keys = context.generate_keys()
    >>> c = keys.encrypt([1, 2, -3])
    >>> keys.decrypt(c + c)[:4]
    array([ 2,  4, -6,  0])
    """

    __slots__ = ()
    _scheme: ClassVar[str] = "BFV"
    _core_module: ClassVar[Any] = _core.bfv

    def __init__(
        self,
        parameters: Parameters,
        device: DeviceName = "cpu",
        threads: int = 0,
        target: Target | None = None,
        product: ProductForm = "behz",
    ) -> None:
        if not isinstance(product, str):
            raise ArgumentTypeError(f"product = {product!r}: need the name of a form, or 'auto'")
        # The default is left out, as pickles of before have it.
        super().__init__(
            parameters, device, threads, target, *(() if product == "behz" else (product,))
        )

    @property
    def product(self) -> ProductForm:
        """The form of products: the one that "auto" chose, if it was asked for."""
        return cast("ProductForm", self._core.product)

    @property
    def parameters(self) -> Parameters:
        """The parameter set."""
        return cast("Parameters", self._parameters)


class Bootstrapper(_Bootstrapper):
    __doc__ = _Bootstrapper.__doc__
    __slots__ = ()
    _classes: ClassVar[tuple[Any, Any]] = (Parameters, Context)

    @property
    def context(self) -> Context:
        """The context of the ciphertexts."""
        found: Context = self._context
        return found
