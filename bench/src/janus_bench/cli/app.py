"""The group of commands under ``janus bench``, and how it runs on its own."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from typing import Any

import typer
from typer.core import TyperGroup

given_words: ContextVar[tuple[str, ...]] = ContextVar("given_words", default=())
"""What the command under way was told."""


class Group(TyperGroup):
    """Remembers the words it was given, so that a result can say which command made it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Keep the words, then read them."""
        given_words.set(tuple(args))
        return super().parse_args(ctx, args)


app = typer.Typer(
    name="bench",
    cls=Group,
    help="Measure JANUS beside rivals: fidelity, rare classes, speed, conditions, uncertainty, counterfactuals, "
    "fairness. Real tables are read from JANUS_DATA, or downloaded when named.",
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
