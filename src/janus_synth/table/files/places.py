"""A path and perhaps a format in, the place of a table out."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal, get_args

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
    """Where a table lies or goes, and how it is written there."""

    path: str
    format: Format
    gzipped: bool = False

    @property
    def is_standard(self) -> bool:
        """Whether it is standard input or output."""
        return self.path == STANDARD

    @property
    def is_text(self) -> bool:
        """Whether a person can read it as it is."""
        return self.format in DELIMITERS and not self.gzipped


def place_of(path: str | os.PathLike[str], format: str | None = None) -> Place:
    """Read a place off its name; ``format`` wins over the ending.

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
        raise ValueError(f"{text!r} would be gzip inside gzip: {NAMES[chosen]} files are packed already. Drop '.gz'.")
    return Place(text, chosen, gzipped)
