"""Confinement of a process that reads a file from an unknown source.

It reads what it needs, writes to one folder, and runs no program. Linux enforces this (Landlock, kernel 5.13 or newer;
older kernels enforce only the time and memory limits). macOS enforces only the time limit, Windows nothing.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tfnanlint.limits import lower

MEGABYTE = 1_000_000
NO_TIME_OF_ITS_OWN = 3.0
"""How much longer than its processor time a process may take by the clock: others run, too."""


LARGEST = 2000 * MEGABYTE
"""Bytes of a model beyond which it may take no more."""
LONGEST = 300.0
"""Seconds of the processor that no model needs."""


class Limits(NamedTuple):
    """What one target may take: seconds of the processor, bytes of memory."""

    seconds: float
    memory: int


def limits_of(target: str) -> Limits:
    """What the model in a file or folder may take. It grows with the file: what describes much may take much."""
    stored = {place: size for path in _files(target) for place, size in _stored(path)}
    size = min(sum(stored.values()), LARGEST)
    return Limits(min(10 + 2 * size / MEGABYTE, LONGEST), 500 * MEGABYTE + 8 * size)


def _files(target: str) -> Iterable[str]:
    if not os.path.isdir(target):
        return (target,)
    return (os.path.join(folder, name) for folder, _, names in os.walk(target) for name in names)


def _stored(path: str) -> Iterator[tuple[tuple[int, int], int]]:
    """The bytes of a regular file that lie on the disk, by the file's place: holes and further names cost nothing."""
    try:
        status = os.stat(path)
    except OSError:
        return
    if stat.S_ISREG(status.st_mode):
        blocks = getattr(status, "st_blocks", status.st_size)  # Windows does not tell
        yield (status.st_dev, status.st_ino), min(status.st_size, _BLOCK * blocks)


_BLOCK = 512
"""Bytes of a block, in what a file's status says."""


def limit(limits: Limits) -> None:
    """Hold this process to limits, counted from what it has taken by now."""
    try:
        import resource
    except ImportError:  # Windows
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + limits.seconds) + 1)
    lower(resource.RLIMIT_CORE, 0)
    if sys.platform == "linux":
        lower(resource.RLIMIT_DATA, _data() + limits.memory)


def _data() -> int:
    """The bytes of memory that this process can write to."""
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith("VmData:"):
                return int(line.split()[1]) * 1024
    return 0


def confine(folder: str, read: Iterable[str]) -> bool:
    """Let this process write to one folder, read the named paths, Python and the system, and start no program.

    False if the platform cannot enforce this. It cannot be undone.
    """
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))
    if version < 1:
        return False
    every = (1 << _RIGHTS[min(version, len(_RIGHTS)) - 1]) - 1
    handled = struct.pack("=QQQ", every, _NETWORK if version >= 4 else 0, _SCOPES if version >= 6 else 0)
    length = 8 if version < 4 else 16 if version < 6 else 24
    ruleset = libc.syscall(_CREATE, handled, ctypes.c_size_t(length), ctypes.c_uint32(0))
    if ruleset < 0:
        return False
    try:
        system = (sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path, _PACKAGE, *_SYSTEM)
        for path in dict.fromkeys((*system, *read)):
            _allow(libc, ruleset, path, _READ)
        _allow(libc, ruleset, folder, every & ~_EXECUTE)
        _allow(libc, ruleset, os.devnull, _READ | _WRITE)
        held = libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
        return held and bool(libc.syscall(_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint32(0)) == 0)
    finally:
        os.close(ruleset)


_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""The numbers of Landlock's system calls, the same on every architecture that Python runs on."""
_VERSION, _BENEATH, _NO_NEW_PRIVILEGES = 1, 1, 38
_RIGHTS = (13, 14, 15, 15, 16)
"""How many rights over files each version of Landlock knows."""
_EXECUTE, _WRITE, _READ_FILE, _READ_FOLDER = 1, 2, 4, 8
_READ = _READ_FILE | _READ_FOLDER
_NETWORK, _SCOPES = 3, 3
"""Binding and connecting TCP sockets; abstract sockets of, and signals to, processes outside."""
_SYSTEM = ("/usr", "/lib", "/lib64", "/opt", "/proc", "/sys", "/etc/ld.so.cache", "/etc/localtime", "/dev/urandom")
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    """Add what may be done at a path and below it; a path that is not there needs nothing."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not os.path.isdir(path):
            rights &= _EXECUTE | _WRITE | _READ_FILE
        rule = struct.pack("=Qi", rights, place)
        libc.syscall(_ADD, ctypes.c_int(ruleset), ctypes.c_int(_BENEATH), rule, ctypes.c_uint32(0))
    finally:
        os.close(place)
