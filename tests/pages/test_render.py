"""Shared parts of HTML pages: text is escaped, missing cells are marked, and HTML is written in templates only."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from jinja2 import UndefinedError

import janus_synth
from janus_synth.pages import Section, percent
from janus_synth.pages.render import environment
from page_reader import Reader

EVIL = "<b>&\"'"


def part(name: str, *values: object, **options: object) -> str:
    """A part of a page, drawn by its macro."""
    return str(getattr(environment().get_template("parts.html.j2").module, name)(*values, **options))


def test_titles_and_anchors_are_escaped():
    sections = [Section(EVIL, EVIL)]
    page = environment().get_template("base.html.j2").render(title=EVIL, sections=sections)
    Reader(page)
    assert "<b>" not in page
    assert Reader(page).text.count(EVIL) == 3  # the title, the heading and a link


def test_cells_are_escaped_and_missing_ones_named():
    drawn = part("table", [EVIL, "n"], [[EVIL, "1"], ["", ""]], numeric=(1,), kind="rows")
    assert "<b>" not in drawn
    assert Reader(drawn).text == f"{EVIL} n {EVIL} 1 null null"
    assert '<td class="null">null</td><td class="number null">null</td>' in drawn


def test_a_value_that_a_template_misses_is_an_error():
    with pytest.raises(UndefinedError, match="no attribute 'verdict'"):
        environment().from_string("{{ section.verdict }}").render(section=Section("headline", "In short"))


def test_html_is_written_in_templates_only():
    for path in Path(janus_synth.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        bodies = [node.body for node in ast.walk(tree) if isinstance(getattr(node, "body", None), list)]
        docstrings = {id(body[0].value) for body in bodies if body and isinstance(body[0], ast.Expr)}
        texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings]
        assert not [node.value for node in texts if isinstance(node.value, str) and "</" in node.value], path


def test_small_shares_are_not_rounded_away():
    assert [percent(x) for x in (0.0, 0.0001, 0.5, 0.345, 0.99999, 1.0)] == [
        "0 %", "< 0.1 %", "50 %", "34.5 %", "> 99.9 %", "100 %",
    ]  # fmt: skip
    assert percent(float("nan")) == "–"
