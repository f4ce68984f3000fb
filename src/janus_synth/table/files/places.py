"""Where a table file is or will be: a path in, its format out, and an output stream that is checked beforehand."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Literal, get_args

from janus_synth.files import whole_file

Format = Literal["csv", "tsv", "parquet", "arrow"]
FORMATS: tuple[Format, ...] = get_args(Format)
ENDINGS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}
STANDARD = "-"
DELIMITERS: dict[Format, str] = {"csv": ",", "tsv": "\t"}
NAMES: dict[Format, str] = {"csv": "CSV", "tsv": "TSV", "parquet": "Parquet", "arrow": "Arrow IPC"}


@dataclass(frozen=True, slots=True)
class Place:
    """Path and format of a table file."""

    path: str
    format: Format
    gzipped: bool = False

    @property
    def is_standard(self) -> bool:
        """Whether it is standard input or output."""
        return self.path == STANDARD

    @property
    def is_text(self) -> bool:
        """Whether the file is plain text."""
        return self.format in DELIMITERS and not self.gzipped


def place_of(path: str | os.PathLike[str], format: str | None = None) -> Place:
    """Place of a path; ``format`` takes precedence over the ending.

    Examples
    --------
    >>> place_of("people.csv.gz")
    Place(path='people.csv.gz', format='csv', gzipped=True)
    >>> place_of("-", "parquet").format
    'parquet'
    """
    text = os.fspath(path)
    bare, gzipped = text.lower().removesuffix(".gz"), text.lower().endswith(".gz")
    found = "csv" if text == STANDARD else ENDINGS.get(os.path.splitext(bare)[1])
    chosen = found if format is None else next((known for known in FORMATS if known == format), None)
    if chosen is None and format is not None:
        raise ValueError(f"there is no format {format!r}. Choose one of {', '.join(FORMATS)}.")
    if chosen is None:
        endings = ", ".join(["'.csv'", "'.csv.gz'", *(f"'{ending}'" for ending in ENDINGS if ending != ".csv")])
        raise ValueError(
            f"the ending of {text!r} names no table format. Rename it to end in one of {endings}, or use --format."
        )
    if gzipped and chosen not in DELIMITERS:
        raise ValueError(f"{text!r} cannot be gzipped: {NAMES[chosen]} files are compressed already. Drop '.gz'.")
    return Place(text, chosen, gzipped)


@contextlib.contextmanager
def open_output(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open standard output, or a file that appears only once it is complete."""
    if os.fspath(path) == STANDARD:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    check_output(path)
    with whole_file(path) as file:
        yield file


def check_output(path: str | os.PathLike[str], *, inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Raise an error if ``path`` cannot be written or is one of ``inputs``."""
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
            raise ValueError(f"{text} is also read from and would be overwritten. Choose another output.")
