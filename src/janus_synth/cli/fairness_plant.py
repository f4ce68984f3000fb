"""``janus fairness plant``: a model file and a bias in; biased rows, what they would have been, and a proof out."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass, fields
from enum import StrEnum
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.certificates import beside, show_certificate
from janus_synth.cli.formats import check_table_path, tell_written
from janus_synth.cli.inputs import json_in
from janus_synth.cli.interventions import learnt_column, value_in
from janus_synth.cli.options import Format, FormatName, Jobs, Model, Quiet, TrustGraph, Where
from janus_synth.cli.show import console
from janus_synth.cli.trust import causal_model, doubts_told
from janus_synth.errors import BiasError, JanusError

if TYPE_CHECKING:
    from janus_synth.fairness import Bias, Planted
    from janus_synth.table import Schema

PLANT_EXAMPLES = (
    "janus fairness plant people.janus --protected sex --privileged male \\\n"
    "    --outcome hired --favourable true --magnitude 0.2 -o planted.csv",
    "janus fairness plant people.janus --protected age --privileged 25..45 \\\n"
    "    --outcome bonus --favourable 1000..20000 --magnitude 0.1 \\\n"
    "    --path offered_salary --subgroup \"sex == 'female'\" -o bonus.parquet",
    "janus fairness plant people.janus --biases biases.json \\\n    -n 2000 -o rows.csv --page certificate.html",
)
NEEDED = ("protected", "privileged", "outcome", "favourable", "magnitude")


class Baseline(StrEnum):
    """Worlds to plant in; ``janus_synth.fairness.plant`` says what each of them is."""

    fair = "fair"
    neutral = "neutral"
    learnt = "learnt"


def plant(
    model: Model,
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="Where to write the rows, or - for standard output.")
    ],
    protected: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Column by which people are told apart; may be repeated, and then those are hit who are unprivileged "
            "by all.",
        ),
    ] = None,
    privileged: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VALUE", help="Who is privileged: male, a range 25..45, or some a|b; one for each --protected."
        ),
    ] = None,
    outcome: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column that is to be biased.")] = None,
    favourable: Annotated[
        str | None, typer.Option(metavar="VALUE", help="What of it is favourable: a value, a range or some, as above.")
    ] = None,
    magnitude: Annotated[
        float | None,
        typer.Option(
            metavar="X", help="Share of their favourable outcomes that is turned, from -1 to 1; below 0 in favour."
        ),
    ] = None,
    path: Annotated[
        str | None,
        typer.Option(
            metavar="direct|COLUMN",
            help="Turn the outcome itself (direct, if not said), or move this column, and the outcome follows.",
        ),
    ] = None,
    subgroup: Annotated[
        str | None, typer.Option(metavar="TEXT", help='Hit only those who meet a condition such as "age >= 50".')
    ] = None,
    biases: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Instead of all these: JSON with one bias or a list of them, which have the same names; a range is "
            '{"low": 25, "high": 45}.',
        ),
    ] = None,
    n: Annotated[int, typer.Option("--rows", "-n", min=1, metavar="N", help="How many rows.")] = 10_000,
    where: Where = None,
    baseline: Annotated[
        Baseline,
        typer.Option(
            help="World to plant in. fair: what is biased ignores the protected columns; neutral: nothing depends on "
            "them; learnt: the bias comes on top of what is there."
        ),
    ] = Baseline.fair,
    certificate: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Where to write the certificate; beside the rows, as NAME.certificate.json, if not said.",
        ),
    ] = None,
    page: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the certificate as an HTML page to print, too.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="One seed, one table.")] = 0,
    trust_graph: TrustGraph = False,
    jobs: Jobs = None,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Draw rows with bias of known size planted in them, and a certificate that proves it.

    The rows come with a column turned, and fair_NAME for every column that would have been another without the bias.
    All rules hold with the bias and without it. Files are written when everything is done, whole or not at all.
    """
    from janus_synth import fairness

    said = Said(protected, privileged, outcome, favourable, magnitude, path, subgroup)
    said.check(biases)
    places = Places(out, certificate or beside(out), page, format)
    places.check(inputs=(model, biases) if biases else (model,))
    start = time.perf_counter()
    listed = biases_in(biases) if biases else None
    learnt = causal_model(model, trust_graph=trust_graph, jobs=jobs)
    asked = said.bias(learnt.schema_) if listed is None else listed
    shown = False if quiet or (out == "-" and sys.stdout.isatty()) else None
    with doubts_told(quiet=quiet):
        planted = fairness.plant(
            learnt, asked, n, where=where, baseline=baseline.value, random_state=seed, progress=shown
        )
    places.write(planted)
    if not quiet:
        _tell(planted, places, start)


