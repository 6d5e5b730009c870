# SPDX-License-Identifier: Apache-2.0
"""A batch in parts, each to the device that is free first."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._parallel import told
from ..errors import ArgumentTypeError, NttforgeError, ParameterError, SizeError
from ..rlwe import Ciphertext, Context, stack
from ..rlwe.batches import BatchObject
from ..rlwe.objects import ContextObject
from .moves import Mark, apart, mark
from .places import Place, Places

if TYPE_CHECKING:
    from ..typing import DeviceName

#: Parts for each device: enough that the first one's way there and the last one's way back, beside
#: which nothing is computed, are short; few enough to be large.
PARTS_EACH = 8
#: Parts that a device has at a time: one that it computes, and one on its way.
_AHEAD = 2
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
    next part, moves it there and calls ``function(part, place)``. It goes on with another while the
    device computes, and no further before that has ended, so that a slower device takes fewer.
    Results come back in the order of the batch, to where it is; they do not depend on the number of
    devices.

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
        Elements of a part. Without it the batch makes eight parts for each device.
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
    home, count = _taken(batch)
    places = devices if isinstance(devices, Places) else Places(devices, context=home)
    if part is None:
        part = -(-count // (PARTS_EACH * len(places)))
    if isinstance(part, bool) or not isinstance(part, int) or not 1 <= part <= 1 << 20:
        raise ParameterError(f"part = {part!r} must be in 1 ... 2^20 elements")
    parts = [
        _Part(i, start, min(part, count - start)) for i, start in enumerate(range(0, count, part))
    ]
    if home is not None and places[0].context is None:
        places = Places([place.device for place in places], context=home)
    run = _Run(function, batch, count, parts, home, gathers=reduce is None)
    results = run.of(places, title)
    if reduce is not None:
        joined = results[0]
        for result in results[1:]:
            joined = reduce(joined, result)
        return joined
    return _joined(results)


def _taken(batch: Any) -> tuple[Context | None, int]:
    """The context of a batch, and its length."""
    if isinstance(batch, BatchObject):
        return batch.context, batch.batch
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
    return home, len(batch)


def _cut(batch: Any, part: _Part, context: Context | None) -> Any:
    """The elements of a part, in the context."""
    if isinstance(batch, BatchObject) and context is not None:
        return batch._elements(part.start, part.size, context)
    return _moved(batch[part.start : part.start + part.size], context)


def _moved(value: Any, context: Context | None) -> Any:
    if context is None:
        return value
    if isinstance(value, ContextObject):
        return value if value.context is context else value.to(context)
    if isinstance(value, list | tuple):
        return [_moved(item, context) for item in value]
    return value


def _joined(results: list[Any]) -> Any:
    if len(results) == 1 and isinstance(results[0], BatchObject):
        return results[0]
    if all(isinstance(result, BatchObject) for result in results):
        return stack(results)
    if all(isinstance(result, np.ndarray) and result.ndim for result in results):
        return np.concatenate(results)
    if all(isinstance(result, list | tuple) for result in results):
        return [item for result in results for item in result]
    return results


class _Part(NamedTuple):
    """Elements of the batch that are computed together."""

    number: int
    start: int
    size: int

    def __str__(self) -> str:
        return f"elements {self.start} ... {self.start + self.size - 1}"


class _Gathered:
    """The ciphertexts of all parts in one object, to which every thread brings its own."""

    def __init__(self, batch: int, home: Context) -> None:
        self._batch, self._home = batch, home
        self._lock = threading.Lock()
        self._all: Ciphertext | None = None

    def put(self, part: _Part, result: Ciphertext) -> None:
        """Brings the result of a part, which has as many elements."""
        with self._lock:
            if self._all is None:
                room = result._core.room(self._batch, self._home._core)
                self._all = type(result)._wrap(self._home, room)
        self._all._core.put(part.start, result._core)
        with self._lock:
            self._all._core.include(result._core)

    def taken(self, part: _Part) -> Ciphertext:
        """What was put there."""
        assert self._all is not None
        return self._all._elements(part.start, part.size, self._home)

    def whole(self) -> Ciphertext:
        """All of them, once every part was put."""
        assert self._all is not None
        return self._all


class _Run:
    """One map: what is left to do, what was found, and the first error."""

    def __init__(
        self,
        function: Callable[[Any, Place], Any],
        batch: Any,
        count: int,
        parts: list[_Part],
        home: Context | None,
        *,
        gathers: bool,
    ) -> None:
        self._function, self._batch, self._home = function, batch, home
        self._parts = parts
        self._next = iter(self._parts)
        self._results: list[Any] = [None] * len(self._parts)
        self._gathered = _Gathered(count, home) if gathers and home is not None else None
        self._error: BaseException | None = None
        self._ended: list[int] = []
        self._changed = threading.Condition()
        self._working = 0

    def of(self, places: Places, title: str) -> list[Any]:
        """The results of all parts, in order; one if they are a single object."""
        if self._home is not None:
            mark(self._home.device).wait()  # threads read the batch beside what its device computes
        threads = [
            threading.Thread(target=self._work, args=(place,), name=f"nttforge {place.device}")
            for place in list(places)[: len(self._parts)]
        ]
        self._working = len(threads)
        for thread in threads:
            thread.start()
        try:
            for _ in told(self._endings(), len(self._parts), title, self._named):
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
        if self._gathered is None:
            return self._results
        if all(result is self._gathered for result in self._results):
            return [self._gathered.whole()]
        return [
            self._gathered.taken(part) if result is self._gathered else result
            for part, result in zip(self._parts, self._results, strict=True)
        ]

    def _endings(self) -> Any:
        """The index of each part as it ends; stops early after an error."""
        for done in range(len(self._parts)):
            with self._changed:
                while len(self._ended) <= done and self._error is None and self._working:
                    self._changed.wait(_WAIT_S)
                if len(self._ended) <= done:
                    return
                index = self._ended[done]
            yield index, None

    def _named(self, index: int) -> str:
        return str(self._parts[index])

    def _work(self, place: Place) -> None:
        """Takes parts while there are any; computes one while the one before comes to its end."""
        begun: deque[_Begun] = deque()
        part = None
        try:
            while True:
                with self._changed:
                    if self._error is not None:
                        return
                    part = next(self._next, None)
                if part is not None:
                    begun.append(self._begin(part, place))
                    if len(begun) < _AHEAD and place.device != "cpu":
                        continue
                if not begun:
                    return
                part = begun[0].part
                self._finish(begun.popleft(), place)
        except BaseException as error:  # raised again in the caller's thread
            with self._changed:
                self._error = self._error or self._told(error, part, place)
        finally:
            with self._changed:
                self._working -= 1
                self._changed.notify()

    def _apart(self, place: Place) -> AbstractContextManager[object]:
        home = None if self._home is None else self._home.device
        return apart({place.device, home} if place.context is not None else ())

    def _begin(self, part: _Part, place: Place) -> _Begun:
        with self._apart(place):
            given = _cut(self._batch, part, place.context)
        result = self._function(given, place)
        return _Begun(part, result, mark(place.device))

    def _finish(self, begun: _Begun, place: Place) -> None:
        part, result, done = begun
        done.wait()
        with self._apart(place):
            gathers = isinstance(result, Ciphertext) and result.batch == part.size
            if self._gathered is not None and gathers:
                self._gathered.put(part, result)
                result = self._gathered
            else:
                result = _moved(result, self._home)
        with self._changed:
            self._results[part.number] = result
            self._ended.append(part.number)
            self._changed.notify()

    def _told(self, error: BaseException, part: _Part | None, place: Place) -> BaseException:
        """The error with the part and the device in what it says."""
        where = f"{part} of the batch on {place.device}"
        if isinstance(error, NttforgeError):
            named = type(error)(f"{where}: {error}")
            named.__cause__ = error
            return named
        if sys.version_info >= (3, 11):
            error.add_note(where)
        return error


class _Begun(NamedTuple):
    """A part whose operations are on their way."""

    part: _Part
    result: Any
    done: Mark
