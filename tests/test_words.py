"""Words of the documentation and of every ``--help``: whole sentences, short ones, plain ones, and no code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from janus_synth.cli.app import app
from readability import WORD, heavy_words, reading_ease, sentences, syllables

ROOT = Path(__file__).parents[1]
PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if page.parent.name != "results"]
GUIDES = [
    ROOT / "README.md",
    *(page for page in PAGES if page.parent.name == "howto" or page.name in ("index.md", "faq.md", "reading.md")),
]
"""Pages for a reader with a task."""
LEAST_WORDS = 30
"""Fewer words have no reading ease worth the name."""
EASY, READABLE, HELPFUL = 60, 50, 45
"""Flesch reading ease: plain English for guides, fairly difficult at most for pages with the terms of the field; help
texts name options and scores, whose words are long."""
HELP_WORDS = 32
CODE = re.compile(
    r"\b(?:self|kwargs?|args|None|True|False|dtypes?|ndarray|DataFrame|dataclass|iterable|callable|tuple|dict|bool|"
    r"janus_synth\.\w+|\w+\(\)|__\w+__|TODO|FIXME|XXX)\b|<bool>"
)
"""What only a reader of the code knows."""


def commands(command=None, name: str = "janus") -> Iterator[tuple[str, typer.core.TyperCommand]]:
    """All commands with their names; those of other packages have tests of their own."""
    command = command or typer.main.get_command(app)
    yield name, command
    for inner, its in getattr(command, "commands", {}).items():
        yield from commands(its, f"{name} {inner}")


COMMANDS = dict(commands())


def texts(command) -> list[str]:
    """Help of a command, of its arguments and of its options."""
    return [command.help or "", *(parameter.help or "" for parameter in command.params)]


def page_name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize(
    ("word", "n"),
    [
        *(("row", 1), ("rule", 1), ("rules", 1), ("asked", 1), ("the", 1), ("table", 2), ("created", 2), ("boxes", 2)),
        *(("people", 2), ("distribution", 4), ("probability", 5), ("uncertainty", 5)),
    ],
)
def test_syllables_are_counted_nearly_right(word, n):
    assert abs(syllables(word) - n) <= (len(word) > 8)


def test_the_measure_tells_plain_from_hard():
    plain = sentences("The cat sat on the mat. It was warm.")
    hard = sentences(
        "Notwithstanding considerable heterogeneity, multidimensional regularisation facilitates generalisation."
    )
    assert reading_ease(plain) > 100
    assert reading_ease(hard) < 0
    assert sentences("# Head\n\nOne `a. b` two. Three [four](x.md)!\n\n```\ncode.\n```\n- five\n") == [
        "One code two.",
        "Three [four]!",
        "five",
    ]


@pytest.mark.parametrize("page", [*GUIDES, *(page for page in PAGES if page not in GUIDES)], ids=page_name)
def test_a_page_is_easy_to_read(page):
    found = sentences(page.read_text(encoding="utf-8"))
    if sum(len(WORD.findall(one)) for one in found) < LEAST_WORDS:
        pytest.skip("a page without running text")
    least = EASY if page in GUIDES else READABLE
    assert reading_ease(found) >= least, heavy_words(found)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_in_whole_sentences(name):
    found = texts(COMMANDS[name])
    assert [text for text in found if not text] == []
    assert [text for text in found if not text.rstrip().endswith(".")] == []
    assert [text for text in found if not text.lstrip()[0].isupper()] == []  # a list of choices is no sentence


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_short_plain_and_without_code(name):
    found = texts(COMMANDS[name])
    every = [one for text in found for one in sentences(text)]
    lists = re.compile(r"(?:[\w-]+, ){4,}[\w-]+")  # names of scores and algorithms are to be copied, not read
    assert [one for one in every if len(lists.sub("", one).split()) > HELP_WORDS] == []
    assert [match for text in found for match in CODE.findall(text)] == []
    assert reading_ease([lists.sub("", one) for one in every]) >= HELPFUL, heavy_words(every)


@pytest.mark.parametrize("name", COMMANDS)
def test_printed_help_has_an_example_and_no_types_of_code(name):
    shown = CliRunner().invoke(app, [*name.split()[1:], "--help"], env={"COLUMNS": "80"}).output
    assert f"$ {name} " in shown
    assert "<bool>" not in shown
    assert max(map(len, shown.splitlines())) <= 80
