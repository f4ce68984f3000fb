"""Rows on their way through a command: how they are read and written, and what is said of it."""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from janus_synth.cli.options import FormatName, keep_from_terminal
from janus_synth.cli.show import console, counted, size_text


class Formats(NamedTuple):
    """Format of what is read and of what is written; None where the ending says it."""

    rows: FormatName | None
    out: FormatName | None


def formats_of(rows: str, out: str, format: FormatName | None) -> Formats:
    """Take a format for that of standard input and output, if one of them is used; files then speak for themselves."""
    from janus_synth.table.files import STANDARD

    either = STANDARD not in (rows, out)
    return Formats(*(format if either or path == STANDARD else None for path in (rows, out)))


def check_table_path(out: str, format: FormatName | None, *, inputs: tuple[str, ...]) -> None:
    """Refuse a place where no table can be written, before any work is done for it."""
    from janus_synth.table.files import check_output, place_of

    keep_from_terminal(place_of(out, format))
    check_output(out, inputs=inputs)


def tell_written(n_rows: int, out: str, start: float) -> None:
    """Say how many rows are in a file, how large it is and how long it took."""
    size, seconds = size_text(os.path.getsize(out)), time.perf_counter() - start
    console().print(f"{counted(n_rows, 'row')} in {out} ({size}, {seconds:.1f} s)", soft_wrap=True)
