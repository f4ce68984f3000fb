"""A folder and an address in; the right to serve the folder out, or an error that names the server that has it.

Two servers on one folder would overwrite each other's state. The lock is one of the operating system, on a file that
names the server: it ends with its process, however that ends, so that no lock of a dead server stays behind.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from janus_synth.errors import ProjectError

NAME = "studio.lock"
BEYOND = 2**30
"""Byte that is locked on Windows, where locked bytes cannot be read: far beyond the text."""


@contextlib.contextmanager
def locked(folder: str | Path, address: str) -> Iterator[None]:
    """Hold the lock of a project folder; raise ProjectError if another server has it.

    Parameters
    ----------
    folder : path
        Folder of the project; it is made if there is none.
    address : str
        Where the page of this server is, for the message to others; without the token.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, locked(folder, "http://127.0.0.1:8080/"):
    ...     with locked(folder, "http://127.0.0.1:8081/"):
    ...         pass
    Traceback (most recent call last):
    ...
    janus_synth.errors.ProjectError: ...http://127.0.0.1:8080/...
    """
    path = Path(folder) / NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as file:
        if not _take(file):
            raise ProjectError(_message(path), file=str(path))
        file.truncate(0)
        file.write(json.dumps({"process": os.getpid(), "address": address}))
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


def _message(path: Path) -> str:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        who = f"process {int(found['process'])} on {found['address']}"
    except (OSError, ValueError, KeyError, TypeError):
        who = "another process"
    return f"the studio of {path.parent} is open already, in {who}. Use that page, or end it first."


def _take(file: IO[str]) -> bool:
    """Lock a file unless another process, or another part of this one, has locked it."""
    try:
        import fcntl
    except ImportError:  # Windows
        return _take_byte(file)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _take_byte(file: IO[str]) -> bool:
    import msvcrt

    try:
        os.lseek(file.fileno(), BEYOND, os.SEEK_SET)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    except OSError:
        return False
    return True
