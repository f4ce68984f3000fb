"""The group of commands under ``janus bench``, and how it runs on its own."""

from __future__ import annotations

import sys

import typer

app = typer.Typer(
    name="bench",
    help="Measure JANUS beside rivals: fidelity, rare classes, speed, conditions, uncertainty, counterfactuals, "
    "fairness. Needs the extra 'bench'; set JANUS_DATA for real tables.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run the commands; an error on purpose is one line, not a traceback."""
    from janus_synth.errors import JanusError

    try:
        app()
    except JanusError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(1)
