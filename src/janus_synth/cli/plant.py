"""``janus fairness plant``: a model file and a bias in; biased rows, their fair values and a certificate out."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.inputs import load_model, read_json
from janus_synth.cli.options import (
    AnswerSeed,
    Format,
    FormatName,
    Jobs,
    Model,
    OutRows,
    Quiet,
    TrustGraph,
    Where,
)
from janus_synth.cli.output import (
    check_distinct_paths,
    check_table_path,
    check_text_paths,
    console,
    format_defined,
    number_table,
    print_written,
    progress_option,
    show_warnings,
)
from janus_synth.cli.values import find_column, parse_value
from janus_synth.errors import BiasError, JanusError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from janus_synth.fairness import Bias, Certificate, Planted
    from janus_synth.table import Schema

PLANT_EXAMPLES = (
    "janus fairness plant people.janus --protected sex --privileged male \\\n"
    "    --outcome hired --favourable true --magnitude 0.2 -o planted.csv",
    "janus fairness plant people.janus --protected age --privileged 25..45 \\\n"
    "    --outcome bonus --favourable 1000..20000 --magnitude 0.1 \\\n"
    "    --path offered_salary --subgroup \"sex == 'female'\" -o bonus.parquet",
    "janus fairness plant people.janus --biases biases.json \\\n    -n 2000 -o rows.csv --page certificate.html",
)
REQUIRED = ("protected", "privileged", "outcome", "favourable", "magnitude")
CERTIFICATE_ENDING = ".certificate.json"


class Baseline(StrEnum):
    """Rows to plant a bias in; ``janus_synth.fairness.plant`` documents each choice."""

    fair = "fair"
    neutral = "neutral"
    learnt = "learnt"


def plant(
    model: Model,
    out: OutRows,
    protected: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Protected attribute; may be repeated, and then the bias affects those who are unprivileged by all of "
            "them.",
        ),
    ] = None,
    privileged: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VALUE", help="Privileged group: male, a range 25..45, or several a|b; one for each --protected."
        ),
    ] = None,
    outcome: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column to bias.")] = None,
    favourable: Annotated[
        str | None,
        typer.Option(metavar="VALUE", help="Favourable outcome: a value, a range or several values, as above."),
    ] = None,
    magnitude: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Share of favourable outcomes that become unfavourable, from -1 to 1; below 0 in favour of the group.",
        ),
    ] = None,
    path: Annotated[
        str | None,
        typer.Option(
            metavar="direct|COLUMN",
            help="Change the outcome itself (direct, the default), or this mediator, and the outcome follows.",
        ),
    ] = None,
    subgroup: Annotated[
        str | None, typer.Option(metavar="TEXT", help='Affect only those who satisfy a condition such as "age >= 50".')
    ] = None,
    biases: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Instead of the options above: JSON with one bias or a list of them, with the same names; a range is "
            '{"low": 25, "high": 45}.',
        ),
    ] = None,
    n: Annotated[int, typer.Option("--rows", "-n", min=1, metavar="N", help="How many rows.")] = 10_000,
    where: Where = None,
    baseline: Annotated[
        Baseline,
        typer.Option(
            help="Rows before the bias. fair: the biased columns do not depend on the protected ones; neutral: no "
            "column does; learnt: the bias is added to what the model has learnt."
        ),
    ] = Baseline.fair,
    certificate: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Where to write the certificate; NAME.certificate.json beside the rows by default.",
        ),
    ] = None,
    page: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the certificate as a printable HTML page as well.")
    ] = None,
    seed: AnswerSeed = 0,
    trust_graph: TrustGraph = False,
    jobs: Jobs = None,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Draw rows with a planted bias of known size, and a certificate that documents it.

    The rows have a column "turned" that marks changed outcomes, and for every column that changed a column fair_NAME
    with the values before the bias. All rules hold with the bias and without it.
    Each file is written completely or not at all.
    """
    from janus_synth import fairness

    options = BiasOptions(protected, privileged, outcome, favourable, magnitude, path, subgroup)
    options.check(biases)
    files = PlantedFiles(out, certificate or certificate_path(out), page, format)
    files.check(inputs=(model, biases) if biases else (model,))
    start = time.perf_counter()
    listed = _read_biases(biases) if biases else None
    janus = load_model(model, jobs=jobs, trust_graph=trust_graph)
    to_plant = options.to_bias(janus.schema_) if listed is None else listed
    progress = progress_option(out, quiet=quiet)
    with show_warnings(quiet=quiet):
        planted = fairness.plant(
            janus, to_plant, n, where=where, baseline=baseline.value, random_state=seed, progress=progress
        )
    files.write(planted)
    if not quiet:
        _print_planted(planted, files, start)


