# SPDX-License-Identifier: Apache-2.0
"""The calls of a plan: transforms and products of arrays, whose type is the result's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from ..cuda._plan import DevicePlan
    from ..typing import HostWords, IntegerRows, WordArray
    from ._host_plan import HostPlan


class PlanCalls:
    """What :class:`nttforge.NttPlan` does with arrays, on the CPU or on a GPU.

    To a type checker a PyTorch tensor gives a tensor, as it does on a GPU; of a tensor in host
    memory a plan for the CPU makes a NumPy array.
    """

    __slots__ = ("_plan",)
    _plan: HostPlan | DevicePlan

    @overload
    def forward(
        self,
        x: WordArray,
        out: WordArray | None = None,
        check: bool | None = None,
        stream: object = None,
    ) -> WordArray: ...

    @overload
    def forward(
        self, x: IntegerRows, out: WordArray, check: bool | None = None, stream: object = None
    ) -> WordArray: ...

    @overload
    def forward(
        self, x: IntegerRows, out: None = None, check: bool | None = None, stream: object = None
    ) -> HostWords: ...

    def forward(
        self, x: Any, out: Any = None, check: bool | None = None, stream: object = None
    ) -> Any:
        """Transform of each row.

        Parameters
        ----------
        x : array, shape (..., limbs, n) or (..., n)
            Residues in [0, q), in ``input_order``; signed integers in (-q, q) are copied.
        out : array, optional
            Where the result goes, same shape; ``out=x`` works in place, fastest on cache lines
            (:func:`nttforge.empty`). A new array, which is on lines, if not given.
        check : bool
            Verify that every unsigned residue is below its modulus; if not, such input gives wrong
            output. Signed ones are always checked.
            By default done on the CPU and not on a GPU, where it waits for the stream.
        stream : optional
            GPU only: a stream object or its address.

        Returns
        -------
        array
            ``out``, residues in [0, q), in ``output_order``.

        Raises
        ------
        ArgumentTypeError, SizeError
            Wrong dtype; wrong shape, layout, overlap, or a read-only ``out``.
        ParameterError
            A residue is not below its modulus; the message says which.
        """
        return self._plan.unary("forward", x, out, check, stream)

    @overload
    def inverse(
        self,
        x: WordArray,
        out: WordArray | None = None,
        check: bool | None = None,
        stream: object = None,
    ) -> WordArray: ...

    @overload
    def inverse(
        self, x: IntegerRows, out: WordArray, check: bool | None = None, stream: object = None
    ) -> WordArray: ...

    @overload
    def inverse(
        self, x: IntegerRows, out: None = None, check: bool | None = None, stream: object = None
    ) -> HostWords: ...

    def inverse(
        self, x: Any, out: Any = None, check: bool | None = None, stream: object = None
    ) -> Any:
        """Inverse transform of each row: undoes :meth:`forward` exactly, factor 1/n included.

        Parameters, result and errors as for :meth:`forward`, with the two orders exchanged.
        """
        return self._plan.unary("inverse", x, out, check, stream)

    @overload
    def multiply(
        self,
        a: WordArray,
        b: WordArray,
        out: WordArray | None = None,
        check: bool | None = None,
        stream: object = None,
    ) -> WordArray: ...

    @overload
    def multiply(
        self,
        a: IntegerRows,
        b: IntegerRows,
        out: WordArray,
        check: bool | None = None,
        stream: object = None,
    ) -> WordArray: ...

    @overload
    def multiply(
        self,
        a: IntegerRows,
        b: IntegerRows,
        out: None = None,
        check: bool | None = None,
        stream: object = None,
    ) -> HostWords: ...

    def multiply(
        self, a: Any, b: Any, out: Any = None, check: bool | None = None, stream: object = None
    ) -> Any:
        """``a * b`` residue by residue: the product of transformed polynomials.

        ``out`` may be ``a`` or ``b``. Shapes and errors as for :meth:`forward`.
        """
        return self._plan.binary("multiply", a, b, out, check, stream)

    @overload
    def multiply_accumulate(
        self,
        a: WordArray,
        b: WordArray,
        accumulator: WordArray,
        check: bool | None = None,
        stream: object = None,
    ) -> WordArray: ...

    @overload
    def multiply_accumulate(
        self,
        a: IntegerRows,
        b: IntegerRows,
        accumulator: WordArray,
        check: bool | None = None,
        stream: object = None,
    ) -> WordArray: ...

    def multiply_accumulate(
        self, a: Any, b: Any, accumulator: Any, check: bool | None = None, stream: object = None
    ) -> Any:
        """``accumulator += a * b`` residue by residue; returns ``accumulator``.

        Shapes and errors as for :meth:`forward`.
        """
        return self._plan.binary("multiply_accumulate", a, b, accumulator, check, stream)

    @overload
    def polynomial_product(
        self,
        a: WordArray,
        b: WordArray,
        out: WordArray | None = None,
        check: bool | None = None,
        stream: object = None,
        workspace: WordArray | None = None,
    ) -> WordArray: ...

    @overload
    def polynomial_product(
        self,
        a: IntegerRows,
        b: IntegerRows,
        out: WordArray,
        check: bool | None = None,
        stream: object = None,
        workspace: WordArray | None = None,
    ) -> WordArray: ...

    @overload
    def polynomial_product(
        self,
        a: IntegerRows,
        b: IntegerRows,
        out: None = None,
        check: bool | None = None,
        stream: object = None,
        workspace: None = None,
    ) -> HostWords: ...

    def polynomial_product(
        self,
        a: Any,
        b: Any,
        out: Any = None,
        check: bool | None = None,
        stream: object = None,
        workspace: Any = None,
    ) -> Any:
        """``a * b`` in the ring, all in coefficient form (``input_order``).

        ``out`` may be ``a`` or ``b``. Shapes and errors as for :meth:`forward`. On a GPU
        ``workspace`` is an array like ``out``, allocated if not given; a stream that is being
        captured needs both. On the CPU it is ignored.
        """
        return self._plan.binary("polynomial_product", a, b, out, check, stream, workspace)

    @overload
    def sum_of_products(
        self,
        a: WordArray,
        b: WordArray,
        out: WordArray | None = None,
        check: bool | None = None,
        stream: object = None,
    ) -> WordArray: ...

    @overload
    def sum_of_products(
        self,
        a: IntegerRows,
        b: IntegerRows,
        out: WordArray,
        check: bool | None = None,
        stream: object = None,
    ) -> WordArray: ...

    @overload
    def sum_of_products(
        self,
        a: IntegerRows,
        b: IntegerRows,
        out: None = None,
        check: bool | None = None,
        stream: object = None,
    ) -> HostWords: ...

    def sum_of_products(
        self, a: Any, b: Any, out: Any = None, check: bool | None = None, stream: object = None
    ) -> Any:
        """``a[0] * b[0] + a[1] * b[1] + ...`` in the ring, all in coefficient form.

        Products are added up as values, so there is one inverse transform for all terms.

        Parameters
        ----------
        a, b : array, shape (terms, ..., n) or (terms, ..., limbs, n)
            At least one term; the same array twice is transformed once.
        out : array, optional
            The shape without ``terms``; it must not overlap ``a`` or ``b``.

        Raises
        ------
        ArgumentTypeError, SizeError, ParameterError
            As for :meth:`forward`; ParameterError also on a GPU: use :meth:`forward`,
            :meth:`multiply_accumulate` and :meth:`inverse` there.
        """
        return self._plan.sum_of_products(a, b, out, check, stream)
