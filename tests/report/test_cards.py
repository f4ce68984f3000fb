from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest

from janus_synth.pages.render import environment
from janus_synth.report.cards import ZONES, Gauge, Scale, make_bar, make_gauge, number
from janus_synth.report.verdict import GradedScore

NAN = math.nan


def svg_of(its: Gauge) -> str:
    return str(environment().get_template("gauge.html.j2").module.gauge(its))


def marks(html: str, tag: str) -> list[dict[str, str]]:
    return [node.attrib for node in ElementTree.fromstring(html).iter(tag)]


def test_a_gauge_has_zones_an_ideal_real_rows_and_this_table():
    drawn = svg_of(make_gauge(GradedScore(0.75, 0.5, 0.6, 0.8), Scale(0.0, 1.0, ideal=0.5)))
    assert [(zone["fill"], zone["x"]) for zone in marks(drawn, "rect")] == [
        (ZONES["good"], "0.00%"), (ZONES["fair"], "60.00%"), (ZONES["poor"], "80.00%"),
    ]  # fmt: skip
    assert [dot["cx"] for dot in marks(drawn, "circle")] == ["50.00%", "75.00%"]
    assert marks(drawn, "line")[0]["x1"] == "50.00%"
    assert marks(drawn, "svg")[0]["aria-label"] == "scale from 0 to 1, ideal 0.5, real rows 0.5, this table 0.75"


def test_where_more_is_better_the_good_zone_is_to_the_right():
    drawn = svg_of(make_gauge(GradedScore(0.7, 0.8, 0.75, 0.6, higher_is_better=True), Scale(0.0, 1.0)))
    assert [zone["fill"] for zone in marks(drawn, "rect")] == [ZONES["poor"], ZONES["fair"], ZONES["good"]]


def test_what_lies_beyond_a_scale_stands_at_its_end():
    drawn = svg_of(make_gauge(GradedScore(-3.0, 7.0, 0.2, 0.5), Scale(0.0, 1.0)))
    assert [dot["cx"] for dot in marks(drawn, "circle")] == ["100.00%", "0.00%"]


def test_what_is_not_known_is_not_drawn():
    drawn = svg_of(make_gauge(GradedScore(NAN, NAN, NAN, NAN), Scale(0.0, 1.0, percent=True)))
    assert marks(drawn, "circle") == []
    assert "this table: not available" in drawn
    assert "100 %" in drawn


@pytest.mark.parametrize(("value", "width"), [(0.25, "70.0"), (0.9, "140.0"), (-1.0, "0.0"), (NAN, "0.0")])
def test_a_bar_stays_in_its_cell(value, width):
    drawn = environment().get_template("parts.html.j2").module.bar(make_bar(value, 0.5, "#000"))
    assert marks(drawn, "rect")[1]["width"] == width


def test_numbers_have_a_true_minus_and_nan_is_a_dash():
    assert [number(-0.1234), number(2.0, 1), number(NAN)] == ["−0.123", "2.0", "–"]
