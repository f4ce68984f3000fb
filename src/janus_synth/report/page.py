"""Three tables and their scores in; a standalone HTML report out, as text or as a file."""

from __future__ import annotations

import base64
import json
import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from janus_synth.alerts import find_alerts
from janus_synth.files import write_whole
from janus_synth.pages import Section, in_words, render_sections
from janus_synth.report.cards import number
from janus_synth.report.findings import Findings, read_tables
from janus_synth.report.overall import overall
from janus_synth.report.sections import SECTIONS, short
from janus_synth.table import read_table

if TYPE_CHECKING:
    from janus_synth.metrics import Report
    from janus_synth.table import Schema

LIBRARIES = ("numpy", "pandas", "scikit-learn", "xgboost", "xgboost-cpu", "altair")
TITLE = "Quality of a synthetic table"
ROLES = {
    "train": "training rows",
    "test": "held-out real rows",
    "synthetic": "synthetic rows",
}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a report comes from.

    Attributes
    ----------
    files : mapping of str to str
        File names of the ``train``, ``test`` and ``synthetic`` rows, as far as they are known.
    command : str, optional
        Command that reproduces the report.
    day : date, optional
        Day to print; today by default.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    command: str | None = None
    day: date | None = None

    @property
    def day_in_words(self) -> str:
        """The date as the page prints it."""
        return in_words(self.day or date.today())


def file_name(path: str) -> str:
    """Shorten a path for a page that others read: it does not reveal folders of this machine.

    Examples
    --------
    >>> file_name("data/rows.csv"), file_name("/home/ada/rows.csv"), file_name("-")
    ('data/rows.csv', 'rows.csv', '-')
    """
    outside = os.path.isabs(path) or os.path.normpath(path).startswith("..")
    return os.path.basename(path) if outside else path


def versions() -> dict[str, str]:
    """List the versions of Python and of the installed libraries behind the numbers."""
    from janus_synth import __version__

    found = {"janus-synth": __version__, "Python": platform.python_version()}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found


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
    """Format the scores of ``metrics.evaluate`` as an HTML report with plots.

    The page is self-contained: it loads nothing, and runs only the scripts that this library wrote into it. The same
    tables, scores and date give the same page.

    Parameters
    ----------
    train, test, synthetic : DataFrame
        The tables that were scored; pandas, polars or pyarrow.
    report : Report
        What ``metrics.evaluate`` returned for them.
    title : str
        Heading of the page.
    origin : Origin, optional
        Files, command and date to mention.
    schema : Schema, optional
        The one given to ``evaluate``, if any.
    max_rows, random_state : int
        Those given to ``evaluate``, so that plots show the rows that were compared.
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
    from janus_synth import __version__

    tables = read_tables(
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
    origin = origin or Origin()
    sections.append(_provenance(findings, origin))
    return render_sections(
        "report.html.j2",
        sections,
        title=title,
        report=report,
        n_rows=report.n_rows,
        n_compared=findings.n_compared,
        alerts=[alert.without_quotes() for alert in find_alerts(train, read_table(train, schema), schema=schema)],
        day=origin.day_in_words,
        files=[origin.files[name] for name in ROLES if name in origin.files],
        download=_download(findings, origin),
        version=__version__,
        number=number,
        short=short,
    )


def write_report(
    path: str | os.PathLike[str],
    train: Any,
    test: Any,
    synthetic: Any,
    report: Report,
    *,
    files: Mapping[str, str] | None = None,
    day: date | None = None,
    **options: Any,
) -> None:
    """Write `report_page` to a file, completely or not at all.

    Parameters
    ----------
    path : path
        The file; one of that name is replaced.
    train, test, synthetic : DataFrame
        The tables that were scored.
    report : Report
        What ``metrics.evaluate`` returned for them.
    files : mapping of str to str, optional
        Names of the ``train``, ``test`` and ``synthetic`` tables to print.
    day : date, optional
        Day to print; today by default.
    **options
        Those of `report_page`; an ``origin`` replaces names and day.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    options.setdefault("origin", Origin(files or {}, day=day))
    write_whole(path, report_page(train, test, synthetic, report, **options))


def _download(findings: Findings, origin: Origin) -> str:
    """All scores and the verdict as the address of a JSON file, which a page can hold."""
    found = {
        "date": (origin.day or date.today()).isoformat(),
        "files": dict(origin.files),
        "verdict": overall(findings).to_dict(),
    }
    text = json.dumps({**found, **findings.report.to_dict()}, indent=2, allow_nan=False, ensure_ascii=False)
    return f"data:application/json;base64,{base64.b64encode(text.encode()).decode()}"


def _provenance(findings: Findings, origin: Origin) -> Section:
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
        "rows of each table in slow scores": f"at most {findings.max_rows:,}",
        "versions": ", ".join(f"{name} {release}" for name, release in versions().items()),
    }
    values = {
        "tables": tables,
        "ignored": findings.tables.ignored,
        "settings": list(settings.items()),
        "command": origin.command,
    }
    return Section("provenance", "How this report was made", values)
