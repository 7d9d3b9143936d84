"""The C library: how it is found, and how its answers become values and exceptions."""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt


class IllegalActionError(ValueError):
    """An action is illegal, or the game is over. Nothing has changed."""


class NoSolutionError(ValueError):
    """The game has no exact solution."""


class NativeError(RuntimeError):
    """An error of the library itself. Please report it with its text."""


_ERRORS: Final = {1: ValueError, 2: IllegalActionError, 3: NoSolutionError, 4: KeyboardInterrupt}

_TEXT = ctypes.POINTER(ctypes.c_void_p)
_HANDLE = ctypes.c_size_t
_HANDLES = ctypes.POINTER(_HANDLE)
_POINTER = ctypes.c_void_p


class Buffers(ctypes.Structure):
    """The addresses of the buffers of a batch; see ``marsgym_buffers`` in python/native."""

    _fields_ = [
        (name, _POINTER)
        for name in (
            "obs",
            "mask",
            "player",
            "action",
            "reward",
            "terminated",
            "truncated",
            "final_obs",
            "final_player",
            "acted_reward",
            "ended",
        )
    ]


class Progress(ctypes.Structure):
    """What a poll of a job found; see ``marsgym_progress`` in python/native."""

    _fields_ = [
        ("state", ctypes.c_int32),
        ("policy", ctypes.c_int32),
        ("rows", ctypes.c_int32),
        ("scores", ctypes.c_int32),
        ("done", ctypes.c_double),
    ]


# The arguments of each function, without the last one, the text.
_FUNCTIONS: Final = {
    "games": (),
    "open": (ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, _HANDLES),
    "position": (_HANDLE, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int),
    "observe": (_HANDLE, ctypes.c_char_p, ctypes.c_int, _POINTER),
    "batch": (
        _HANDLE,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.POINTER(Buffers),
        _HANDLES,
    ),
    "reset": (_HANDLE, ctypes.c_uint64),
    "step": (_HANDLE, ctypes.POINTER(ctypes.c_int)),
    "next": (_HANDLE, ctypes.c_int),
    "begin": (_HANDLE, ctypes.c_int, _POINTER, _POINTER),
    "row": (_HANDLE, ctypes.c_int, ctypes.c_int),
    "save": (_HANDLE, _TEXT, ctypes.POINTER(ctypes.c_int64)),
    "restore": (_HANDLE, ctypes.c_char_p, ctypes.c_int64),
    "job": (_HANDLE, ctypes.c_char_p, _HANDLES),
    "poll": (
        _HANDLE,
        ctypes.c_int,
        ctypes.c_int,
        _POINTER,
        _POINTER,
        ctypes.POINTER(Progress),
    ),
    "answer": (_HANDLE, _POINTER),
    "load_model": (ctypes.c_char_p, _HANDLES),
    "weights": (_HANDLE, _POINTER, ctypes.c_int64),
    "save_model": (_HANDLE, ctypes.c_char_p, ctypes.c_char_p, _POINTER, ctypes.c_int64),
    "release": (_HANDLE,),
}


def _load() -> ctypes.CDLL:
    suffix = {"darwin": "dylib", "win32": "dll"}.get(sys.platform, "so")
    path = Path(__file__).with_name(f"libmarsgym.{suffix}")
    if not path.exists():
        raise ImportError(f"{path} is missing; install the package with: pip install ./python")
    lib = ctypes.CDLL(os.fspath(path))
    for name, arguments in _FUNCTIONS.items():
        function = getattr(lib, "marsgym_" + name)
        function.argtypes = [*arguments, _TEXT]
        function.restype = ctypes.c_int
    lib.marsgym_free_text.argtypes = [_POINTER]
    lib.marsgym_free_text.restype = None
    return lib


_lib = _load()
_forked = False


def _after_fork() -> None:
    global _forked
    _forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def call(name: str, *arguments: Any) -> str:
    """Calls ``marsgym_NAME`` and returns its text, or raises its error."""
    if _forked:
        raise RuntimeError(
            "marsgym was imported before this process was forked, and its library does not "
            "work after a fork; start processes with the method 'spawn', such as "
            "multiprocessing.get_context('spawn') or AsyncVectorEnv(..., context='spawn')"
        )
    out = ctypes.c_void_p()
    code = getattr(_lib, "marsgym_" + name)(*arguments, out)
    if code == 0 and not out:
        return ""
    text = ctypes.string_at(out.value).decode() if out.value else ""
    _lib.marsgym_free_text(out)
    if code:
        raise _ERRORS.get(code, NativeError)(text)
    return text


def document(name: str, *arguments: Any) -> Any:
    """Is ``call`` for functions whose text is JSON."""
    return json.loads(call(name, *arguments))


def address(array: npt.NDArray[Any]) -> int:
    """The address of the first element of a contiguous array."""
    if not array.flags.c_contiguous:
        raise ValueError("the array is not contiguous")
    return array.ctypes.data


def saved_state(handle: int) -> bytes:
    """The state of a batch."""
    data, size = ctypes.c_void_p(), ctypes.c_int64()
    call("save", handle, data, size)
    state = ctypes.string_at(data.value, size.value) if data.value else b""
    _lib.marsgym_free_text(data)
    return state


class Object:
    """A handle of an object of the library, released with the Python object."""

    def __init__(self, name: str, *arguments: Any) -> None:
        handle = _HANDLE()
        self.text = call(name, *arguments, handle)
        self.handle: int | None = handle.value

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Releases the object."""
        handle, self.handle = getattr(self, "handle", None), None
        if handle is not None and not _forked and _lib is not None:
            call("release", handle)


def text(value: str | os.PathLike[str], what: str) -> bytes:
    """A text as the library takes it."""
    value = os.fspath(value)
    if not isinstance(value, str):
        raise TypeError(f"{what} is {value!r}; want a str")
    if "\0" in value:
        raise ValueError(f"{what} holds a zero character")
    return value.encode()


def number(value: Any, what: str, least: int, most: int) -> int:
    """An integer within bounds."""
    try:
        n = value.__index__()
    except (AttributeError, TypeError):  # arrays have __index__, and raise
        raise TypeError(f"{what} is {value!r}; want an integer") from None
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{what} is {value!r}; want an integer")
    if not least <= n <= most:
        raise ValueError(f"{what} is {n}; want {least} to {most}")
    return int(n)
