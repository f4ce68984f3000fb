"""A published source in, its table out: downloaded once, compared with a known checksum, and cached as parquet.

`pooch` downloads the published file and keeps it in the cache. Publishers repack their archives, so the checksum is
that of the parsed table, not of the file; a file whose table differs is deleted.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from janus_bench.store import CACHE_FOLDER, Store, default_folder
from janus_bench.tables.drawn import MADE, SMOOTH
from janus_synth.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

    from janus_bench.tables.sources import Source

DATA_FOLDER = "JANUS_DATA"
"""Environment variable that names the folder of real tables."""
KIND = "tables"
"""Folder of the cache that holds tables."""
TIMEOUT = 30.0
"""Seconds without an answer after which a download is given up."""
LOOPBACK = ("127.0.0.1", "::1", "localhost")
NO_FILES = ("iris", "hiring", *SMOOTH, *MADE)
"""Tables that are drawn on demand, or come with a library."""

CELL_FORMATS: dict[str, Callable[[Any], str]] = {
    "whole": lambda value: str(int(value)),
    "real": lambda value: repr(float(value)),  # the shortest digits that read back as the same number
    "text": json.dumps,
}
"""How a cell of each kind is written for the checksum; a missing cell is empty."""


def own_file(name: str) -> Path | None:
    """The user's file of a table, if there is one."""
    folder = os.environ.get(DATA_FOLDER)
    path = Path(folder).expanduser() / f"{name}.parquet" if folder else None
    return path if path is not None and path.is_file() else None


def cached_file(source: Source) -> Path:
    """Path of a downloaded table in the cache, whether it exists or not; the checksum is part of the name."""
    return Store().path(KIND, _key(source)).with_suffix(".parquet")


def fetch(source: Source) -> pd.DataFrame:
    """Read a table from the cache; download it first if it is not there.

    Nothing is cached unless the whole file arrived and the checksum of its table is right.
    """
    import pandas as pd

    path = cached_file(source)
    if not path.is_file():
        _download(source)
    try:
        return pd.read_parquet(path)
    except (OSError, ValueError) as error:  # pyarrow's own errors are ValueErrors
        raise DataError(
            f"the table {source.name!r} in the cache cannot be read: {error}. Delete {path} to download it again."
        ) from error


def alternatives(name: str) -> str:
    """Advice for the user when a table is not available."""
    return (
        f"Set {DATA_FOLDER} to a folder that holds {name}.parquet, or choose from tables that need no files: "
        f"{', '.join(NO_FILES)}."
    )


def _download(source: Source) -> None:
    """Retrieve the published file into the cache, and put its table beside it."""
    import pooch  # type: ignore[import-untyped]
    from requests import RequestException

    pooch.get_logger().setLevel("WARNING")  # below that it recommends to pin the hash of the file
    folder = cached_file(source).parent
    downloader = pooch.HTTPDownloader(
        timeout=TIMEOUT,
        headers={"User-Agent": "janus-synth"},
        hooks={"response": partial(_on_response, source=source)},
    )
    try:
        pooch.retrieve(
            _safe(source.address),
            known_hash=None,
            fname=f"{_key(source)}.raw",
            path=folder,
            downloader=downloader,
            processor=lambda path, action, _: _cache_table(source, Path(path)),
        )
    except RequestException as error:  # a subclass of OSError
        raise DataError(
            f"the table {source.name!r} cannot be downloaded from {source.address}: {error}. "
            f"{alternatives(source.name)}"
        ) from error
    except OSError as error:
        raise DataError(
            f"the table {source.name!r} cannot be cached in {default_folder()}: {error}. Set {CACHE_FOLDER} to a "
            "folder that can be written to."
        ) from error


def _on_response(response: Any, *args: Any, source: Source, **more: Any) -> None:
    """Check where redirections lead, and tell the user what is downloaded."""
    _safe(response.url)
    if response.ok and not response.is_redirect:
        size = response.headers.get("Content-Length")
        about = f", {int(size) / 1e6:.1f} MB" if size else ""
        print(f"downloading {source.name} from {source.host}{about}: {source.cite}", file=sys.stderr)


def _safe(address: str) -> str:
    """Return the address; raise DataError unless it is https or local, as data could be altered in transit."""
    parts = urlsplit(address)
    if parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK):
        return address
    raise DataError(f"tables are downloaded by https only, not from {address}.")


def _cache_table(source: Source, path: Path) -> None:
    """Parse a published file, check the table and cache it; a file that is not the expected one is deleted."""
    try:
        frame = _checked(source, path.read_bytes())
    except DataError:
        path.unlink()
        raise
    Store().write_rows(KIND, _key(source), frame)


def _checked(source: Source, content: bytes) -> pd.DataFrame:
    """The table in a file, if it is the expected one."""
    what = f"the file from {source.address} ({len(content):,} bytes)"
    try:
        frame = source.parse(content)
    except Exception as error:  # an unexpected file may raise anything in a parser
        raise DataError(
            f"{what} cannot be read as the table {source.name!r}: {type(error).__name__}: {error}. It was not kept. "
            f"{alternatives(source.name)}"
        ) from error
    found = content_checksum(frame, ordered=source.ordered)
    if found != source.checksum:
        raise DataError(
            f"{what} is not the table {source.name!r} that results are known for: it has {len(frame):,} rows and the "
            f"checksum {found[:12]}…, expected was {source.checksum[:12]}…. Either it was damaged on its way, or its "
            f"publisher has changed it. It was not kept. {alternatives(source.name)}"
        )
    return frame


def _key(source: Source) -> str:
    return f"{source.name}-{source.checksum[:12]}"


def content_checksum(frame: pd.DataFrame, *, ordered: bool = True) -> str:
    """SHA-256 of a table's column names, kinds and values, independent of how pandas stores them.

    Parameters
    ----------
    frame : DataFrame
        The table.
    ordered : bool
        Whether the order of rows counts.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [30, 41], "job": ["nurse", None]})
    >>> content_checksum(frame)[:12]
    '853ae276b4f9'
    >>> content_checksum(frame) == content_checksum(frame.iloc[::-1])
    False
    >>> content_checksum(frame, ordered=False) == content_checksum(frame.iloc[::-1], ordered=False)
    True
    """
    kinds = [_kind(frame[name]) for name in frame]
    cells = [_cell_texts(frame[name], kind) for name, kind in zip(frame, kinds, strict=True)]
    rows = ["\t".join(row) for row in zip(*cells, strict=True)]
    head = json.dumps([list(frame.columns), kinds])
    return hashlib.sha256("\n".join([head, *(rows if ordered else sorted(rows))]).encode()).hexdigest()


def _kind(column: pd.Series[Any]) -> str:
    from pandas.api.types import is_float_dtype, is_integer_dtype

    if is_integer_dtype(column):
        return "whole"
    return "real" if is_float_dtype(column) else "text"


def _cell_texts(column: pd.Series[Any], kind: str) -> list[str]:
    write = CELL_FORMATS[kind]
    return ["" if null else write(value) for value, null in zip(column.tolist(), column.isna().tolist(), strict=True)]
