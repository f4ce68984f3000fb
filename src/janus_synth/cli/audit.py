"""``janus fairness audit``: planted rows and their certificate in; how much of the bias algorithms reproduce out."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.inputs import read_text, split_names
from janus_synth.cli.options import (
    AnswerSeed,
    Format,
    FormatName,
    Level,
    Quiet,
)
from janus_synth.cli.output import (
    console,
    format_defined,
    number_table,
    show_warnings,
)
from janus_synth.cli.plant import certificate_path
from janus_synth.errors import BiasError, JanusError, require_extra

if TYPE_CHECKING:
    from rich.table import Table

    from janus_synth.fairness import Audit, Certificate, Gap, Planted
    from janus_synth.sampling import Estimate

AUDIT_EXAMPLES = (
    "janus fairness audit planted.csv",
    "janus fairness audit planted.csv --algorithm logistic --without-protected",
    "janus fairness audit planted.csv --algorithm logistic,majority --json",
    "janus fairness audit planted.csv --algorithm boosting --features age,sex",
)
DEFAULT_ALGORITHMS = ("logistic", "exponentiated-gradient", "threshold-optimizer")
OTHER_ALGORITHMS = ("boosting", "majority")
NARROW: dict[str, Any] = {"gap": 1, "pad_edge": False}
"""Layout of the audit tables, which then fit into 80 characters."""


def audit(
    planted: Annotated[str, typer.Argument(metavar="PLANTED", help="Rows written by janus fairness plant, or -.")],
    certificate: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Their certificate; NAME.certificate.json beside the rows by default."),
    ] = None,
    algorithms: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm",
            metavar="A,B",
            help=f"Algorithms to audit: {', '.join((*DEFAULT_ALGORITHMS, *OTHER_ALGORITHMS))}; may be repeated. The "
            "first three by default.",
        ),
    ] = None,
    outcome: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Which of the biased outcomes; the last one by default.")
    ] = None,
    features: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Columns to learn from; may be repeated. By default all that do not depend on the outcome.",
        ),
    ] = None,
    without_protected: Annotated[
        bool, typer.Option("--without-protected", help="Hide the protected columns from the algorithms.")
    ] = False,
    splits: Annotated[int, typer.Option(min=2, metavar="N", help="Random splits into training and test rows.")] = 10,
    test_share: Annotated[
        float, typer.Option(min=0.05, max=0.9, metavar="X", help="Share of test rows in each split.")
    ] = 0.5,
    level: Level = 0.95,
    seed: AnswerSeed = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print a list of audits with all numbers as JSON.")] = False,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Train algorithms on rows with planted bias, and compare their decisions with the known truth.

    Each algorithm is trained a second time on the same rows without the bias ("unbiased"), so that the difference
    between the two is due to the bias.
    A gap is above 0 where the privileged group is favoured: in mean predicted probabilities (score), then in decisions.
    Recovered: the share of the planted gap that shows. Found: whether that is statistically significant.
    """
    from janus_synth import fairness

    names = _choose_algorithms(algorithms, tuple(fairness.ALGORITHMS))
    require_extra("fairlearn.metrics", "fairness", purpose="janus fairness audit")
    estimators = {name: fairness.algorithm(name) for name in names}
    rows = read_planted(planted, certificate, format)
    chosen = None if features is None else split_names(features, set(rows.frame.columns))
    audits = []
    for name, estimator in estimators.items():
        with show_warnings(quiet=quiet, once=True), _name_algorithm(name):
            found = fairness.audit(
                estimator, rows, outcome=outcome, features=chosen, with_protected=not without_protected,
                n_splits=splits, test_share=test_share, level=level, name=name, random_state=seed,
                progress=False if quiet else None,
            )  # fmt: skip
        audits.append(found)
    if as_json:
        typer.echo(json.dumps([one.to_dict() for one in audits], indent=2, ensure_ascii=False))
    elif not quiet:
        _print_audits(audits, planted)


