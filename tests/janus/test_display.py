from __future__ import annotations

from janus_synth import Janus
from model.tables import fitted, mixed


def test_a_fitted_model_shows_its_columns_and_parents():
    model = Janus(structure=[("group", "units")], n_trees=1, links="off", random_state=0, rules="units >= 0")
    page = model.fit(mixed(80))._repr_html_()
    assert "<caption>Janus, fitted: 80 rows, 8 columns, 1 edge, 1 rule</caption>" in page
    assert "<td>units</td><td>numeric</td><td>int64</td><td></td>" in page
    assert page.count("<td>group</td>") == 2  # the column, and the parent of units
    assert "generated anew" in page
    assert "low &lt; mid &lt; high" in page


def test_computed_columns_and_many_parents_are_told():
    rows = mixed(100).assign(double=lambda frame: 2 * frame["units"])
    model = Janus(n_trees=1, rules="double == 2 * units", links="rules", random_state=0).fit(rows)
    page = model._repr_html_()
    assert "computed:" in page
    assert "computed column" in page
    dense = fitted(mixed(100), structure="chain")
    assert len(dense._repr_html_()) > 500


def test_a_model_before_the_fit_shows_its_settings():
    assert "Janus(n_trees=3), not fitted" in Janus(n_trees=3)._repr_html_()


def test_names_are_escaped():
    rows = mixed(40).rename(columns={"units": "<b>units</b>"})
    assert "<b>" not in fitted(rows)._repr_html_()


def test_the_graph_is_a_chart_of_all_columns():
    model = fitted(mixed(100))
    chart = model.plot_graph(title="Parts").to_dict()
    assert chart["title"]["text"] == "Parts"
    labels = {row["label"] for rows in chart["datasets"].values() for row in rows if "label" in row}
    assert labels == set(model.dag_.columns)
