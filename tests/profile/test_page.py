"""The page of a profile: complete, escaped, and without scripts."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pandas as pd

from janus_synth.profile import profile_frame, profile_page
from janus_synth.profile.columns import ColumnProfile
from janus_synth.profile.page import HEIGHT, WIDTH, sticks

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "<b>name": RNG.normal(size=200),
        "size": RNG.choice(["low", "medium", "high"], 200),
        "day": RNG.choice(["19/08/2023", "01/02/2024", "<script>"], 200, p=[0.5, 0.48, 0.02]),
    }
)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag not in ("meta", "rect", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag != "rect":
            assert self.open.pop() == tag


def test_the_page_is_well_formed_escaped_and_has_no_script():
    page = profile_page(profile_frame(FRAME), title="a < b")
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert "script" not in tags.seen
    assert "<b>name" not in page
    assert "a &lt; b" in page


def test_the_page_shows_alerts_with_remedies():
    page = profile_page(profile_frame(FRAME))
    assert "size=ordered:low&lt;medium&lt;high" in page
    assert "--silence unordered-labels:size" in page


def test_a_page_without_findings_says_so():
    page = profile_page(profile_frame(pd.DataFrame({"x": RNG.normal(size=200)})))
    assert "Nothing unusual was found." in page
    assert "No two columns are clearly associated." in page


def test_bars_fill_the_chart():
    drawn = sticks(ColumnProfile("x", "numeric", "float64", "", 0.0, 3, counts=(1, 2, 4)))
    assert [round(stick.height) for stick in drawn] == [HEIGHT // 4, HEIGHT // 2, HEIGHT]
    assert drawn[-1].x + drawn[-1].width < WIDTH
    assert sticks(ColumnProfile("x", "categorical", "str", "", 0.0, 2, counts=(1, 2), levels=("a", "b"))) == []
