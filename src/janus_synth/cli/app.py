"""The application ``janus``: command-line arguments in; the command they name is run."""

from __future__ import annotations

import contextlib
import gc
import io
import signal
import sys
from typing import Annotated

import typer

from janus_synth.cli.anomalies import ANOMALIES_EXAMPLES, anomalies
from janus_synth.cli.apply import APPLY_EXAMPLES, apply
from janus_synth.cli.audit import AUDIT_EXAMPLES, audit
from janus_synth.cli.check import CHECK_EXAMPLES, check
from janus_synth.cli.complete import COMPLETE_EXAMPLES, complete
from janus_synth.cli.counterfactual import COUNTERFACTUAL_EXAMPLES, counterfactual
from janus_synth.cli.demo import DEMO_EXAMPLES, demo
from janus_synth.cli.discover import DISCOVER_EXAMPLES, discover
from janus_synth.cli.do import DO_EXAMPLES, do
from janus_synth.cli.effect import EFFECT_EXAMPLES, effect
from janus_synth.cli.errors import GuardedGroup, HelpfulGroup
from janus_synth.cli.evaluate import EVALUATE_EXAMPLES, evaluate
from janus_synth.cli.falsify import FALSIFY_EXAMPLES, falsify
from janus_synth.cli.fit import FIT_EXAMPLES, fit
from janus_synth.cli.inspect import INSPECT_EXAMPLES, inspect
from janus_synth.cli.merge import MERGE_EXAMPLES, merge
from janus_synth.cli.output import examples, show_warnings
from janus_synth.cli.plant import PLANT_EXAMPLES, plant
from janus_synth.cli.predict import PREDICT_EXAMPLES, predict
from janus_synth.cli.probability import PROBABILITY_EXAMPLES, probability
from janus_synth.cli.profile import PROFILE_EXAMPLES, profile
from janus_synth.cli.sample import SAMPLE_EXAMPLES, sample
from janus_synth.cli.split import SPLIT_EXAMPLES, split
from janus_synth.cli.studio import STUDIO_EXAMPLES, studio
from janus_synth.cli.uncertainty import UNCERTAINTY_EXAMPLES, uncertainty
from janus_synth.cli.update import UPDATE_EXAMPLES, update

OBJECTS_PER_COLLECTION = 100_000
"""Objects after which Python looks for reference cycles. By default, 700, this takes a tenth of the time of
short commands, whose imports make hundreds of thousands of objects that are never freed."""

app = typer.Typer(
    name="janus",
    cls=GuardedGroup,
    help="JANUS learns a table, generates rows that satisfy your rules, and answers questions about it.",
    epilog=examples(
        "janus demo",
        "janus fit people.csv -o people.janus",
        "janus sample people.janus -n 1000 -o rows.csv",
        'janus check people.janus --where "age < 30 and bonus > 0"',
        "janus evaluate people.csv held-out.csv rows.csv",
    ),
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.command(epilog=examples(*SPLIT_EXAMPLES))(split)
app.command(epilog=examples(*PROFILE_EXAMPLES))(profile)
app.command(epilog=examples(*FIT_EXAMPLES))(fit)
app.command(epilog=examples(*SAMPLE_EXAMPLES))(sample)
app.command(epilog=examples(*CHECK_EXAMPLES))(check)
app.command(epilog=examples(*PROBABILITY_EXAMPLES))(probability)
app.command(epilog=examples(*COMPLETE_EXAMPLES))(complete)
app.command(epilog=examples(*PREDICT_EXAMPLES))(predict)
app.command(epilog=examples(*UNCERTAINTY_EXAMPLES))(uncertainty)
app.command(epilog=examples(*ANOMALIES_EXAMPLES))(anomalies)
app.command(epilog=examples(*APPLY_EXAMPLES))(apply)
app.command(epilog=examples(*DO_EXAMPLES))(do)
app.command(epilog=examples(*EFFECT_EXAMPLES))(effect)
app.command(epilog=examples(*COUNTERFACTUAL_EXAMPLES))(counterfactual)
app.command(epilog=examples(*FALSIFY_EXAMPLES))(falsify)
app.command(epilog=examples(*UPDATE_EXAMPLES))(update)
app.command(epilog=examples(*MERGE_EXAMPLES))(merge)
app.command(epilog=examples(*INSPECT_EXAMPLES))(inspect)
app.command(epilog=examples(*DISCOVER_EXAMPLES))(discover)
app.command(epilog=examples(*EVALUATE_EXAMPLES))(evaluate)
app.command(epilog=examples(*DEMO_EXAMPLES))(demo)
app.command(epilog=examples(*STUDIO_EXAMPLES))(studio)

fairness = typer.Typer(
    cls=HelpfulGroup,
    help="Generate rows with planted bias of known size, and audit algorithms against it.",
    epilog=examples(PLANT_EXAMPLES[0], AUDIT_EXAMPLES[0]),
    rich_markup_mode="rich",
)
fairness.command(epilog=examples(*PLANT_EXAMPLES))(plant)
fairness.command(epilog=examples(*AUDIT_EXAMPLES))(audit)
app.add_typer(fairness, name="fairness")


def _print_version(requested: bool) -> None:
    if requested:
        from janus_synth import __version__

        typer.echo(f"janus-synth {__version__}")
        raise typer.Exit


@app.callback()
def settings(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print the traceback of an error; works before or after the command.")
    ] = False,
    project: Annotated[
        str | None,
        typer.Option(
            "--project",
            metavar="FILE",
            help="Project file with defaults of options; janus.toml in the working directory is read by itself. Works "
            "before or after the command.",
        ),
    ] = None,
) -> None:
    """Declare the options of all commands; ``GuardedGroup`` acts on them."""


def main() -> None:
    """Run the command line."""
    gc.set_threshold(OBJECTS_PER_COLLECTION)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
            stream.reconfigure(encoding="utf-8")  # files and pipes are UTF-8, whatever the console's encoding
    with contextlib.suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # so that clean-up runs
    with show_warnings(quiet=False):  # of files that are read before a command shows its own
        app(prog_name="janus")
