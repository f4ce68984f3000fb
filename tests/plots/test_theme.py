from __future__ import annotations

import sys

import pytest

from janus_synth import Dag
from janus_synth.errors import MissingExtraError
from janus_synth.plots import (
    graph_picture,
    missing_extra,
    to_svg,
)


@pytest.mark.parametrize("library", ["altair", "vl_convert"])
def test_a_missing_library_names_its_extra(monkeypatch, library):
    chart = graph_picture(Dag({"a": ()}))
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=r"janus-synth\[plots\]"):
        graph_picture(Dag({"a": ()})) if library == "altair" else to_svg(chart)
    assert "plots" in str(missing_extra())
