"""``janus fairness audit``: a planted table and its certificate in; what algorithms make of the bias out."""

from __future__ import annotations

import contextlib
import json
import math
import warnings
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.certificates import certificate_of
from janus_synth.cli.options import AnswerSeed, Format, FormatName, Quiet
from janus_synth.cli.show import console, warnings_told
from janus_synth.errors import BiasError, JanusError, require_extra

if TYPE_CHECKING:
    from rich.table import Table

    from janus_synth.fairness import Audit, Gap, Planted
    from janus_synth.sampling import Estimate

AUDIT_EXAMPLES = (
    "janus fairness audit planted.csv",
    "janus fairness audit planted.csv --algorithm logistic --without-protected",
    "janus fairness audit planted.csv --algorithm logistic,majority --json",
    "janus fairness audit planted.csv --algorithm boosting --features age,sex",
)
DEFAULT = ("logistic", "exponentiated-gradient", "threshold-optimizer")
OTHERS = ("boosting", "majority")
NOTHING = "–"


def audit(
    planted: Annotated[str, typer.Argument(metavar="PLANTED", help="Rows that janus fairness plant wrote, or -.")],
    certificate: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Their certificate; NAME.certificate.json beside the rows if not said."),
    ] = None,
    algorithms: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm",
            metavar="A,B",
            help=f"Who decides: {', '.join((*DEFAULT, *OTHERS))}; may be repeated. The first three if not said.",
        ),
    ] = None,
    outcome: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Which of the biased outcomes; the last one if not said.")
    ] = None,
    features: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Columns to learn from; may be repeated. All that do not come after the outcome if not said.",
        ),
    ] = None,
    without_protected: Annotated[
        bool, typer.Option("--without-protected", help="Keep the protected columns from the algorithms.")
    ] = False,
    splits: Annotated[int, typer.Option(min=2, metavar="N", help="Random splits into training and test rows.")] = 10,
    test_share: Annotated[
        float, typer.Option(min=0.05, max=0.9, metavar="X", help="Share of the rows to test on in each.")
    ] = 0.5,
    level: Annotated[
        float, typer.Option(min=0.5, max=0.9999, metavar="X", help="How often the intervals are to hold the truth.")
    ] = 0.95,
    seed: AnswerSeed = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print a list of audits with all figures as JSON.")] = False,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Train algorithms on planted rows, and hold their decisions against the truth.

    Each is trained a second time, unbiased: on the same rows without the bias. What the two decide differently was
    planted.
    A gap is above 0 where the privileged are favoured: in the chance to be favoured (score), then in decisions.
    Recovered: how much of the planted gap is there; found: whether that is more than luck.
    """
    from janus_synth import fairness

    names = algorithms_in(algorithms, tuple(fairness.ALGORITHMS))
    require_extra("fairlearn.metrics", "fairness", purpose="janus fairness audit")
    estimators = {name: fairness.algorithm(name) for name in names}
    rows = planted_in(planted, certificate, format)
    chosen = None if features is None else names_in(features, set(rows.frame.columns))
    audits = []
    for name, estimator in estimators.items():
        with _warnings_told_once(quiet=quiet), _blamed(name):
            found = fairness.audit(
                estimator, rows, outcome=outcome, features=chosen, with_protected=not without_protected,
                n_splits=splits, test_share=test_share, level=level, name=name, random_state=seed,
                progress=False if quiet else None,
            )  # fmt: skip
        audits.append(found)
    if as_json:
        typer.echo(json.dumps([one.to_dict() for one in audits], indent=2, ensure_ascii=False))
    elif not quiet:
        _show(audits, planted)


def algorithms_in(texts: Sequence[str] | None, known: Sequence[str]) -> list[str]:
    """Names of algorithms, each once, parted by commas."""
    names = list(DEFAULT) if not texts else names_in(texts, known)
    for name in names:
        if name not in known:
            raise typer.BadParameter(f"there is no {name!r}. Choose from {', '.join(known)}.", param_hint="--algorithm")
    return names


def names_in(texts: Sequence[str], known: Collection[str]) -> list[str]:
    """Names parted by commas, unless those belong to a name; each once.

    Examples
    --------
    >>> names_in(["age, bonus", "a,b"], {"age", "bonus", "a,b"})
    ['age', 'bonus', 'a,b']
    """
    parts = [part for text in texts for part in ([text] if text in known else text.split(","))]
    return list(dict.fromkeys(part if part in known else part.strip() for part in parts))


def planted_in(path: str, certificate: str | None, format: FormatName | None) -> Planted:
    """A planted table with its certificate; they are seen to belong together."""
    from janus_synth.fairness import Planted
    from janus_synth.table.files import read_frame

    proof = certificate_of(path, certificate)
    return Planted.from_frame(read_frame(path, format), proof)


@contextlib.contextmanager
def _warnings_told_once(*, quiet: bool) -> Iterator[None]:
    """Tell each warning of a learner once, however many splits give it."""
    with warnings_told(quiet=quiet):
        tell, heard = warnings.showwarning, set()

        def tell_once(message: Any, *where: Any, **more: Any) -> None:
            if str(message) not in heard:
                heard.add(str(message))
                tell(message, *where, **more)

        warnings.showwarning = tell_once
        yield


@contextlib.contextmanager
def _blamed(name: str) -> Iterator[None]:
    """Say which algorithm failed, when a library's own error does not."""
    try:
        yield
    except JanusError:
        raise
    except ValueError as error:
        raise BiasError(f"{name} cannot learn from these rows: {error}") from error


def _show(audits: Sequence[Audit], path: str) -> None:
    """Gaps, then how the decisions agree with the outcomes, then warnings."""
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
    """A block for each algorithm with a line for each gap, that of the bias first."""
    from rich.text import Text

    table = _table("gap", "biased", "from … to", "unbiased", "planted", "recovered", "found")
    for one in audits:
        table.add_row(Text(one.algorithm, style="bold"))
        for gap in sorted(one.gaps.values(), key=lambda gap: gap is not one.main):
            table.add_row(f"  {gap.name}", *_gap_cells(gap))
    return table


def _gap_cells(gap: Gap) -> tuple[str, ...]:
    recovered = NOTHING if math.isnan(gap.recovered) else f"{100 * gap.recovered:.0f} %"
    biased, interval = _signed(gap.gap.value), f"{_signed(gap.gap.low)} … {_signed(gap.gap.high)}"
    return biased, interval, _signed(gap.twin.value), _signed(gap.planted), recovered, "yes" if gap.found else "no"


def _agreement_table(audits: Sequence[Audit]) -> Table:
    """How often each algorithm decides in favour, and agrees with the outcome as it is and as it would have been."""
    from rich.text import Text

    table = _table("agrees with", "biased outcome", "fair outcome", "unbiased", "favours")
    for one in audits:
        agreements = (one.accuracy_biased, one.accuracy_fair, one.twin_accuracy, one.favoured)
        table.add_row(Text(one.algorithm), *map(_share, agreements))
    return table


def _table(first: str, *headings: str) -> Table:
    from rich.table import Table

    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")  # 79 characters, at most
    table.add_column(first, no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _share(estimate: Estimate) -> str:
    return f"{100 * estimate.value:.1f} %"


def _signed(value: float) -> str:
    return NOTHING if math.isnan(value) else f"{value:+.3f}"
