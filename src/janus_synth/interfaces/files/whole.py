"""Files that are complete or not there at all."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from janus_synth.interfaces.files.places import STANDARD


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a temporary neighbour that takes the name when all went well, and leaves no trace otherwise.

    Standard output and devices cannot be renamed to; they are written as they are.
    """
    if os.fspath(path) == STANDARD:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    check_output(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as device:
            yield device
        return
    target = Path(os.path.realpath(path))  # a link stays a link
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(temporary, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        os.replace(temporary, target)
    except OSError as error:
        raise OSError(f"cannot write {os.fspath(path)}: {error.strerror or error}.") from error
    finally:
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)


def check_output(path: str | os.PathLike[str], *, inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Refuse an output that cannot be written, before any work is done for it."""
    text, folder = os.fspath(path), os.path.dirname(os.fspath(path)) or "."
    if text == STANDARD:
        return
    if os.path.isdir(path):
        raise IsADirectoryError(f"{text} is a folder. Name a file inside it.")
    if not os.path.exists(folder):
        raise FileNotFoundError(f"cannot write {text}: the folder {folder} does not exist. Create it first.")
    if not os.path.isdir(folder):
        raise NotADirectoryError(f"cannot write {text}: {folder} is a file, not a folder. Choose another place.")
    if not os.access(folder, os.W_OK) and not (os.path.exists(path) and not os.path.isfile(path)):
        raise PermissionError(f"cannot write {text}: no permission to write in {folder}. Choose another folder.")
    for name in inputs:
        if os.path.isfile(path) and os.path.exists(name) and os.path.samefile(name, path):
            raise ValueError(f"{text} is also read from, and would be lost. Choose another output.")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
