"""A folder to write into: checked before the work starts, and no file is ever half-written."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from janus_synth.errors import JanusError
from janus_synth.interfaces.files.whole import whole_file


class FolderError(JanusError, OSError):
    """A folder that cannot be written to; carries the folder."""

    def __init__(self, folder: Path, reason: str) -> None:
        self.folder = folder
        super().__init__(f"cannot write to the folder {str(folder)!r}: {reason}. Give a folder of your own.")


@contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """Turn what the system says into a ``FolderError``."""
    try:
        yield
    except OSError as error:
        told = error.__cause__ if isinstance(error.__cause__, OSError) else error  # the system's own word
        raise FolderError(folder, (told.strerror or str(told)).lower()) from error


def ready_folder(folder: Path) -> Path:
    """Make the folder if need be, and try it with an empty file."""
    with writing_to(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    return folder


def write_whole(path: Path, text: str) -> Path:
    """Write a text file so that readers see all of it or the one before."""
    with writing_to(path.parent), whole_file(path) as file:
        file.write(text.encode("utf-8"))
    return path
