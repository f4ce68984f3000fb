"""The page on fairness: every command on it is run, and prints what the page shows."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from janus_synth.cli.app import app

PAGE = Path(__file__).parents[2] / "docs" / "fairness.md"
TIMES = re.compile(r"\(\d[\d.]* k?B, \d[\d.]* s\)")
"""Sizes and seconds, which differ from run to run."""


def blocks() -> list[tuple[str, str]]:
    """Language and text of the fenced blocks, in order."""
    return re.findall(r"^```(python|console)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)


def run(command: str) -> str:
    """What a command prints, on either stream."""
    result = CliRunner().invoke(app, shlex.split(command)[1:], env={"COLUMNS": "100"})
    assert result.exit_code == 0, result.output
    return result.output


def plain(text: str) -> list[str]:
    """Lines without what differs from run to run, or is only room."""
    return [TIMES.sub("(…)", line).rstrip() for line in text.strip().splitlines() if line.strip()]


def shown(block: str) -> list[tuple[str, str]]:
    """Commands of a block and what it shows of each."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.M)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def written_anew() -> str:
    """The page with what the commands print now."""
    text = PAGE.read_text(encoding="utf-8")
    for language, block in blocks():
        if language == "python":
            exec(block, {})
            continue
        lines = []
        for command, _ in shown(block):
            printed = TIMES.sub("(…)", run(command)).rstrip().splitlines()
            lines += [f"$ {command}", *(line.rstrip() for line in printed)]
        fresh = "".join(f"{line}\n" for line in lines)
        text = text.replace(f"```console\n{block}```", f"```console\n{fresh}```")
    return text


@pytest.mark.filterwarnings("default")
def test_commands_print_what_the_page_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if os.environ.get("JANUS_REWRITE_PAGES"):
        PAGE.write_text(written_anew(), encoding="utf-8")
        return
    n_commands = 0
    for language, block in blocks():
        if language == "python":
            exec(block, {})
            continue
        for command, printed in shown(block):
            assert plain(run(command)) == plain(printed), command
            n_commands += 1
    assert n_commands >= 8
