"""Documentation pages: their examples run, their links lead somewhere, their commands print what they show."""

from __future__ import annotations

import doctest
import os
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from janus_synth.cli.app import app

ROOT = Path(__file__).parents[1]
PAGES = [page for page in sorted((ROOT / "docs").glob("*.md")) if ">>>" in page.read_text(encoding="utf-8")]
FAIRNESS = ROOT / "docs" / "fairness.md"
TIMES = re.compile(r"\(\d[\d.]* k?B, \d[\d.]* s\)")
"""Sizes and seconds, which differ from run to run."""


def test_the_page_on_conditions_has_examples():
    assert "conditions.md" in [page.name for page in PAGES]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_of_a_page_are_true(page):
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.REPORT_NDIFF
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=flags, encoding="utf-8")
    assert tried
    assert not failed


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda page: page.name
)
def test_links_of_a_page_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not missing


def blocks() -> list[tuple[str, str]]:
    """Language and text of the fenced blocks, in order."""
    return re.findall(r"^```(python|console)\n(.*?)^```", FAIRNESS.read_text(encoding="utf-8"), re.M | re.S)


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
    text = FAIRNESS.read_text(encoding="utf-8")
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
        FAIRNESS.write_text(written_anew(), encoding="utf-8")
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
