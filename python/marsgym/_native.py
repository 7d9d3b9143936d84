"""The C library: how it is found, and how its answers become values and exceptions."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt


class IllegalActionError(ValueError):
    """An action is illegal, or the game is over. Nothing has changed."""


class NoSolutionError(ValueError):
    """The game has no exact solution."""


class ModelNotFoundError(FileNotFoundError, ValueError):
    """There is no model file of that name."""


class NativeError(RuntimeError):
    """An error of the library itself. Please report it with its text."""


_ERRORS: Final = {
    1: ValueError,
    2: IllegalActionError,
    3: NoSolutionError,
    4: KeyboardInterrupt,
    6: ModelNotFoundError,
}

_TEXT = ctypes.POINTER(ctypes.c_void_p)
HANDLE = _HANDLE = ctypes.c_size_t
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


class Table(ctypes.Structure):
    """The arrays of a table; see ``marsgym_table`` in python/native."""

    _fields_ = [
        *(
            (name, _POINTER)
            for name in (
                "player",
                "first",
                "count",
                "action",
                "next",
                "outcome",
                "probability",
                "returns",
                "observation_bytes",
                "observation_floats",
                "state_text",
                "state_text_end",
                "action_text",
                "action_text_end",
            )
        ),
        ("name", ctypes.c_char_p),
        ("about", ctypes.c_char_p),
        *(
            (name, ctypes.c_int64)
            for name in (
                "players",
                "actions",
                "move_limit",
                "states",
                "moves",
                "outcomes",
                "ends",
                "seats",
                "numbers",
            )
        ),
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
    "observation": (_HANDLE,),
    "codes": (_HANDLE,),
    "open_table": (ctypes.POINTER(Table), _HANDLES),
    "save_game": (_HANDLE, ctypes.c_char_p),
    "policy": (_HANDLE, _POINTER, ctypes.c_int64, _HANDLES),
    "position": (_HANDLE, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int64),
    "words": (_HANDLE, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p),
    "describe": (
        _HANDLE,
        ctypes.c_char_p,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.c_char_p,
    ),
    "options": (_HANDLE, ctypes.c_char_p, _POINTER, ctypes.c_int),
    "play_on": (_HANDLE, ctypes.c_char_p, ctypes.c_char_p),
    "chance": (_HANDLE, ctypes.c_char_p, _POINTER, ctypes.c_int64, ctypes.POINTER(ctypes.c_int64)),
    "observe": (_HANDLE, ctypes.c_char_p, ctypes.c_int, _POINTER),
    "batch": (
        _HANDLE,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.POINTER(Buffers),
        _HANDLES,
    ),
    "reset": (_HANDLE, ctypes.c_uint64, ctypes.POINTER(ctypes.c_int), _HANDLES),
    "step": (_HANDLE, ctypes.POINTER(ctypes.c_int), _HANDLES),
    "begin": (
        _HANDLE,
        ctypes.c_int,
        _POINTER,
        _POINTER,
        ctypes.POINTER(ctypes.c_int),
        _HANDLES,
    ),
    "place": (_HANDLE, ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_int), _HANDLES),
    "final": (_HANDLE, ctypes.c_int, ctypes.c_char_p),
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
    "inquire": (_HANDLE, ctypes.c_int),
    "reply": (_HANDLE, ctypes.c_int, ctypes.c_char_p),
    "cancel": (_HANDLE,),
    "load_model": (ctypes.c_char_p, _HANDLES),
    "weights": (_HANDLE, _POINTER, ctypes.c_int64),
    "save_model": (_HANDLE, ctypes.c_char_p, ctypes.c_char_p, _POINTER, ctypes.c_int64),
    "release": (_HANDLE,),
}


# What a user calls, where it is not the name of the function.
_CALLS: Final = {
    "open": "load",
    "open_table": "table",
    "save_game": "save",
    "batch": "Batch",
    "row": "position",
    "observe": "observation",
}

_NOUNS: Final = {
    "open": "game",
    "open_table": "game",
    "policy": "policy",
    "batch": "batch",
    "load_model": "model",
    "job": "job",
}


def _load() -> ctypes.CDLL:
    suffix = {"darwin": "dylib", "win32": "dll"}.get(sys.platform, "so")
    path = Path(__file__).with_name(f"libmarsgym.{suffix}")
    if not path.exists():
        raise ImportError(f"{path} is missing; install the package with: pip install ./python")
    return _bind(os.fspath(path))


def _bind(path: str) -> ctypes.CDLL:
    lib = ctypes.CDLL(path)
    for name, arguments in _FUNCTIONS.items():
        function = getattr(lib, "marsgym_" + name)
        function.argtypes = [*arguments, _TEXT]
        function.restype = ctypes.c_int
    lib.marsgym_free_text.argtypes = [_POINTER]
    lib.marsgym_free_text.restype = None
    return lib


def _load_copy() -> ctypes.CDLL:
    """Loads a second copy of the library, for a process that was forked after the first was
    loaded: the threads of that one are missing here.
    """
    if not hasattr(os, "memfd_create"):
        raise RuntimeError(
            "marsgym was imported before this process was forked, and its library does not "
            "work after a fork on this system; start processes with the method 'spawn', such "
            "as multiprocessing.get_context('spawn') or AsyncVectorEnv(..., context='spawn')"
        )
    file = os.memfd_create("libmarsgym")
    try:
        with open(file, "wb", closefd=False) as copy:
            copy.write(Path(__file__).with_name("libmarsgym.so").read_bytes())
        return _bind(f"/proc/{os.getpid()}/fd/{file}")  # no other copy has this name
    finally:
        os.close(file)


_forks = 0  # between the process that imported this module and the present one
_lib = _load()
_lib_forks = 0  # _forks when _lib was loaded
_loading = threading.Lock()


def _after_fork() -> None:
    global _forks
    _forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _library() -> ctypes.CDLL:
    """The library of this process."""
    global _lib, _lib_forks
    if _lib_forks != _forks:
        with _loading:
            if _lib_forks != _forks:
                _lib = _load_copy()
                _lib_forks = _forks
    return _lib


def call(name: str, *arguments: Any, what: str | None = None) -> str:
    """Calls ``marsgym_NAME`` and returns its text, or raises its error, which begins with
    what the user has called.
    """
    out = ctypes.c_void_p()
    code = function(name)(*arguments, out)
    return answer(code, out, what or _CALLS.get(name, name)) if code or out else ""


def function(name: str) -> Any:
    """``marsgym_NAME`` in the library of this process."""
    return getattr(_library(), "marsgym_" + name)


def answer(code: int, out: ctypes.c_void_p, what: str) -> str:
    """The text that a function wrote to out, which this frees and clears, or its error."""
    text = ""
    if out:
        text = ctypes.string_at(out).decode()
        _library().marsgym_free_text(out)
        out.value = None
    if code:
        raise _ERRORS.get(code, NativeError)(f"{what}: {text}")
    return text


def address(array: npt.NDArray[Any]) -> int:
    """The address of the first element of a contiguous array."""
    if not array.flags.c_contiguous:
        raise ValueError("the array is not contiguous")
    return array.ctypes.data


class Object:
    """A handle of an object of the library, released with the Python object. Only the process that
    made it may use it.
    """

    def __init__(self, name: str, *arguments: Any, of: Object | None = None) -> None:
        """Calls a function that makes an object, of another object or of none."""
        self._noun, self._forks = _NOUNS[name], _forks
        self._handle: int | None = None
        self.keep: Any = None  # what lives as long as the object
        handle = _HANDLE()
        make = call if of is None else of.call
        self.text = make(name, *arguments, handle)
        self._handle = handle.value

    @classmethod
    def job(cls, handle: int) -> Object:
        """The job of a handle."""
        object = cls.__new__(cls)
        object._noun, object._forks, object._handle, object.text = "job", _forks, handle, ""
        return object

    @property
    def here(self) -> bool:
        """Whether this process made the object."""
        return self._forks == _forks

    def check(self, what: str) -> int:
        """The handle, if the object can be used."""
        if self._forks != _forks:
            raise RuntimeError(
                f"{what}: this process was forked after the {self._noun} was made, and only "
                "the process that made it can use it; make a new one here"
            )
        handle = self._handle
        if handle is None:
            raise ValueError(f"{what}: the {self._noun} is closed")
        return handle

    def call(self, name: str, *arguments: Any, what: str | None = None) -> str:
        """Is ``call`` of a function whose first argument is the object."""
        handle = self._handle
        if handle is None or self._forks != _forks:
            handle = self.check(what or _CALLS.get(name, name))
        return call(name, handle, *arguments, what=what)

    def document(self, name: str, *arguments: Any, what: str | None = None) -> Any:
        """Is ``call`` for functions whose text is JSON."""
        return json.loads(self.call(name, *arguments, what=what))

    def saved_state(self) -> bytes:
        """The state of a batch."""
        data, size = ctypes.c_void_p(), ctypes.c_int64()
        self.call("save", data, size)
        state = ctypes.string_at(data.value, size.value) if data.value else b""
        _library().marsgym_free_text(data)
        return state

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            f"a handle of a {self._noun} cannot be copied or pickled; copy or pickle the "
            "object that holds it, such as a Game, a Batch or an environment"
        )

    def __del__(self) -> None:
        if call is not None:  # else Python is ending
            self.close()

    def close(self) -> None:
        """Releases the object."""
        handle, self._handle = getattr(self, "_handle", None), None
        if handle is not None and self.here and _lib is not None:
            call("release", handle)


def document(name: str, *arguments: Any) -> Any:
    """Is ``call`` for functions whose text is JSON."""
    return json.loads(call(name, *arguments))


def free_memory() -> int:
    """The free memory of this machine in bytes, or sys.maxsize where it is not known."""
    with contextlib.suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(x.split()[1]) << 10 for x in lines if x.startswith("MemAvailable:"))
    return sys.maxsize


def make_room(rows: int, size: int) -> None:
    """Raises MemoryError if there is no room for rows of a size in bytes: if memory ends in
    the library, the process does.
    """
    free = free_memory()
    try:
        if rows * size > free:
            raise MemoryError
        np.empty(rows * size, np.uint8)
    except MemoryError:
        fit = f"; {free // size:,} rows fit in what is free" if free < sys.maxsize else ""
        raise MemoryError(
            f"rows is {rows:,}, which need about {rows * size / 1e9:,.1f} GB{fit}"
        ) from None


def text(value: str | os.PathLike[str], what: str) -> bytes:
    """A text as the library takes it."""
    value = os.fspath(value)
    if not isinstance(value, str):
        raise TypeError(f"{what} is {value!r}; want a str")
    if "\0" in value:
        raise ValueError(f"{what} is {value!r}, which holds a zero character")
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what} is {value!r}, which UTF-8 cannot encode") from None


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


def json_object(text: str | None, what: str) -> dict[str, Any] | None:
    """The object that a flag of a command holds as JSON, if it is given."""
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise ValueError(f"{what} is no JSON: {e}") from None
    if not isinstance(value, dict):
        raise ValueError(f"{what} is {text}; want an object such as " + '{"name": 1}')
    return value


def action(value: Any) -> int:
    """The number of an action, legal or not."""
    if type(value) is int and 0 <= value < 2**31:
        return value
    return number(value, "action", -(2**31), 2**31 - 1)
