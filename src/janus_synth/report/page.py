"""Three tables and their scores to one standalone page, or to a file that holds it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from janus_synth.files import write_whole
from janus_synth.pages import Section, render_sections
from janus_synth.report.cards import number
from janus_synth.report.findings import Findings
from janus_synth.report.gauge import ZONES
from janus_synth.report.origin import Origin, versions
from janus_synth.report.sections import SECTIONS, short
from janus_synth.report.tables import compared_tables

if TYPE_CHECKING:
    from janus_synth.metrics import Report
    from janus_synth.table import Schema

TITLE = "Quality of a synthetic table"
ROLES = {
    "train": "training rows, which the generator has seen",
    "test": "held-out rows, real ones it has not seen",
    "synthetic": "synthetic rows, which it made",
}


def report_page(
    train: Any,
    test: Any,
    synthetic: Any,
    report: Report,
    *,
    title: str = TITLE,
    origin: Origin | None = None,
    schema: Schema | None = None,
    max_rows: int = 20_000,
    random_state: int = 0,
    progress: Callable[[str, int, int], object] | None = None,
) -> str:
    """Tell what ``metrics.evaluate`` found as a page with pictures.

    The page stands alone: it has no script and loads nothing. Its pictures need the extra ``plots``; without it, the
    page says so and tells the rest. The same tables and scores give the same page.

    Parameters
    ----------
    train, test, synthetic : DataFrame
        The tables that were judged; pandas, polars or pyarrow.
    report : Report
        What ``metrics.evaluate`` made of them.
    title : str
        Heading of the page.
    origin : Origin, optional
        Files and command to tell of.
    schema : Schema, optional
        The one given to ``evaluate``, if any.
    max_rows, random_state : int
        Those given to ``evaluate``, so that pictures show the rows that were judged.
    progress : callable, optional
        Called as ``progress(name, done, total)`` before each section and once at the end.

    Returns
    -------
    str
        HTML.

    Raises
    ------
    DataError
        If the report is about other tables.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from janus_synth import metrics
    >>> x = np.random.default_rng(0).normal(size=90).round(1)
    >>> parts = [pd.DataFrame({"x": x[i : i + 30], "y": x[i : i + 30] > 0}) for i in (0, 30, 60)]
    >>> report = metrics.evaluate(*parts, metrics=["ks", "exact_copies"])
    >>> page = report_page(*parts, report, title="My rows")
    >>> page[:15], "<h1>My rows</h1>" in page
    ('<!DOCTYPE html>', True)
    """
    tables = compared_tables(
        train, test, synthetic, report, schema=schema, random_state=random_state, max_rows=max_rows
    )  # fmt: skip
    findings = Findings(report, tables, random_state, max_rows)
    sections = []
    for done, make in enumerate(SECTIONS):
        if progress is not None:
            progress(make.__name__.replace("_", " "), done, len(SECTIONS))
        sections.append(make(findings))
    if progress is not None:
        progress("", len(SECTIONS), len(SECTIONS))
    sections.append(_made(findings, origin or Origin()))
    return render_sections(
        "report.html.j2",
        sections,
        title=title,
        report=report,
        n_rows=report.n_rows,
        n_compared=findings.n_compared,
        zones=ZONES,
        number=number,
        short=short,
    )


def write_report(
    path: str | os.PathLike[str], train: Any, test: Any, synthetic: Any, report: Report, **options: Any
) -> None:
    """Write `report_page` to a file, whole or not at all.

    Parameters
    ----------
    path : path
        The file; one of that name is replaced.
    train, test, synthetic : DataFrame
        The tables that were judged.
    report : Report
        What ``metrics.evaluate`` made of them.
    **options
        Those of `report_page`.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    write_whole(path, report_page(train, test, synthetic, report, **options))


def _made(findings: Findings, origin: Origin) -> Section:
    """Files, sizes, seed, versions and the command."""
    report = findings.report
    tables = [
        (role, origin.files.get(name, "–"), f"{report.n_rows[name]:,}", f"{len(report.columns):,}")
        for name, role in ROLES.items()
    ]
    settings = {
        "target": report.target,
        "classifier": report.detector,
        "seed": str(findings.random_state),
        "rows of each table where a score takes time": f"at most {findings.max_rows:,}",
        "versions": ", ".join(f"{name} {release}" for name, release in versions().items()),
    }
    values = {
        "tables": tables,
        "ignored": findings.tables.ignored,
        "settings": list(settings.items()),
        "command": origin.command,
    }
    return Section("made", "How this was made", values)