@dataclass(frozen=True, slots=True)
class BiasOptions:
    """A bias as the options describe it."""

    protected: list[str] | None
    privileged: list[str] | None
    outcome: str | None
    favourable: str | None
    magnitude: float | None
    path: str | None
    subgroup: str | None

    def check(self, biases: str | None) -> None:
        """Raise an error for an incomplete bias, or for one given beside a file of biases."""
        given = [field.name for field in fields(self) if getattr(self, field.name) not in (None, [])]
        if biases is not None and given:
            raise typer.BadParameter(
                f"the file describes the biases and cannot be combined with {_join_options(given)}. Choose one of "
                "the two.",
                param_hint="--biases",
            )
        if biases is None and (missing := [name for name in REQUIRED if name not in given]):
            raise typer.BadParameter(f"a bias needs {_join_options(missing)}. Or give a file of biases with --biases.")
        if biases is None and len(self.protected or ()) != len(self.privileged or ()):
            raise typer.BadParameter(
                f"{len(self.protected or ())} protected and {len(self.privileged or ())} privileged do not match. Give "
                "one --privileged for each --protected, in their order.",
                param_hint="--privileged",
            )

    def to_bias(self, schema: Schema) -> Bias:
        """Build the bias, with values in the kinds of the model's columns."""
        from janus_synth.fairness import Bias

        assert self.outcome is not None, "checked before"
        assert self.magnitude is not None, "checked before"
        protected = list(self.protected or ())
        privileged = [
            parse_value(text, find_column(name, schema))
            for name, text in zip(protected, self.privileged or (), strict=True)
        ]
        favourable = parse_value(self.favourable or "", find_column(self.outcome, schema))
        more: dict[str, Any] = {} if self.path is None else {"path": self.path}
        groups = privileged[0] if len(privileged) == 1 else dict(zip(protected, privileged, strict=True))
        return Bias(protected, groups, self.outcome, favourable, self.magnitude, subgroup=self.subgroup, **more)


def _read_biases(path: str) -> list[Bias]:
    """Read one bias or a list of them from a JSON file."""
    from janus_synth.fairness import Bias

    written = read_json(path)
    several = written if isinstance(written, list) else [written]
    if not several:
        raise BiasError(f"{path} lists no bias. To remove a learnt bias, list one of magnitude 0.")
    found = []
    for number, one in enumerate(several, 1):
        try:
            found.append(Bias.from_dict(one))
        except JanusError as error:
            raise BiasError(f"{path}{f', bias {number}' if len(several) > 1 else ''}: {error}") from error
    return found


@dataclass(frozen=True, slots=True)
class PlantedFiles:
    """Files that ``plant`` writes."""

    out: str
    certificate: str | None
    page: str | None
    format: FormatName | None

    def check(self, *, inputs: tuple[str, ...]) -> None:
        """Raise an error unless all of them can be written."""
        check_table_path(self.out, self.format, inputs=inputs)
        texts = {"--certificate": self.certificate, "--page": self.page}
        check_text_paths(texts, inputs=inputs)
        check_distinct_paths({"--out": self.out, **texts})

    def write(self, planted: Planted) -> None:
        """Format everything first, then write the files."""
        from janus_synth.files import write_whole
        from janus_synth.table.files import STANDARD, write_frame

        frame, texts = planted.to_frame(), {}
        if self.certificate is not None:
            texts[self.certificate] = planted.certificate.to_json()
        if self.page is not None:
            texts[self.page] = planted.certificate.to_html()
        if self.out != STANDARD:
            write_frame(frame, self.out, format=self.format)
        for path, text in texts.items():
            write_whole(path, text)
        if self.out == STANDARD:  # last, because its reader may close the pipe
            write_frame(frame, self.out, format=self.format)


def _print_planted(planted: Planted, files: PlantedFiles, start: float) -> None:
    """Print the files and the certificate; on standard error if the rows go to standard output."""
    rows_piped = files.out == "-"
    to = console(stderr=rows_piped)
    if not rows_piped:
        print_written(planted.certificate.n_rows, files.out, start)
    for what, path in (("certificate", files.certificate), ("page", files.page)):
        if path is not None:
            to.print(f"{what} in {path}", soft_wrap=True)
    if files.certificate is None:
        to.print("the certificate was not saved, and audits need it: name a file with --certificate", soft_wrap=True)
    to.print()
    _print_certificate(planted.certificate, to)


def _join_options(names: list[str]) -> str:
    *others, last = [f"--{name}" for name in names]
    return f"{', '.join(others)} and {last}" if others else last


def certificate_path(table: str) -> str | None:
    """Default path of a table's certificate, beside the table; None if the table is not a regular file.

    Examples
    --------
    >>> certificate_path("out/planted.csv.gz")
    'out/planted.certificate.json'
    """
    from janus_synth.table.files import STANDARD

    if table == STANDARD or (os.path.exists(table) and not os.path.isfile(table)):
        return None
    bare = table[: -len(".gz")] if table.lower().endswith(".gz") else table
    return os.path.splitext(bare)[0] + CERTIFICATE_ENDING


def _print_certificate(certificate: Certificate, to: Console) -> None:
    """Print requested and realised biases, then shares and effects before and after the bias."""
    for record in certificate.records:
        to.print(str(record.bias), soft_wrap=True)
        to.print(
            f"  requested {record.asked:g}, realised {record.realised:.6g}: "
            f"{record.n_turned:,} of {record.n_eligible:,} outcomes",
            soft_wrap=True,
        )
    to.print()
    to.print(_certificate_table(certificate))


def _certificate_table(certificate: Certificate) -> Table:
    """Lay out shares of favourable outcomes by group, then effects, as learnt, before (fair) and after (biased)."""
    from rich.text import Text

    from janus_synth.fairness.records import WORLDS, kinds_of

    table = number_table("share favourable", "rows", *WORLDS)
    for rate in certificate.rates:
        shares = (format_defined(getattr(rate, world), "{:.3f}") for world in WORLDS)
        table.add_row(Text(f"{rate.outcome} where {rate.group}"), f"{rate.n:,}", *shares)
    for effect in certificate.effects:
        table.add_row()
        table.add_row(Text(f"effect of {' and '.join(effect.protected)} on {effect.outcome}", style="bold"))
        for kind in kinds_of(effect):
            table.add_row(Text(kind), "", *(f"{effect.value(world, kind):+.3f}" for world in WORLDS))
    return table
