# SPDX-License-Identifier: Apache-2.0
"""A batch in parts, each to the device that is free first."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._parallel import told
from ..errors import ArgumentTypeError, NttforgeError, ParameterError, SizeError
from ..rlwe import Context, stack
from ..rlwe.batches import BatchObject
from ..rlwe.objects import ContextObject
from .places import Place, Places

if TYPE_CHECKING:
    from ..typing import DeviceName

__all__ = ["map"]

#: Parts for each device: enough that the last ones end together, few enough to be large.
PARTS_EACH = 4
_WAIT_S = 0.1  # between looks at signals


def map(  # the name that such functions have
    function: Callable[[Any, Place], Any],
    batch: Any,
    devices: Places | Iterable[DeviceName] | None = None,
    *,
    part: int | None = None,
    reduce: Callable[[Any, Any], Any] | None = None,
    title: str = "",
) -> Any:
    """``function`` of every part of a batch, on several devices at the same time.

    The batch is cut into parts of consecutive elements. Each device has a thread that takes the
    next part, moves it there, calls ``function(part, place)`` and takes another, so that a slower
    device takes fewer. Results come back in the order of the batch, to where it is; they do not
    depend on the number of devices.

    Parameters
    ----------
    function : callable
        Takes a part and a :class:`Place`, whose ``keys``, ``context`` and ``once`` are of the
        device. It is called from several threads. Operations of this library run side by side;
        other Python code does not.
    batch : Ciphertext or Plaintext with a batch, numpy array, or sequence
        Ciphertexts and plaintexts, also those in a sequence, are moved to the device; arrays, cut
        along their first axis, and other things are handed over as they are.
    devices : Places or iterable of str, optional
        Names are made into places for this call alone, without keys; with :class:`Places` the keys
        are copied once for many calls.
    part : int, optional
        Elements of a part. Without it the batch makes four parts for each device.
    reduce : callable, optional
        ``reduce(a, b)`` joins the results of two parts, from the first to the last.
    title : str
        Of the progress on standard error; none if empty.

    Returns
    -------
    Ciphertext, Plaintext, array or list
        With ``reduce`` one result. Else ciphertexts and plaintexts are stacked, arrays joined along
        their first axis, lists and tuples joined to a list, and other results are a list with one
        for each part.

    Raises
    ------
    ParameterError, SizeError, ArgumentTypeError
        The batch is empty or none, or ``part`` is not in 1 ... 2^20.
    Exception
        What ``function`` raised first, with the elements and the device in its message if it is of
        this package. No further parts are begun, those in progress end, and nothing is returned.
    """
    if not callable(function):
        raise ArgumentTypeError(f"function is a {type(function).__name__}: need a callable")
    home, count, cut = _taken(batch)
    places = devices if isinstance(devices, Places) else Places(devices, context=home)
    if part is None:
        part = -(-count // (PARTS_EACH * len(places)))
    if isinstance(part, bool) or not isinstance(part, int) or not 1 <= part <= 1 << 20:
        raise ParameterError(f"part = {part!r} must be in 1 ... 2^20 elements")
    if home is not None and places[0].context is None:
        places = Places([place.device for place in places], context=home)
    starts = range(0, count, part)
    results = _Run(function, cut, starts, count, part, home).of(places, title)
    if reduce is not None:
        joined = results[0]
        for result in results[1:]:
            joined = reduce(joined, result)
        return joined
    return _joined(results)


def _taken(batch: Any) -> tuple[Context | None, int, Callable[[int, int], Any]]:
    """The context of a batch, its length, and how a part of it is had."""
    if isinstance(batch, BatchObject):
        return batch.context, batch.batch, lambda a, b: batch if batch.batch == 1 else batch[a:b]
    if isinstance(batch, np.ndarray):
        if batch.ndim == 0:
            raise SizeError("batch has no axis: its first one is what is shared out")
    elif not isinstance(batch, Sequence) or isinstance(batch, str | bytes):
        raise ArgumentTypeError(
            f"batch is a {type(batch).__name__}: need ciphertexts, a numpy array or a sequence"
        )
    if len(batch) == 0:
        raise SizeError("batch is empty: nothing is shared out")
    home = next((item.context for item in batch if isinstance(item, ContextObject)), None)
    return home, len(batch), lambda a, b: batch[a:b]


def _moved(value: Any, context: Context | None) -> Any:
    if context is None:
        return value
    if isinstance(value, ContextObject):
        return value if value.context is context else value.to(context)
    if isinstance(value, list | tuple):
        return [_moved(item, context) for item in value]
    return value


def _joined(results: list[Any]) -> Any:
    if all(isinstance(result, BatchObject) for result in results):
        return stack(results)
    if all(isinstance(result, np.ndarray) and result.ndim for result in results):
        return np.concatenate(results)
    if all(isinstance(result, list | tuple) for result in results):
        return [item for result in results for item in result]
    return results


class _Run:
    """One map: what is left to do, what was found, and the first error."""

    def __init__(
        self,
        function: Callable[[Any, Place], Any],
        cut: Callable[[int, int], Any],
        starts: range,
        count: int,
        part: int,
        home: Context | None,
    ) -> None:
        self._function, self._cut, self._home = function, cut, home
        self._starts, self._count, self._part = starts, count, part
        self._next = iter(enumerate(starts))
        self._results: list[Any] = [None] * len(starts)
        self._error: BaseException | None = None
        self._ended: list[int] = []
        self._changed = threading.Condition()
        self._working = 0

    def of(self, places: Places, title: str) -> list[Any]:
        """The results of all parts, in order."""
        threads = [
            threading.Thread(target=self._work, args=(place,), name=f"nttforge {place.device}")
            for place in list(places)[: len(self._starts)]
        ]
        self._working = len(threads)
        for thread in threads:
            thread.start()
        try:
            for _ in told(self._endings(), len(self._starts), title, self._named):
                pass
        except BaseException as error:  # an interruption: parts in progress end first
            with self._changed:
                self._error = self._error or error
            raise
        finally:
            for thread in threads:
                thread.join()
        if self._error is not None:
            raise self._error
        return self._results

    def _endings(self) -> Any:
        """The index of each part as it ends; stops early after an error."""
        for done in range(len(self._starts)):
            with self._changed:
                while len(self._ended) <= done and self._error is None and self._working:
                    self._changed.wait(_WAIT_S)
                if len(self._ended) <= done:
                    return
                index = self._ended[done]
            yield index, None

    def _named(self, index: int) -> str:
        start = self._starts[index]
        return f"elements {start} ... {min(start + self._part, self._count) - 1}"

    def _work(self, place: Place) -> None:
        index = 0
        try:
            while True:
                with self._changed:
                    if self._error is not None:
                        return
                    index, start = next(self._next, (-1, 0))
                if index < 0:
                    return
                end = min(start + self._part, self._count)
                given = _moved(self._cut(start, end), place.context)
                result = _moved(self._function(given, place), self._home)
                with self._changed:
                    self._results[index] = result
                    self._ended.append(index)
                    self._changed.notify()
        except BaseException as error:  # raised again in the caller's thread
            with self._changed:
                self._error = self._error or self._told(error, index, place)
        finally:
            with self._changed:
                self._working -= 1
                self._changed.notify()

    def _told(self, error: BaseException, index: int, place: Place) -> BaseException:
        """The error with the part and the device in what it says."""
        where = f"{self._named(index)} of the batch on {place.device}"
        if isinstance(error, NttforgeError):
            named = type(error)(f"{where}: {error}")
            named.__cause__ = error
            return named
        if sys.version_info >= (3, 11):
            error.add_note(where)
        return error
