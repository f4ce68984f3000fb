"""Shared parts of HTML pages: text is escaped, missing cells are marked, and HTML is written in templates only."""

from __future__ import annotations

import ast
import base64
import hashlib
import re
from pathlib import Path

import pytest
from jinja2 import UndefinedError

import janus_synth
from janus_synth.pages import Section, percent, render
from janus_synth.pages.render import environment, script
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


def test_a_policy_allows_the_scripts_of_this_library_and_no_other():
    text = render("base.html.j2", title="t", sections=[Section("a", "b")])
    scripts = re.findall(r"<script>(.*?)</script>", text, re.S)
    hashes = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in scripts]
    policy = next(value for name, value in Reader(text).attributes if name == "content" and "script-src" in value)
    allowed = dict(one.split(" ", 1) for one in policy.split("; "))["script-src"]
    assert len(scripts) == 1
    assert allowed.split() == [f"'sha256-{one}'" for one in hashes]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy.replace("style-src 'unsafe-inline'", "")


@pytest.mark.parametrize("name", ["page.js", "report.js"])
def test_scripts_can_stand_in_a_page_and_write_no_html(name):
    text = str(script(name))
    assert "</" not in text  # it would end the script
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\(|fetch|XMLHttp", text
    )
    assert not re.search(r"\d %", text)  # which pages keep on one line


def test_a_number_and_its_percent_sign_stay_on_one_line():
    page = render("table.html.j2", caption="5 % of 3", headings=(), rows=[["12.5 %", "a %"]])
    assert "5\u00a0% of 3" in page
    assert "12.5\u00a0%" in page
    assert "a %" in page


def test_cells_are_escaped_and_missing_ones_named():
    drawn = part("table", [EVIL, "n"], [[EVIL, "1"], ["", ""]], numeric=(1,), kind="rows")
    assert "<b>" not in drawn
    assert Reader(drawn).text == f"{EVIL} n {EVIL} 1 null null"
    assert drawn.count('class="null">null</td>') == drawn.count('class="number null">null</td>') == 1
    assert [value for name, value in Reader(drawn).attributes if name == "data-label"] == [EVIL, "n"] * 2


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
