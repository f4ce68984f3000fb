"""Certificates of planted bias: where they lie, how they are read, and how they are shown."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

import typer

from janus_synth.cli.inputs import text_in
from janus_synth.errors import BiasError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from janus_synth.fairness import Certificate

ENDING = ".certificate.json"


def beside(table: str) -> str | None:
    """Where the certificate of a table lies if nobody says; nowhere for a table that is no file.

    Examples
    --------
    >>> beside("out/planted.csv.gz")
    'out/planted.certificate.json'
    """
    from janus_synth.table.files import STANDARD

    if table == STANDARD or (os.path.exists(table) and not os.path.isfile(table)):
        return None
    bare = table[: -len(".gz")] if table.lower().endswith(".gz") else table
    return os.path.splitext(bare)[0] + ENDING


def certificate_of(table: str, path: str | None) -> Certificate:
    """The certificate of a table, from the file that was named or the one beside it."""
    from janus_synth.fairness import Certificate

    found = path or beside(table)
    if found is None:
        raise typer.BadParameter("a table that is no file has none beside it; name one.", param_hint="--certificate")
    if path is None and not os.path.exists(found):
        raise FileNotFoundError(f"there is no certificate {found} beside {table}. Name it with --certificate.")
    try:
        return Certificate.from_json(text_in(found))
    except BiasError as error:
        raise BiasError(f"{found}: {error}") from error


def show_certificate(certificate: Certificate, to: Console) -> None:
    """Tell what was asked and what came of it, then shares and effects in all worlds."""
    for record in certificate.records:
        to.print(str(record.bias), soft_wrap=True)
        to.print(
            f"  asked {record.asked:g}, realised {record.realised:.6g}: {record.n_turned:,} of {record.n_eligible:,}",
            soft_wrap=True,
        )
    to.print()
    to.print(_shares_and_effects(certificate))


def _shares_and_effects(certificate: Certificate) -> Table:
    """Shares of favourable outcomes by group, and below them the effects, with a column for each world."""
    from rich.table import Table
    from rich.text import Text

    from janus_synth.fairness.certificate import WORLDS, kinds_of

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("share favoured", overflow="fold")
    for heading in ("rows", *WORLDS):
        table.add_column(heading, justify="right", no_wrap=True)
    for rate in certificate.rates:
        shares = (_share(getattr(rate, world)) for world in WORLDS)
        table.add_row(Text(f"{rate.outcome} where {rate.group}"), f"{rate.n:,}", *shares)
    for effect in certificate.effects:
        table.add_row()
        table.add_row(Text(f"effect of {' and '.join(effect.protected)} on {effect.outcome}", style="bold"))
        for kind in kinds_of(effect):
            table.add_row(Text(kind), "", *(f"{effect.value(world, kind):+.3f}" for world in WORLDS))
    return table


def _share(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"
