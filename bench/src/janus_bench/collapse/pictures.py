"""A result on the rare class to a picture: how well each run of each method keeps its share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from janus_bench.pictures import Dot, dot_panel
from janus_bench.versions import REAL_ROWS
from janus_synth.plots import Chart, altair, dressed

if TYPE_CHECKING:
    from janus_bench.results import Result


def charts(result: Result) -> dict[str, Chart]:
    """The picture by its name."""
    measured = any("mcs" in record and record["method"] != REAL_ROWS for record in result.records)
    return {"shares": share_picture(result)} if measured else {}


def share_picture(result: Result) -> Chart:
    """A dot per seed, a tick at their mean, a panel per table."""
    alt = altair()
    records = [record for record in result.records if "mcs" in record and record["method"] != REAL_ROWS]
    methods = list(dict.fromkeys(record["method"] for record in records))
    tables = list(dict.fromkeys(record["table"] for record in records))
    x = alt.X("value:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(title="mode collapse score", tickCount=5))
    panels = [
        dot_panel(
            [Dot(r["method"], r["mcs"], r["method"].startswith("JANUS")) for r in records if r["table"] == table],
            x,
            methods,
            title=table,
            labelled=table == tables[0],
        )
        for table in tables
    ]
    notes = ["1 is the share of the rarest class among real rows, 0 none of it or twice as much. A dot is a seed."]
    return dressed(alt.hconcat(*panels, spacing=18), "How well the rarest class keeps its share", notes)
