"""The command line in; its part of the reference out, each time the site is built."""

from __future__ import annotations

from typing import Any

import typer


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the mark ``[[commands]]`` by all commands with their arguments, options and examples."""
    return markdown.replace("[[commands]]", describe_commands()) if "[[commands]]" in markdown else markdown


def describe_commands() -> str:
    """Write a section for every command of ``janus``."""
    from janus_synth.cli.app import app

    return "\n\n".join(_sections("janus", typer.main.get_command(app)))


def _sections(name: str, command: Any) -> list[str]:
    if hasattr(command, "list_commands"):
        context = typer.Context(command, info_name=name)
        found = [(inner, command.get_command(context, inner)) for inner in command.list_commands(context)]
        own = [(inner, one) for inner, one in found if getattr(one, "callback", None) or hasattr(one, "list_commands")]
        return [part for inner, one in own if inner != "bench" for part in _sections(f"{name} {inner}", one)]
    return [_section(name, command)]


def _section(name: str, command: Any) -> str:
    rows = [f"| {_names(parameter)} | {_cell(getattr(parameter, 'help', None))} |" for parameter in command.params]
    table = ["| argument or option | meaning |", "|---|---|", *rows] if rows else []
    lines = [line.strip() for line in (command.epilog or "").splitlines() if line.strip().startswith("$")]
    shown = ["```", *(line.removeprefix("$ ") for line in lines), "```"] if lines else []
    return "\n".join([f"## {name}", "", command.help or "", "", *table, "", *shown])


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar or parameter.name.upper()}`"
    return ", ".join(f"`{one}`" for one in (*parameter.opts, *parameter.secondary_opts))


def _cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")
