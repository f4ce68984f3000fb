"""An alert says what, why and what to do; alerts can be silenced, stored and restored."""

from __future__ import annotations

import warnings

import pytest

from janus_synth.alerts import (
    KINDS,
    Alert,
    alerts_from,
    check_silence,
    plain_alerts,
    warn_if_serious,
    without_silenced,
)
from janus_synth.alerts.alert import make_alert, option_of
from janus_synth.errors import AlertWarning

DATES = make_alert(
    "eu", "date-text", "dates as text", "learnt as levels", changes={"kind": "datetime", "format": "%d/%m/%Y"}
)
TINY = make_alert(None, "tiny-table", "9 rows", "little is learnt", remedy="collect more rows")


def test_the_remedy_is_a_line_of_python_and_an_option():
    assert DATES.remedy == 'schema={"eu": {"kind": "datetime", "format": "%d/%m/%Y"}}'
    assert DATES.option == "--column 'eu=datetime:%d/%m/%Y'"
    assert str(TINY) == "table: 9 rows; little is learnt. Remedy: collect more rows"


@pytest.mark.parametrize(
    ("changes", "option"),
    [
        ({"kind": "categorical"}, "--column zip=categorical"),
        ({"ordered": True, "levels": ["S", "M"]}, "--column 'zip=ordered:S<M'"),
        ({"missing": ["999"]}, "--missing 'zip=999'"),
    ],
)
def test_changes_of_a_column_are_options(changes, option):
    assert option_of("zip", changes) == option


@pytest.mark.parametrize(
    ("silence", "left"),
    [((), 2), ("all", 0), (["date-text"], 1), (["date-text:eu"], 1), (["date-text:other"], 2), ("tiny-table", 1)],
)
def test_alerts_are_silenced_by_kind_or_by_column(silence, left):
    assert len(without_silenced([TINY, DATES], silence)) == left


def test_the_most_serious_alert_comes_first():
    assert without_silenced([TINY, DATES]) == (DATES, TINY)


def test_an_unknown_kind_cannot_be_silenced():
    with pytest.raises(ValueError, match="silence has 'noise'; give kinds of alerts"):
        check_silence(["noise"])


def test_alerts_come_back_from_plain_values():
    assert alerts_from([*plain_alerts([DATES, TINY])]) == (DATES, TINY)
    (plain,) = plain_alerts([DATES])
    wrong = [plain | {"kind": "none"}, {"kind": "constant"}, 5, plain | {"message": 5}]
    assert alerts_from(wrong) == alerts_from(None) == ()


def test_only_serious_alerts_are_warned_about():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_serious([TINY])
    with pytest.warns(AlertWarning, match="eu: dates as text.*1 more alerts"):
        warn_if_serious([DATES, DATES])


def test_every_kind_is_explained():
    assert all(KINDS.values())
    assert Alert("x", "constant", "", "", "", "").is_serious is False


def test_a_model_file_gets_alerts_without_the_values_that_they_quote():
    changes = {"kind": "numeric", "missing": ["Ada Lovelace"]}
    quoted = ["'1.5', '2.5'", '"Ada Lovelace"', "'pay=Ada Lovelace'"]
    alert = make_alert("pay", "number-text", "numbers such as '1.5', '2.5'", "text", changes=changes, quoted=quoted)
    (plain,) = plain_alerts([alert])
    assert "Ada" in alert.remedy
    assert "Ada" in alert.option
    assert plain["message"] == "numbers such as …"
    assert plain["remedy"] == 'schema={"pay": {"kind": "numeric", "missing": […]}}'
    assert "Ada" not in str(plain)
    assert alerts_from([plain]) == (alert.without_quotes(),)
