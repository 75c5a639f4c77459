"""The rights of a service that runs as a user of its own, also where the tests run as root."""

import ctypes
from contextlib import contextmanager

_VERSION = 0x20080522  # of the structures that capget and capset take
_IGNORES_MODES = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


@contextmanager
def without_rights_of_root():
    """A file's mode counts for this thread and for those that it starts, as for whoever is not root."""
    libc, header, held = ctypes.CDLL(None, use_errno=True), _Header(_VERSION, 0), (_Sets * 2)()
    assert libc.capget(ctypes.byref(header), held) == 0
    before = held[0].effective
    held[0].effective = before & ~_IGNORES_MODES
    assert libc.capset(ctypes.byref(header), held) == 0
    try:
        yield
    finally:
        held[0].effective = before
        assert libc.capset(ctypes.byref(header), held) == 0
