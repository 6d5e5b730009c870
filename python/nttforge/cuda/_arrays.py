# SPDX-License-Identifier: Apache-2.0
"""Arrays in device memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from .. import _arguments as arguments
from .._core import cuda as _core
from ..arrays import new_array
from ..errors import ArgumentTypeError, SizeError
from ._streams import DEFAULT, Stream, stream_of

if TYPE_CHECKING:
    from ..typing import HostArray, HostWords, WordDType, WordDTypeLike

CPU, CUDA = 1, 2  # device types of DLPack
RESIDUES = (np.dtype(np.uint64), np.dtype(np.uint32))
INTEGERS = (*RESIDUES, np.dtype(np.int64), np.dtype(np.int32))
NUMBERS = (np.dtype(np.float64), np.dtype(np.complex128))
DTYPES: dict[int, WordDType] = {32: np.dtype(np.uint32), 64: np.dtype(np.uint64)}
LEGACY_DEFAULT_STREAM = 1  # the name of stream 0 in DLPack and the CUDA array interface


class DeviceArray:
    """Residues in the memory of a device: C-contiguous, ``uint32`` or ``uint64``.

    Made by :func:`to_device`, :func:`empty` and by plans. Other libraries take it without a copy:
    ``torch.from_dlpack(x)``, ``cupy.from_dlpack(x)`` (or ``cupy.asarray(x)``); on ``"cuda:host"``
    ``numpy.from_dlpack(x)``. Memory is released in stream order when the last user is gone.
    """

    __slots__ = (
        "_address",
        "_buffer",
        "_context",
        "_device",
        "_dtype",
        "_shape",
        "_size",
        "_stream",
        "_stream_owner",
    )

    def __init__(
        self, buffer: Any, shape: tuple[int, ...], dtype: WordDType, stream: Stream
    ) -> None:
        self._buffer = buffer
        self._address: int = buffer.address
        self._context: int = buffer.context  # of the device, another one after a reset
        self._device: int = buffer.device
        self._shape = shape
        self._size = math.prod(shape)
        self._dtype = dtype
        self._written_in(stream)

    def _written_in(self, stream: Stream) -> None:
        """Readers wait for this stream, so it must live as long as the array says so."""
        self._stream, self._stream_owner = stream

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of each axis."""
        return self._shape

    @property
    def dtype(self) -> WordDType:
        """uint64 or uint32."""
        return self._dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """Number of words."""
        return self._size

    @property
    def nbytes(self) -> int:
        """Bytes of all words."""
        return self._size * self._dtype.itemsize

    @property
    def device(self) -> str:
        """Name of its device, "cuda:0"."""
        return str(_core.device_name(self._device))

    @property
    def stream(self) -> int:
        """Address of the stream that last wrote to it; readers in another stream wait for that.

        The array keeps the stream object that it was given alive.
        """
        return self._stream

    @property
    def address(self) -> int:
        """Address of the first word, in device memory."""
        return self._address

    def reshape(self, *shape: int) -> DeviceArray:
        """The same memory with another shape of the same size."""
        if math.prod(shape) != self.size or any(extent < 0 for extent in shape):
            raise SizeError(f"shape {shape} has not the {self.size} words of shape {self._shape}")
        stream = Stream(self._stream, self._stream_owner)
        return DeviceArray(self._buffer, shape, self._dtype, stream)

    def to_host(self, stream: object = None) -> HostWords:
        """A NumPy array with the same words; waits for the stream. See :func:`to_host`."""
        ready = self._ready_in(stream_of(stream))
        return copy_to_host(self._device, self._address, self._shape, self._dtype, ready)

    def _ready_in(self, wanted: Stream | None) -> Stream:
        """The stream to read it in, by default the one that wrote it; another waits for that."""
        self._buffer.require_alive()
        stream = Stream(self._stream, self._stream_owner) if wanted is None else wanted
        if stream.address != self._stream:
            self._buffer.share()
            _core.order(self._device, self._stream, stream.address)
        return stream

    def __dlpack_device__(self) -> tuple[int, int]:
        return (CPU, 0) if self._device < 0 else (CUDA, self._device)

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        if copy or (dl_device is not None and tuple(dl_device) != self.__dlpack_device__()):
            raise BufferError(
                "a DeviceArray gives its own memory only: copy with nttforge.cuda.to_host"
            )
        self._buffer.require_alive()
        if self._device >= 0 and stream != -1:
            reader = LEGACY_DEFAULT_STREAM if stream is None else int(stream)
            if reader == 0:
                raise BufferError("stream = 0 is ambiguous in DLPack: 1 is the default stream")
            _core.order(self._device, self._stream, reader)
        exported = self._buffer.export(list(self._shape), 8 * self._dtype.itemsize)
        return exported.__dlpack__(max_version=max_version)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self._device < 0:
            raise AttributeError("an array on cuda:host is in host memory: use numpy.from_dlpack")
        self._buffer.require_alive()
        self._buffer.share()
        return {
            "shape": self._shape,
            "typestr": self._dtype.str,
            "data": (self.address, False),
            "strides": None,
            "version": 3,
            "stream": self._stream or LEGACY_DEFAULT_STREAM,
        }

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise ArgumentTypeError(
            f"a DeviceArray on {self.device} does not turn into a NumPy array by itself: "
            "nttforge.cuda.to_host(x) copies it"
        )

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self._shape}, dtype={self._dtype}, device={self.device!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return to_device, (self.to_host(), self.device)


def empty(
    shape: int | Sequence[int],
    dtype: WordDTypeLike = np.uint64,
    device: str = "cuda",
    stream: object = None,
) -> DeviceArray:
    """An uninitialised array on a device.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : uint64 or uint32
    device : str
    stream : optional
        Stream (object or address) in which it is first used and released; the default stream if
        not given. The array keeps an object alive; the stream of a bare address must outlive it.

    Raises
    ------
    UnsupportedError
        No such GPU can be used, or memory does not suffice: the message says the bytes needed and
        free.
    """
    kind = dtype_of("dtype", dtype)
    sizes = arguments.shape("shape", shape)
    return new_device_array(
        sizes, kind, _core.parse_device(str(device)), stream_of(stream) or DEFAULT
    )


def new_device_array(
    shape: tuple[int, ...], dtype: WordDType, device: int, stream: Stream
) -> DeviceArray:
    """Make what :func:`empty` makes, of checked arguments."""
    count = math.prod(shape) * dtype.itemsize
    buffer = _core.Buffer(device, count, stream.address, stream.owner)
    return DeviceArray(buffer, shape, dtype, stream)


def to_device(x: HostWords | HostArray, device: str = "cuda", stream: object = None) -> DeviceArray:
    """A copy on a device of an array in host memory.

    Parameters
    ----------
    x : array of uint64 or uint32
        NumPy, or anything with ``__dlpack__`` or ``__array_interface__`` in CPU memory.
    device : str
    stream : optional
        As for :func:`empty`. ``x`` may be reused on return.

    Examples
    --------
    >>> to_device(np.arange(3, dtype=np.uint32), device="cuda:host")
    DeviceArray(shape=(3,), dtype=uint32, device='cuda:host')
    """
    source = arguments.array("x", x)
    kind = dtype_of("x.dtype", source.dtype)
    result = empty(source.shape, kind, device, stream)
    result._buffer.from_host(np.ascontiguousarray(source), result.stream)
    return result


def copy_to_host(
    device: int, address: int, shape: tuple[int, ...], dtype: WordDType, stream: Stream
) -> HostWords:
    """Make what :func:`to_host` makes, of checked arguments."""
    result = new_array(shape, dtype)
    if result.size:
        _core.copy_to_host(device, address, result, stream.address)
    return result


def dtype_of(field: str, dtype: object) -> WordDType:
    return kind_of(field, dtype, RESIDUES)


def kind_of(field: str, dtype: object, kinds: tuple[np.dtype[Any], ...]) -> np.dtype[Any]:
    """One of the kinds, or an error that names them."""
    need = names_of(kinds)
    try:
        kind: np.dtype[Any] = np.dtype(cast("Any", dtype))
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"{field} = {dtype!r}: need {need}") from None
    if kind not in kinds or not kind.isnative:
        raise ArgumentTypeError(f"{field} is {kind}: need {need}")
    return kind


def names_of(kinds: tuple[np.dtype[Any], ...]) -> str:
    """For messages: "uint64 or uint32"."""
    *most, last = (str(kind) for kind in kinds)
    return f"{', '.join(most)} or {last}" if most else last
