"""Equal treatment inside rows: shares and gaps against plain counts, and errors on invalid arguments."""

from __future__ import annotations

import pytest

from fairness.small_tables import loan_model, loans, rate
from janus_synth import Janus, datasets
from janus_synth.errors import BiasError, InfeasibleError, RuleError, UnknownColumnError
from janus_synth.fairness import equal_treatment

RULE = "approved or region == 'north'"


def test_shares_and_gaps_are_those_of_the_rows():
    rows = loans()
    found = equal_treatment(loan_model(), rows, RULE, "sex", "male", n=500)
    kept, men = rows["approved"] | (rows["region"] == "north"), rows["sex"] == "male"
    real = found.rows[0]
    assert real.satisfied == pytest.approx(kept.mean())
    assert real.gap == pytest.approx(rate(kept, men) - rate(kept, ~men))
    assert [row.n for row in found.rows] == [len(rows), 500, 500, 500]
    assert [row.satisfied for row in found.rows[2:]] == [1, 1]
    assert list(found.to_frame()["origin"]) == [row.origin for row in found.rows]


def test_rows_to_which_the_rule_does_not_apply_do_not_count():
    rows = datasets.hiring(1_000, random_state=1)
    model = Janus(random_state=0).fit(rows)
    found = equal_treatment(model, rows, "offered_salary >= requested_salary", "sex", "male", n=300)
    offered = rows.dropna(subset=["offered_salary"])
    assert found.rows[0].satisfied == pytest.approx((offered["offered_salary"] >= offered["requested_salary"]).mean())


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"rule": "approvd"}, UnknownColumnError, "approved"),
        ({"rule": "approved and"}, RuleError, "approved and"),
        ({"rule": "approved and not approved"}, InfeasibleError, "approved"),
        ({"protected": "gender"}, UnknownColumnError, "gender"),
        ({"privileged": "men"}, BiasError, "'men'"),
        ({"n": 0}, ValueError, "n is 0"),
    ],
)
def test_invalid_arguments_raise(change, error, message):
    asked = {"rule": RULE, "protected": "sex", "privileged": "male", "n": 100, **change}
    rule, protected, privileged = (asked.pop(name) for name in ("rule", "protected", "privileged"))
    with pytest.raises(error, match=message):
        equal_treatment(loan_model(), loans(200), rule, protected, privileged, **asked)
