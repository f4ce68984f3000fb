"""Entries of a certificate: values, differences, and the round trip through JSON."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

import pytest

from fairness.planted_tables import planted
from janus_synth.fairness.records import EffectRecord, Rate, kinds_of, rate_from_dict, record_from_dict


def estimate(value: float) -> dict[str, float]:
    return {"value": value, "low": value - 1, "high": value + 1}


def effects(scale: float) -> dict:
    return {
        "direct": estimate(1 * scale), "indirect": estimate(2 * scale), "total": estimate(3 * scale),
        "through": {"school": estimate(4 * scale)},
    }  # fmt: skip


EFFECT = EffectRecord(("sex",), "hired", "hired", {"learnt": effects(1), "fair": effects(10), "biased": effects(100)})


def test_effects_are_found_by_world_and_kind():
    assert EFFECT.value("fair", "indirect") == 20.0
    assert EFFECT.estimate("biased", "through school") == estimate(400)
    assert kinds_of(EFFECT) == ("direct", "indirect", "total", "through school")


@pytest.mark.parametrize(("kind", "size"), [("direct", 1), ("total", 3), ("through school", 4)])
def test_the_planted_effect_is_the_biased_world_minus_the_fair_one(kind, size):
    assert EFFECT.planted(kind) == 90 * size
    assert EFFECT.planted() == EFFECT.planted("total")


@pytest.mark.parametrize("name", ["direct", "mediated"])
def test_records_come_back_from_plain_values(name):
    for record in planted(name).certificate.records:
        plain = json.loads(json.dumps({**asdict(record), "bias": record.bias.to_dict()}))
        assert record_from_dict(plain) == record
        assert record.asked == record.bias.magnitude
        assert record.realised == pytest.approx(record.n_turned / record.n_eligible)


@pytest.mark.parametrize("wrong", [3.0, "3", None])
def test_counts_that_are_no_integers_are_refused(wrong):
    record = planted().certificate.records[0]
    with pytest.raises(TypeError):
        record_from_dict({**asdict(record), "bias": record.bias.to_dict(), "n_hit": wrong})


def test_the_rate_of_an_empty_group_is_nan():
    plain = {
        "outcome": "hired",
        "favourable": "hired",
        "group": "x",
        "n": 0,
        "learnt": None,
        "fair": 0.5,
        "biased": 0.25,
    }
    rate = rate_from_dict(plain)
    assert isinstance(rate, Rate)
    assert math.isnan(rate.learnt)
    assert (rate.n, rate.fair, rate.biased) == (0, 0.5, 0.25)
