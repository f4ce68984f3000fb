"""Uploaded files: a name and bytes in; the ending of a table, or an error that says why the file is refused, out.

Compressed files are measured before they are read: what they inflate to is bounded, not only what is sent.
"""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

from janus_synth.errors import DataError

SUFFIXES = (".csv.gz", ".csv", ".tsv", ".parquet", ".arrow", ".xlsx")
MOST_BYTES = 256 * 2**20
"""Largest upload."""
MOST_INFLATED = 2 * 2**30
"""Largest size after decompression."""
MOST_MEMORY = 6 * 2**30
MOST_SECONDS = 300
"""Memory and processor time of the process that reads a table."""
MOST_MEMBERS = 1000
PIECE = 2**20


def suffix_of(name: str) -> str:
    """Ending of a file name that a table may have.

    Examples
    --------
    >>> suffix_of("People.CSV"), suffix_of("../../people.csv.gz")
    ('.csv', '.csv.gz')
    """
    for suffix in SUFFIXES:
        if name.lower().endswith(suffix):
            return suffix
    raise DataError(f"the studio reads {', '.join(SUFFIXES)} files. Save the table as one of them.")


def title_of(name: str) -> str:
    """Name of a file to show, without its folders and without control characters.

    Examples
    --------
    >>> title_of("data/people.csv")
    'people.csv'
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(letter for letter in last if letter.isprintable())[:120] or "table"


def check_inflated(path: Path, suffix: str, *, most: int = MOST_INFLATED) -> None:
    """Raise DataError if a compressed file inflates to more than ``most`` bytes."""
    if suffix == ".xlsx":
        _check_zip(path, most)
    elif suffix == ".csv.gz":
        _check_gzip(path, most)


def _check_zip(path: Path, most: int) -> None:
    """Inflate every member piece by piece: the sizes that a zip declares need not be true."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if len(members) > MOST_MEMBERS:
                raise DataError(f"the workbook has {len(members):,} parts. Save it anew, or as CSV.")
            left = most
            for member in members:
                with archive.open(member) as stream:
                    while piece := stream.read(PIECE):
                        left = _spend(left, len(piece))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise DataError(f"this is not a readable Excel workbook: {error}. Save it anew as .xlsx, or as CSV.") from error


def _check_gzip(path: Path, most: int) -> None:
    try:
        with gzip.open(path) as stream:
            left = most
            while piece := stream.read(PIECE):
                left = _spend(left, len(piece))
    except (gzip.BadGzipFile, EOFError) as error:
        raise DataError(f"this is not a readable gzip file: {error}. Compress it anew.") from error


def _spend(left: int, used: int) -> int:
    if used > left:
        raise DataError("the file inflates to more than the studio reads. Use janus fit for tables of this size.")
    return left - used


def limit_process() -> None:
    """Bound the memory of this process, where the system can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = MOST_MEMORY if hard == resource.RLIM_INFINITY else min(MOST_MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
