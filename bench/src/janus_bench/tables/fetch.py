"""A published table from the cache or from its source: downloaded once, checked, and kept as parquet."""

from __future__ import annotations

import os
import sys
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from janus_bench.store import CACHE_FOLDER, Store, default_folder
from janus_bench.tables.checksum import content_checksum
from janus_bench.tables.made import MADE
from janus_bench.tables.smooth import SMOOTH
from janus_synth.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

    from janus_bench.tables.sources import Source

DATA_FOLDER = "JANUS_DATA"
"""Environment variable that names the folder of real tables."""
KIND = "tables"
"""Folder of the cache that tables are kept in."""
PATIENCE = 30.0
"""Seconds without an answer after which a download is given up."""
LOOPBACK = ("127.0.0.1", "::1", "localhost")
NO_FILES = ("iris", "hiring", *SMOOTH, *MADE)
"""Tables that are drawn on the spot, or come with a library."""


def own_file(name: str) -> Path | None:
    """The user's file of a table, if there is one."""
    folder = os.environ.get(DATA_FOLDER)
    path = Path(folder).expanduser() / f"{name}.parquet" if folder else None
    return path if path is not None and path.is_file() else None


def kept_file(source: Source) -> Path:
    """Where a downloaded table is kept, or would be; another version of it would be another file."""
    return Store().path(KIND, _key(source)).with_suffix(".parquet")


def fetch(source: Source) -> pd.DataFrame:
    """A table from the cache, where it is put first if it is not there.

    Nothing is kept unless all of it came and its checksum is right.
    """
    import pandas as pd

    path = kept_file(source)
    if not path.is_file():
        _keep(source, _checked(source, _downloaded(source)))
    try:
        return pd.read_parquet(path)
    except (OSError, ValueError) as error:  # pyarrow's own errors are ValueErrors
        raise DataError(
            f"the table {source.name!r} in the cache cannot be read: {error}. Delete {path} to download it anew."
        ) from error


def ways_out(name: str) -> str:
    """What to do where a table cannot be had."""
    return (
        f"Set {DATA_FOLDER} to a folder that holds {name}.parquet, or choose from tables that need no files: "
        f"{', '.join(NO_FILES)}."
    )


def _downloaded(source: Source) -> bytes:
    request = Request(_safe(source.address), headers={"User-Agent": "janus-synth"})
    try:
        with urlopen(request, timeout=PATIENCE) as answer:
            _safe(answer.url)  # where redirections led to
            size = answer.headers.get("Content-Length")
            about = f", {int(size) / 1e6:.1f} MB" if size else ""
            print(f"downloading {source.name} from {source.host}{about}: {source.cite}", file=sys.stderr)
            return bytes(answer.read())
    except (OSError, HTTPException) as error:
        why = str(error).removeprefix("<urlopen error ").removesuffix(">")
        raise DataError(
            f"the table {source.name!r} cannot be downloaded from {source.address}: {why}. {ways_out(source.name)}"
        ) from error


def _safe(address: str) -> str:
    """The address, unless somebody on the way could change what comes from there."""
    parts = urlsplit(address)
    if parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK):
        return address
    raise DataError(f"tables are downloaded by https only, not from {address}.")


def _checked(source: Source, content: bytes) -> pd.DataFrame:
    """The table in a file, if it is the one expected."""
    what = f"what came from {source.address} ({len(content):,} bytes)"
    try:
        frame = source.parse(content)
    except Exception as error:  # a foreign file may break a parser in any way
        raise DataError(
            f"{what} cannot be read as the table {source.name!r}: {type(error).__name__}: {error}. Nothing of it is "
            f"kept. {ways_out(source.name)}"
        ) from error
    found = content_checksum(frame, ordered=source.ordered)
    if found != source.checksum:
        raise DataError(
            f"{what} is not the table {source.name!r} that results are known for: it has {len(frame):,} rows and the "
            f"checksum {found[:12]}…, expected was {source.checksum[:12]}…. Either it was damaged on its way, or its "
            f"publisher has changed it. Nothing of it is kept. {ways_out(source.name)}"
        )
    return frame


def _keep(source: Source, frame: pd.DataFrame) -> None:
    try:
        Store().write_rows(KIND, _key(source), frame)
    except OSError as error:
        raise DataError(
            f"the table {source.name!r} cannot be kept in {default_folder()}: {error}. Set {CACHE_FOLDER} to a folder "
            "that can be written to."
        ) from error


def _key(source: Source) -> str:
    return f"{source.name}-{source.checksum[:12]}"
