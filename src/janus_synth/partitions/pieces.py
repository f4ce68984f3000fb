"""Write a table in pieces of a fixed number of rows, a file each; a run that was stopped goes on where it was.

A piece is a function of the request and its number. A file with the name of a piece is complete: it got its name only
after its last byte was written. What identifies the request is kept in the folder, so that pieces of two requests are
never mixed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from janus_synth.errors import DataError
from janus_synth.files import write_whole
from janus_synth.partitions.executors import Executor
from janus_synth.partitions.memory import release_memory
from janus_synth.sampling import BLOCK_ROWS
from janus_synth.table import Schema
from janus_synth.table.files import write_frames

REQUEST = "_request.json"
"""File in the folder that says which request its pieces belong to."""
FORMATS = ("parquet", "csv", "arrow")
BATCH_ROWS = 16 * BLOCK_ROWS
"""Rows of a piece that are in memory at a time; twice as many took 180 MB more and a tenth less CPU time."""
DrawPiece = Callable[[int, int], Any]
"""Rows from the first row and the number of rows."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """A table of ``n`` rows as files of ``piece_rows`` rows."""

    folder: Path
    n: int
    piece_rows: int
    format: str

    @property
    def numbers(self) -> range:
        """Numbers of all pieces."""
        return range(-(-self.n // self.piece_rows))

    def path(self, number: int) -> Path:
        """File of a piece."""
        return self.folder / f"part-{number:08d}.{self.format}"

    def rows_of(self, number: int) -> tuple[int, int]:
        """First row and number of rows of a piece."""
        start = number * self.piece_rows
        return start, min(self.piece_rows, self.n - start)

    @property
    def remaining(self) -> list[int]:
        """Pieces that are not complete."""
        return [number for number in self.numbers if not self.path(number).exists()]


def open_pieces(
    folder: str | os.PathLike[str], n: int, *, piece_rows: int, format: str, request: Mapping[str, Any]
) -> Pieces:
    """Make a folder ready for the pieces of a request; it may hold some of them already.

    Raises
    ------
    DataError
        If the folder holds other files, or pieces of another request.
    """
    if format not in FORMATS:
        raise ValueError(f"there is no format {format!r} for pieces. Choose one of {', '.join(FORMATS)}.")
    piece_rows = -(-piece_rows // BLOCK_ROWS) * BLOCK_ROWS
    pieces = Pieces(Path(folder), n, piece_rows, format)
    prepare_folder(pieces.folder, {"n": n, "piece_rows": piece_rows, "format": format, **request})
    return pieces


def prepare_folder(folder: Path, request: Mapping[str, Any]) -> None:
    """Make a folder for the files of a request, or make sure that those in it are of the same request."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:  # a file has its name, or there is no permission
        raise OSError(f"cannot make the folder {folder}: {error.strerror}. Choose another one.") from error
    known = folder / REQUEST
    if known.exists():
        _require_same(folder, _read_request(known), request)
        for left in folder.glob(".*.part"):  # of a run that was killed
            left.unlink(missing_ok=True)
    elif others := sorted(entry.name for entry in os.scandir(folder) if not entry.name.startswith(".")):
        raise DataError(f"{folder} holds other files ({', '.join(others[:3])}). Choose an empty folder.")
    else:
        write_whole(known, json.dumps(request, indent=1, sort_keys=True))


def _read_request(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise DataError(
            f"{path} cannot be read, so whose pieces these are is unknown. Choose an empty folder."
        ) from error
    return found if isinstance(found, dict) else {}


def _require_same(folder: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    different = sorted(key for key in {*found, *wanted} if found.get(key) != wanted.get(key))
    if different:
        raise DataError(
            f"{folder} holds pieces of another request: {', '.join(different)} differ. Repeat that request to go on "
            "with it, or choose an empty folder."
        )


def write_pieces(pieces: Pieces, draw: DrawPiece, schema: Schema, executor: Executor) -> Iterator[int]:
    """Write the pieces that are not complete; yields the number of rows of each as soon as it is there."""
    tasks = [(pieces, number) for number in pieces.remaining]
    yield from executor.run(_write_piece, (draw, schema), tasks)


def _write_piece(shared: tuple[DrawPiece, Schema], pieces: Pieces, number: int, n_jobs: int | None) -> int:
    """Draw and write one piece in batches."""
    draw, schema = shared
    first, length = pieces.rows_of(number)
    starts = range(first, first + length, BATCH_ROWS)
    batches = (draw(start, min(BATCH_ROWS, first + length - start)) for start in starts)
    write_frames(batches, pieces.path(number), schema=schema)
    release_memory()
    return length