@dataclass(frozen=True, slots=True)
class Said:
    """A bias in the words of options."""

    protected: list[str] | None
    privileged: list[str] | None
    outcome: str | None
    favourable: str | None
    magnitude: float | None
    path: str | None
    subgroup: str | None

    def check(self, biases: str | None) -> None:
        """Refuse half a bias, and one beside a file of them."""
        given = [field.name for field in fields(self) if getattr(self, field.name) not in (None, [])]
        if biases is not None and given:
            raise typer.BadParameter(
                f"the file says everything about biases, and goes without {_options(given)}. Choose one of the two.",
                param_hint="--biases",
            )
        if biases is None and (missing := [name for name in NEEDED if name not in given]):
            raise typer.BadParameter(f"a bias needs {_options(missing)}. Or give a file of biases with --biases.")
        if biases is None and len(self.protected or ()) != len(self.privileged or ()):
            raise typer.BadParameter(
                f"{len(self.protected or ())} protected and {len(self.privileged or ())} privileged do not match. Give "
                "one --privileged for each --protected, in their order.",
                param_hint="--privileged",
            )

    def bias(self, schema: Schema) -> Bias:
        """The bias, its values read as those of the model's columns."""
        from janus_synth.fairness import Bias

        assert self.outcome is not None, "checked before"
        assert self.magnitude is not None, "checked before"
        protected = list(self.protected or ())
        privileged = [
            value_in(text, learnt_column(name, schema))
            for name, text in zip(protected, self.privileged or (), strict=True)
        ]
        favourable = value_in(self.favourable or "", learnt_column(self.outcome, schema))
        more: dict[str, Any] = {} if self.path is None else {"path": self.path}
        who = privileged[0] if len(privileged) == 1 else dict(zip(protected, privileged, strict=True))
        return Bias(protected, who, self.outcome, favourable, self.magnitude, subgroup=self.subgroup, **more)


def biases_in(path: str) -> list[Bias]:
    """Biases in a JSON file, one or a list."""
    from janus_synth.fairness import Bias

    written = json_in(path)
    several = written if isinstance(written, list) else [written]
    if not several:
        raise BiasError(f"{path} lists no bias. To remove what was learnt, list one of magnitude 0.")
    found = []
    for number, one in enumerate(several, 1):
        try:
            found.append(Bias.from_dict(one))
        except JanusError as error:
            raise BiasError(f"{path}{f', bias {number}' if len(several) > 1 else ''}: {error}") from error
    return found


@dataclass(frozen=True, slots=True)
class Places:
    """Where everything goes."""

    out: str
    certificate: str | None
    page: str | None
    format: FormatName | None

    def check(self, *, inputs: tuple[str, ...]) -> None:
        """Refuse what cannot be written, before any work is done for it."""
        from janus_synth.table.files import STANDARD, check_output

        check_table_path(self.out, self.format, inputs=inputs)
        texts = {"--certificate": self.certificate, "--page": self.page}
        for option, path in texts.items():
            if path == STANDARD:
                raise typer.BadParameter("it goes to a file, not to standard output.", param_hint=option)
            if path is not None:
                check_output(path, inputs=inputs)
        named = {"--out": self.out, **texts}
        taken = [(option, os.path.realpath(path)) for option, path in named.items() if path not in (None, STANDARD)]
        for (first, one), (second, other) in combinations(taken, 2):
            if one == other:
                raise typer.BadParameter(f"{named[second]} is that of {first}, too. Name two files.", param_hint=second)

    def write(self, planted: Planted) -> None:
        """Write all files, whatever can fail done before."""
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
        if self.out == STANDARD:  # last: its reader may go away
            write_frame(frame, self.out, format=self.format)


def _tell(planted: Planted, places: Places, start: float) -> None:
    """What is where and what was planted; beside the rows, if those take standard output."""
    aside = places.out == "-"
    to = console(aside=aside)
    if not aside:
        tell_written(planted.certificate.n_rows, places.out, start)
    for what, path in (("certificate", places.certificate), ("page", places.page)):
        if path is not None:
            to.print(f"{what} in {path}", soft_wrap=True)
    if places.certificate is None:
        to.print("no certificate is kept, and audits need it: name a file with --certificate", soft_wrap=True)
    to.print()
    show_certificate(planted.certificate, to)


def _options(names: list[str]) -> str:
    *others, last = [f"--{name}" for name in names]
    return f"{', '.join(others)} and {last}" if others else last