def _choose_algorithms(texts: Sequence[str] | None, known: Sequence[str]) -> list[str]:
    """Read names of algorithms, separated by commas; each once."""
    names = split_names(texts, known) if texts else list(DEFAULT_ALGORITHMS)
    for name in names:
        if name not in known:
            raise typer.BadParameter(
                f"there is no algorithm {name!r}. Choose from {', '.join(known)}.", param_hint="--algorithm"
            )
    return names


def read_planted(path: str, certificate: str | None, format: FormatName | None) -> Planted:
    """Read rows with planted bias and their certificate, and check that they belong together."""
    from dataclasses import replace

    from janus_synth.fairness import Planted
    from janus_synth.fairness.planted import FAIR
    from janus_synth.table import Schema
    from janus_synth.table.files import read_frame

    found = _read_certificate(path, certificate)
    fair = [replace(found.schema[name], name=f"{FAIR}{name}") for name in found.changed]
    return Planted.from_frame(read_frame(path, format, like=Schema((*found.schema, *fair))), found)


def _read_certificate(table: str, path: str | None) -> Certificate:
    """Read the certificate of a table, from ``path`` or from the file beside the table."""
    from janus_synth.fairness import Certificate

    found = path or certificate_path(table)
    if found is None:
        raise typer.BadParameter("a table that is not a file has none beside it; name one.", param_hint="--certificate")
    if path is None and not os.path.exists(found):
        raise FileNotFoundError(f"there is no certificate {found} beside {table}. Name it with --certificate.")
    try:
        return Certificate.from_json(read_text(found))
    except BiasError as error:
        raise BiasError(f"{found}: {error}") from error


@contextlib.contextmanager
def _name_algorithm(name: str) -> Iterator[None]:
    """Add the algorithm's name to errors of other libraries."""
    try:
        yield
    except JanusError:
        raise
    except ValueError as error:
        raise BiasError(f"{name} cannot learn from these rows: {error}") from error


def _print_audits(audits: Sequence[Audit], path: str) -> None:
    """Print gaps, then agreement with the outcomes, then degenerate decisions."""
    first, to = audits[0], console()
    to.print(
        f"decisions about {first.outcome} in {path}, with {100 * first.level:.4g} % intervals over {first.n_splits} "
        "splits",
        soft_wrap=True,
    )
    to.print()
    to.print(_gap_table(audits))
    to.print()
    to.print(_agreement_table(audits))
    to.print()
    to.print("unbiased: the same algorithm, trained and tested on the same rows without the bias", soft_wrap=True)
    for one in audits:
        for reason in one.degenerate:
            to.print(f"{one.algorithm} is degenerate: {reason}", soft_wrap=True)


def _gap_table(audits: Sequence[Audit]) -> Table:
    """Lay out one block per algorithm with one line per gap, the biased outcome's first."""
    from rich.text import Text

    table = number_table("gap", "biased", "from … to", "unbiased", "planted", "recovered", "found", **NARROW)
    for one in audits:
        table.add_row(Text(one.algorithm, style="bold"))
        for gap in sorted(one.gaps.values(), key=lambda gap: gap is not one.main):
            table.add_row(f"  {gap.name}", *_gap_cells(gap))
    return table


def _gap_cells(gap: Gap) -> tuple[str, ...]:
    biased, low, high = (format_defined(value, "{:+.3f}") for value in (gap.gap.value, gap.gap.low, gap.gap.high))
    return (
        biased,
        f"{low} … {high}",
        format_defined(gap.twin.value, "{:+.3f}"),
        format_defined(gap.planted, "{:+.3f}"),
        format_defined(100 * gap.recovered, "{:.0f} %"),
        "yes" if gap.found else "no",
    )


def _agreement_table(audits: Sequence[Audit]) -> Table:
    """Lay out how often each algorithm agrees with the biased and the fair outcome, and decides in favour."""
    from rich.text import Text

    table = number_table("agrees with", "biased outcome", "fair outcome", "unbiased", "favours", **NARROW)
    for one in audits:
        agreements = (one.accuracy_biased, one.accuracy_fair, one.twin_accuracy, one.favoured)
        table.add_row(Text(one.algorithm), *map(_format_percent, agreements))
    return table


def _format_percent(estimate: Estimate) -> str:
    return f"{100 * estimate.value:.1f} %"
