"""Atomic writes: content in; a complete file, or none at all, out. Readers never see a partial file."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write text, as UTF-8, or bytes to a file atomically.

    Parameters
    ----------
    path : path
        The file to write or replace. Its folder must exist.
    content : str or bytes
        The complete content.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    OSError
        If the file cannot be written; an older one is then unchanged.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "note.txt", "all of it").read_text()
    'all of it'
    """
    with whole_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)
    return Path(path)


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file to write atomically: a temporary file, flushed and renamed when the block ends without an error.

    After an error the temporary file is removed and an older file of that name is unchanged. Mode and symbolic link of
    an older file stay. A device or a pipe cannot be replaced by a rename; it is written directly.
    """
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        with open(path, "wb") as device:
            yield device
        return
    try:
        with _temporary_beside(Path(os.path.realpath(path))) as file:
            yield file
    except OSError as error:
        raise OSError(f"cannot write {os.fspath(path)}: {error.strerror or error}.") from error


@contextlib.contextmanager
def _temporary_beside(target: Path) -> Iterator[IO[bytes]]:
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        os.replace(temporary, target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
