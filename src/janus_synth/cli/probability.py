"""``janus probability``: a model file and conditions in; the probability that a row satisfies them out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from janus_synth.cli.inputs import load_model
from janus_synth.cli.options import AnswerSeed, Jobs, Level, Model, RequiredWhere
from janus_synth.cli.output import console, show_status

if TYPE_CHECKING:
    from janus_synth.sampling import Estimate

PROBABILITY_EXAMPLES = (
    'janus probability people.janus --where "age < 30 and bonus > 0"',
    'janus probability people.janus --where "not hired" --level 0.99',
    'janus probability people.janus --where "age >= 60" --max-seconds 5 --json',
)


def probability(
    model: Model,
    where: RequiredWhere,
    level: Level = 0.95,
    seed: AnswerSeed = 0,
    jobs: Jobs = None,
    max_seconds: Annotated[
        float | None, typer.Option(min=0, help="Stop after this time with the interval reached so far.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print value, low, high, level and one_in as JSON.")] = False,
) -> None:
    """Estimate the probability that a row satisfies the conditions, however rare, with an interval.

    The interval covers the Monte Carlo error of the estimate, not the error of the model.
    For an equality on a continuous column the result is a density, per unit of the column.
    """
    with show_status("loading the model", quiet=False):
        janus = load_model(model, jobs=jobs)
    share = janus.probability(where, level=level, random_state=seed, max_seconds=max_seconds)
    if as_json:
        one_in = 1 / share.value if share.value else None
        typer.echo(json.dumps({**share._asdict(), "level": level, "one_in": one_in}, indent=2))
    else:
        console().print(f"{share.value:.4g} ({100 * level:.4g} % interval: {share.low:.4g} to {share.high:.4g})")
        console().print(_one_row_in(share), soft_wrap=True)


def _one_row_in(share: Estimate) -> str:
    """Express a probability as one row in so many."""
    if share.value == 0:
        return "none of the model's rows; janus check says whether one is possible"
    rows = 1 / share.value
    if rows < 1.005:
        return "all of the model's rows, or nearly all"
    return f"one row in {rows:,.0f}" if rows >= 10 else f"one row in {rows:.2g}"
