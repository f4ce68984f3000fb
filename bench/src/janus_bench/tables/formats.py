"""Files as their sources publish them to tables: bytes in, a pandas table out."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from janus_bench.tables.layouts import (
    ADULT,
    BANK,
    CAR,
    COMMUNITIES,
    CREDIT,
    CREDIT_WORDS,
    LAW,
    SPECTF,
    STUDENT,
    WINE,
)

if TYPE_CHECKING:
    import pandas as pd


def parse_adult(content: bytes) -> pd.DataFrame:
    """Training part, then test part, whose labels end in a dot and whose first line is a remark."""
    cells = _stacked([_cells(_member(content, name), ADULT.names) for name in ("adult.data", "adult.test")])
    return ADULT.typed(cells.assign(income=cells["income"].str.rstrip(".")))


def parse_bank(content: bytes) -> pd.DataFrame:
    """The full table, which lies in an archive inside the archive."""
    return BANK.typed(_cells(_member(content, "bank-full.csv"), sep=";"))


def parse_credit(content: bytes) -> pd.DataFrame:
    """The table with words for codes."""
    cells = _cells(content).rename(columns={"default_payment": "default_payment_next_month"})
    for name, words in CREDIT_WORDS.items():
        cells[name] = [words.get(code, f"undocumented_{code}") for code in cells[name]]
    return CREDIT.typed(cells)


def parse_wine_quality(content: bytes) -> pd.DataFrame:
    """Red wines, then white ones."""
    parts = [
        _cells(_member(content, f"winequality-{color}.csv"), sep=";").assign(color=color) for color in ("red", "white")
    ]
    return WINE.typed(_stacked(parts))


def parse_car(content: bytes) -> pd.DataFrame:
    """The table; its numbers of doors and persons are words such as ``5more``."""
    return CAR.typed(_cells(_member(content, "car.data"), CAR.names))


def parse_spectf(content: bytes) -> pd.DataFrame:
    """Training part, then test part, the diagnosis last instead of first.

    Of the training part, rows 31 to 48 come after the others: so they do in the table that results are known for.
    """
    names = (SPECTF.names[-1], *SPECTF.names[:-1])
    train, test = (_cells(_member(content, f"SPECTF.{part}"), names) for part in ("train", "test"))
    return SPECTF.typed(_stacked([train[:30], train[48:], train[30:48], test]))


def parse_communities(content: bytes) -> pd.DataFrame:
    """The table, whose file has no names."""
    return COMMUNITIES.typed(_cells(_member(content, "communities.data"), COMMUNITIES.names))


def parse_law(content: bytes) -> pd.DataFrame:
    """The table, in whose file whole numbers have a decimal point."""
    return LAW.typed(_cells(content))


def parse_student(content: bytes) -> pd.DataFrame:
    """The course in Portuguese, which lies in an archive inside the archive."""
    return STUDENT.typed(_cells(_member(content, "student-por.csv"), sep=";"))


def _member(content: bytes, name: str) -> bytes:
    """A file out of an archive, or out of an archive inside it, in whatever folder."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = archive.namelist()
        for entry in entries:
            if PurePosixPath(entry).name.lower() == name.lower():
                return archive.read(entry)
        for entry in entries:
            if entry.lower().endswith(".zip"):
                try:
                    return _member(archive.read(entry), name)
                except KeyError:
                    continue
    raise KeyError(f"no file {name} in the archive")


def _cells(content: bytes, names: tuple[str, ...] | None = None, *, sep: str = ",") -> pd.DataFrame:
    """All cells as text, ``?`` as missing; without ``names``, those of the first line, in lower case."""
    import pandas as pd

    cells = pd.read_csv(
        io.BytesIO(content),
        sep=sep,
        header=0 if names is None else None,
        names=names,
        index_col=False,
        dtype=str,
        na_values=["?"],
        keep_default_na=False,
        skipinitialspace=True,
        comment="|",  # the remark in the test part of Adult
        encoding="utf-8-sig",
    )
    return cells.rename(columns=lambda name: str(name).strip().lower().replace(" ", "_"))


def _stacked(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    import pandas as pd

    return pd.concat(parts, ignore_index=True)
