from __future__ import annotations

import math
from dataclasses import replace

import pytest

from chart_reader import data_of, texts_of
from janus_synth.errors import DataError
from janus_synth.metrics import Attack, Disclosure
from janus_synth.plots import disclosure_picture, to_svg

ATTACK = Attack("singling_out", 0.3, 0.1, 0.0, 0.22, 0.2, 0.25, 900, 900, 1e-9)


def result(*attacks: Attack) -> Disclosure:
    return Disclosure({attack.name: attack for attack in attacks}, {}, {})


def test_every_attack_is_a_dot_in_its_interval():
    chart = disclosure_picture(result(ATTACK, replace(ATTACK, name="inference", risk=0.0, low=-0.1, high=0.1)))
    whiskers = data_of(chart, "layer", 1)
    assert [row["attack"] for row in whiskers] == ["singling out", "inference"]
    assert [(row["low"], row["risk"], row["high"]) for row in whiskers] == [(0.2, 0.22, 0.25), (-0.1, 0.0, 0.1)]
    assert "Risk of each attack" in texts_of(chart)
    assert to_svg(chart).startswith("<svg")


def test_attacks_without_a_risk_are_left_out():
    unknown = replace(ATTACK, name="inference", risk=math.nan, low=math.nan, high=math.nan)
    assert len(data_of(disclosure_picture(result(ATTACK, unknown)), "layer", 1)) == 1
    with pytest.raises(DataError, match="no attack has a risk"):
        disclosure_picture(result(unknown))
