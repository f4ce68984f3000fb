"""A path from the command line in; an output to write to out, checked before any work is done for it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from typing import IO

from janus_synth.files import whole_file
from janus_synth.table.files.places import STANDARD


@contextlib.contextmanager
def open_output(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open standard output, or a file that is complete or not there at all."""
    if os.fspath(path) == STANDARD:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    check_output(path)
    with whole_file(path) as file:
        yield file


def check_output(path: str | os.PathLike[str], *, inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Raise an error for an output that cannot be written, or that is one of ``inputs``."""
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
