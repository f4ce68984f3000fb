"""What all charts share: colours, fonts, the optional libraries, and the conversion to SVG and PNG."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from janus_synth.errors import MissingExtraError, require_extra
from janus_synth.pages import REAL, SYNTHETIC

Chart: TypeAlias = Any  # an altair chart; altair is optional, so its types may not be importable

EPISTEMIC, ALEATORIC = "#762a83", "#1b7837"
"""Purple and green, which colour-blind readers can distinguish."""
INK, MUTED, FAINT = "#1f2933", "#5f6b7a", "#d9dee5"
FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
SOURCES = ("real", "synthetic")


def altair() -> Any:
    """Import altair, or raise an error that names the extra."""
    return require_extra("altair", "plots", purpose="drawing pictures")


def missing_extra() -> MissingExtraError | None:
    """Return the error that drawing would raise, or None if the extra is installed."""
    try:
        altair()
        require_extra("vl_convert", "plots", purpose="turning pictures into SVG")
    except MissingExtraError as error:
        return error
    return None


def to_svg(chart: Chart) -> str:
    """Render a chart as SVG text that needs no script and no network.

    Examples
    --------
    >>> from janus_synth import Dag
    >>> from janus_synth.plots import graph_picture
    >>> to_svg(graph_picture(Dag({"age": (), "pay": ("age",)})))[:4]
    '<svg'
    """
    require_extra("vl_convert", "plots", purpose="turning pictures into SVG")
    buffer = io.StringIO()
    chart.save(buffer, format="svg")
    return buffer.getvalue()


def to_png(chart: Chart, *, scale: float = 1.0) -> bytes:
    """Render a chart as PNG."""
    require_extra("vl_convert", "plots", purpose="turning pictures into PNG")
    buffer = io.BytesIO()
    chart.save(buffer, format="png", scale_factor=scale)
    return buffer.getvalue()


def inline(rows: Iterable[Mapping[str, object]]) -> Any:
    """Make chart data from rows. Fields have names of our own, because column names may hold dots and brackets."""
    return altair().InlineData(values=list(rows))


def source_colour(*, legend: bool) -> Any:
    """Colour channel of real and synthetic rows."""
    alt = altair()
    shown = (
        alt.Legend(title=None, orient="top", symbolType="square", symbolSize=160, symbolOpacity=1) if legend else None
    )
    return alt.Color(
        "source:N", scale=alt.Scale(domain=list(SOURCES), range=[REAL, SYNTHETIC]), legend=shown
    )  # fmt: skip


def title_of(
    text: str, notes: Sequence[str] = (), *, size: int = 13, offset: int = 8, frame: str = "group"
) -> Any:  # fmt: skip
    """Make a title with smaller lines below it, aligned with the plot (``group``) or with its labels (``bounds``)."""
    lines = {"subtitle": list(notes)} if notes else {}  # an empty list would still take up a line
    return altair().TitleParams(text, anchor="start", frame=frame, fontSize=size, offset=offset, **lines)


def apply_theme(chart: Chart, title: str = "", notes: Sequence[str] = ()) -> Chart:
    """Apply the title and the common theme to a chart."""
    if title:
        chart = chart.properties(title=title_of(title, notes, size=16, offset=16, frame="bounds"))
    return (
        chart.configure(font=FONT, background="white", aria=False, padding=6)
        .configure_view(stroke=None)
        .configure_title(color=INK, subtitleColor=MUTED, subtitleFontSize=11.5, subtitlePadding=4, fontWeight=600)
        .configure_axis(
            labelColor=MUTED, labelFontSize=11, titleColor=MUTED, titleFontSize=11, titleFontWeight="normal",
            gridColor="#edf0f3", domainColor=FAINT, tickColor=FAINT,
        )
        .configure_legend(labelColor=INK, labelFontSize=12, titleColor=MUTED, titleFontSize=11)
    )  # fmt: skip


def shorten(text: str, limit: int = 24) -> str:
    """Cut the middle out of a long label, because names often differ at their ends."""
    tail = (limit - 1) // 2
    return text if len(text) <= limit else f"{text[: limit - 1 - tail]}…{text[-tail:]}"
