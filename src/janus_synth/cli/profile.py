"""``janus profile``: a table in; an overview of it before fitting out, in the terminal and as a page."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from janus_synth.cli.columns import read_fields, read_table_file
from janus_synth.cli.options import Columns, Format, MissingTexts, Quiet, Silence
from janus_synth.cli.output import check_text_paths, console, facts_table, format_count, shorten, show_status

if TYPE_CHECKING:
    from rich.table import Table

    from janus_synth.profile import ColumnProfile, Profile

PROFILE_EXAMPLES = (
    "janus profile people.csv",
    "janus profile people.csv --html people.html",
    "janus profile people.csv --column 'start_date=datetime:%Y-%m-%d'",
    "cat people.csv | janus profile -",
)
MARKS = " ▁▂▃▄▅▆▇█"
CHART = 12
NAME = 18
MOST_RELATIONS = 8


def profile(
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="Table to look at: .csv, .csv.gz, .tsv, .parquet, .arrow, or -.")
    ],
    html: Annotated[str | None, typer.Option(metavar="FILE", help="Write a page with charts as well.")] = None,
    schema: Annotated[
        str | None,
        typer.Option(metavar="FILE", help='JSON that corrects the detected schema: {"zip": {"kind": "categorical"}}.'),
    ] = None,
    columns: Columns = None,
    missing: MissingTexts = None,
    silence: Silence = None,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Look at a table before fitting: kinds, nulls, distributions, alerts, associations and relations."""
    from janus_synth.files import write_whole
    from janus_synth.profile import profile_frame, profile_page
    from janus_synth.table.files import STANDARD

    check_text_paths({"--html": html}, inputs=(data,))
    fields = read_fields(schema, columns, missing)
    frame = read_table_file(data, format, fields)
    with show_status("looking at the table", quiet=quiet):
        found = profile_frame(frame, schema=fields or None, silence=silence or ())
    if html is not None:
        name = "A table" if data == STANDARD else os.path.basename(data)
        write_whole(html, profile_page(found, title=f"{name} at a glance"))
    if not quiet:
        _print(found)
        if html is not None:
            console().print(f"\npage in {html}", soft_wrap=True)


def _print(found: Profile) -> None:
    out = console()
    nulls = f"{found.missing:.1%} of the cells"
    out.print(facts_table(rows=f"{found.n_rows:,}", columns=f"{len(found.columns)}: {found.kinds}", missing=nulls))
    out.print()
    out.print(_column_table(found))
    if found.alerts:
        out.print(f"\n{format_count(len(found.alerts), 'alert')}, the most serious first:")
    for alert in found.alerts:
        out.print(f"  {alert.where}: {alert.message}; {alert.effect}.", soft_wrap=True)
        out.print(f"    remedy: {alert.shell_remedy}   silence: {alert.silence}", soft_wrap=True)
    if found.associations:
        out.print("\nstrongest associations:")
    for pair in found.associations[:MOST_RELATIONS]:
        out.print(f"  {pair.strength:5.2f}  {pair.first} and {pair.second}", soft_wrap=True)
    if found.relations:
        out.print("\nrelations that all rows keep (janus discover prints all of them as rules):")
    for text in found.relations[:MOST_RELATIONS]:
        out.print(f"  {shorten(text)}", soft_wrap=True)


def _column_table(found: Profile) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    names = min(NAME, max(len(column.name) for column in found.columns))
    widths = {"column": max(6, names), "kind": 11, "nulls": 5, "distinct": 8, "shape": CHART}
    room = max(12, console().width - sum(widths.values()) - len(widths))
    for heading, width in (widths | {"values": room}).items():
        right = heading in ("nulls", "distinct")
        table.add_column(heading, width=width, no_wrap=True, overflow="ellipsis", justify="right" if right else "left")
    for column in found.columns:
        distinct = "" if column.n_distinct is None else f"{column.n_distinct:,}"
        nulls = f"{column.missing:.0%}" if column.missing else ""
        cells = (column.name, column.kind, nulls, distinct, spark(column), shorten(column.values, room))
        mark = "bold yellow" if any(alert.is_serious for alert in found.alerts_of(column.name)) else ""
        table.add_row(Text(cells[0], style=mark), *map(Text, cells[1:]))
    return table


def spark(column: ColumnProfile) -> str:
    """Draw a histogram with a character per bin.

    Examples
    --------
    >>> from janus_synth.profile import ColumnProfile
    >>> spark(ColumnProfile("x", "numeric", "float64", "", 0.0, 9, counts=(1, 4, 8)))
    '▁▄█'
    """
    counts = list(column.counts)
    while len(counts) > CHART:  # join neighbours
        counts = [sum(counts[i : i + 2]) for i in range(0, len(counts), 2)]
    most = max(counts, default=0)
    return "".join(MARKS[-(-count * (len(MARKS) - 1) // most)] for count in counts) if len(counts) > 1 else ""
