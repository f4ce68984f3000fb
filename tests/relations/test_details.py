from __future__ import annotations

import dataclasses
import json

import pytest

from janus_synth.relations import details

EXAMPLES = [
    details.Sum("total", (("casual", 1.0), ("registered", 1.0)), 0.0),
    details.Ordering("end", "start", (0.0, 1.0, 2.0, 3.0, 9.0), 0.1, True),
    details.Lookup("country", ("city",), one_to_one=False),
    details.PartSum("loan", (("paid", 1.0), ("balance", 1.0)), 0.0, 0.99),
    details.Clock("left", "planned", "delay", 2400),
    details.CalendarPart("day", "start", "weekday", names=(("Mon", 0), ("Tue", 1))),
    details.Product("amount", ("price", "quantity"), 2),
    details.Ratio("unit_price", "amount", "quantity", 2),
    details.ScaledProduct("bmi", ("weight",), "height", -2, 1e4, 1),
    details.Factor("tax", "net", (0.07, 0.19), 2),
    details.Copy("paid", "billed", 1.0, 0.2),
    details.Nulls(("end",), "open", (True,), exactly=True),
    details.OneHot(("red", "green")),
    details.Implication("sex", "Male", "relationship", "Husband"),
    details.Increment("limit", 500.0),
    details.Band("group", "age", (30.0, 50.0), ("young", "middle", "old")),
]


@pytest.mark.parametrize("detail", EXAMPLES, ids=lambda detail: type(detail).__name__)
def test_details_are_frozen_plain_values(detail):
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(detail, dataclasses.fields(detail)[0].name, "other")
    assert hash(detail) == hash(dataclasses.replace(detail))
    values = dataclasses.asdict(detail)
    again = json.loads(json.dumps(values, allow_nan=False))
    assert set(again) == {field.name for field in dataclasses.fields(detail)}


def test_there_is_an_example_of_every_detail():
    assert {type(detail) for detail in EXAMPLES} == set(details.Detail.__args__)
