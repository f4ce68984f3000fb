import numpy as np
import pandas as pd
import pytest

from janus_bench.cli import app
from janus_bench.fidelity.by_column import ColumnTrial, RedrawsColumns, run_by_column
from janus_bench.methods import make_methods
from janus_bench.ours import JanusSynthesizer
from janus_bench.peers import GaussianCopula, IndependentColumns, SequentialCart
from janus_bench.rendering import read_result, tables_of, to_markdown, write_result
from janus_bench.results import Result
from janus_bench.tables import NamedTable
from janus_synth.errors import DataError, NotFittedError, UnknownColumnError

N_ROWS = 1_200
NOISE = 0.12
"""Five standard errors of an AUC near 0.5 with 300 rows of each kind: a false alarm in a million."""


def chain(n_rows: int = N_ROWS) -> pd.DataFrame:
    """Each column leans on the one before it."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=n_rows)
    b = a + 0.3 * rng.normal(size=n_rows)
    c = b + 0.3 * rng.normal(size=n_rows)
    return pd.DataFrame({"a": a, "b": b, "c": c})


TABLE = NamedTable("chain", chain(), "c")


class Truth:
    """A method that knows how the chain was made, and forgets the parent of one column."""

    name = "truth"

    def __init__(self, forgets=None):
        self.forgets = forgets

    def fit(self, frame, *, seed):
        self.frame = frame
        return self

    def sample(self, n, *, seed):
        return self.frame.sample(n, replace=True, random_state=seed)

    def parents(self, column):
        return {"a": (), "b": ("a",), "c": ("b",)}[column]

    def redraw(self, frame, column, *, seed):
        assert list(frame) == list(self.parents(column))  # nobody sees the real column
        rng = np.random.default_rng(seed)
        if column == self.forgets:
            return self.frame[column].sample(len(frame), replace=True, random_state=seed).to_numpy()
        return frame[self.parents(column)[0]] + 0.3 * rng.normal(size=len(frame))


class Failing(Truth):
    name = "failing"

    def redraw(self, frame, column, *, seed):
        if column == "b":
            raise ValueError("no b today")
        return super().redraw(frame, column, seed=seed)


class Hopeless(Truth):
    name = "hopeless"

    def fit(self, frame, *, seed):
        raise ValueError("cannot learn")


def judged(*methods, seeds=(0,), table=TABLE):
    return run_by_column([table], list(methods), seeds, detector="boosting")


def grid(result, title):
    return next(grid for grid in tables_of(result) if grid.title == title)


@pytest.mark.statistical
@pytest.mark.parametrize("column", ["b", "c"])
def test_a_column_drawn_without_its_parents_is_the_worst(column):
    result = judged(Truth(forgets=column))
    first, second = (ColumnTrial(**record) for record in result.records)
    assert first.column == column
    assert first.auc > 0.8
    assert (first.n_rows, first.n_parents, first.n_values) == (300, 1, 600)
    for value in (second.auc, first.reference, second.reference):
        assert value == pytest.approx(0.5, abs=NOISE)
    assert [row[0] for row in grid(result, "Columns of chain").rows] == [first.column, second.column]


@pytest.mark.statistical
def test_trees_that_cannot_split_are_found_out_where_columns_depend():
    frame = chain()[["a", "b"]].assign(alone=np.random.default_rng(1).normal(size=N_ROWS))
    result = judged(SequentialCart(min_samples_leaf=500), table=NamedTable("stumps", frame, "b"))
    first, second = result.records
    assert (first["column"], second["column"]) == ("b", "alone")
    assert first["auc"] > 0.8
    assert second["auc"] == pytest.approx(0.5, abs=NOISE)


def test_the_first_of_ours_decides_the_order():
    janus = JanusSynthesizer("ours", n_trees=1)
    result = judged(Truth(forgets="b"), janus)
    shown = grid(result, "Columns of chain")
    assert list(shown.headings) == ["column", "truth", "ours", "reference", "parents", "values"]
    losses = [abs(float(row[2]) - 0.5) for row in shown.rows]
    assert losses == sorted(losses, reverse=True)
    parents = {row[0]: row[4] for row in shown.rows}
    assert parents == {"b": "1", "c": "1 / 2"}


def test_means_are_folded_and_over_columns():
    facts = {"table": "t", "method": "m", "seed": 0, "n_rows": 100, "n_parents": 1, "n_values": 5, "error": ""}
    scores = {"x": (0.4, 0.5), "y": (0.7, 0.48), "z": (0.5, 0.51)}
    records = [{**facts, "column": name, "auc": auc, "reference": ref} for name, (auc, ref) in scores.items()]
    options = {"tables": ["t"], "methods": ["m"], "ours": [], "left_out": ["copula"]}
    result = Result.of("by-column", options=options, records=records)
    means = grid(result, "Mean over tables")
    assert means.rows == [["m", "0.600", "0.700", "0.510", "0.520", "3"]]
    assert "copula" in means.note
    assert [row[0] for row in grid(result, "Columns of t").rows] == ["y", "x", "z"]


def test_seeds_are_averaged():
    result = judged(Truth(), seeds=(0, 1))
    aucs = [record["auc"] for record in result.records if record["column"] == "b"]
    assert len(aucs) == 2
    shown = {row[0]: row[1] for row in grid(result, "Columns of chain").rows}
    assert shown["b"] == f"{np.mean(aucs):.3f}"


def test_results_read_back_render_the_same_page(tmp_path):
    result = judged(Truth(), Failing())
    files = write_result(result, tmp_path)
    assert files.json.name.startswith("by-column-")
    again = read_result(files.json)
    assert again == result
    assert to_markdown(again) == files.markdown.read_text(encoding="utf-8")


def test_methods_that_fail_do_not_end_the_run():
    result = judged(Truth(), Failing(), Hopeless())
    errors = {(r["method"], r["column"]): r["error"] for r in result.records if r["error"]}
    assert errors == {("failing", "b"): "ValueError: no b today", ("hopeless", ""): "ValueError: cannot learn"}
    assert [list(row[:3]) for row in grid(result, "Failures").rows] == [
        ["chain", "failing", "b"],
        ["chain", "hopeless", "–"],
    ]


def test_too_few_rows_are_reported():
    result = judged(Truth(), table=NamedTable("short", chain(100), "c"))
    assert "25 held-out rows of each kind are too few" in result.records[0]["error"]
    assert [grid.title for grid in tables_of(result)] == ["Mean over tables", "Failures"]


def test_methods_that_cannot_redraw_are_left_out():
    assert not isinstance(GaussianCopula(), RedrawsColumns)
    assert isinstance(SequentialCart(), RedrawsColumns)
    assert isinstance(JanusSynthesizer(), RedrawsColumns)
    result = judged(Truth(), IndependentColumns())
    assert result.options["left_out"] == ["independent"]
    assert "independent" in grid(result, "Mean over tables").note
    with pytest.raises(DataError, match="no method is left: copula, independent cannot draw one column"):
        judged(*make_methods(["copula", "independent"]))


def test_nothing_to_do_is_an_error():
    with pytest.raises(DataError, match="at least one table"):
        judged()


def mixed(n_rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n_rows)
    level = np.digitize(x, [-1.0, 0.0, 1.0])
    frame = pd.DataFrame(
        {
            "x": x.astype(np.float32),
            "text": np.array(["low", "mid", "high", "top"], dtype=object)[level],
            "grade": pd.Categorical.from_codes(level, ["d", "c", "b", "a"], ordered=True),
            "flag": pd.array(level > 1, dtype="boolean"),
            "day": np.datetime64("2020-01-01", "s") + np.round(100 * x).astype("timedelta64[D]"),
            "whole": np.round(100 * x).astype(np.int32),
        }
    )
    frame.loc[::9, "text"] = None
    frame.loc[::7, "flag"] = None
    return frame


def unlinked() -> JanusSynthesizer:
    """JANUS without columns that are computed from others."""
    return JanusSynthesizer("JANUS", links="off")


def ledger(n_rows: int) -> pd.DataFrame:
    """A total that is computed, and a payment that repeats the bill in a third of the rows."""
    rng = np.random.default_rng(3)
    bill, fee = np.round(rng.lognormal(5, 1, n_rows), 2), np.round(rng.lognormal(2, 1, n_rows), 2)
    paid = np.where(rng.random(n_rows) < 1 / 3, bill, np.round(bill * rng.random(n_rows), 2))
    late = np.where(rng.random(n_rows) < paid / bill, "no", "yes")
    return pd.DataFrame({"bill": bill, "fee": fee, "total": np.round(bill + fee, 2), "paid": paid, "late": late})


@pytest.mark.statistical
def test_computed_columns_are_redrawn_from_columns_of_the_table():
    """Columns that are computed, in all rows or in part, and one that depends on them."""
    frame = ledger(N_ROWS)
    edges = [("bill", "total"), ("fee", "total"), ("bill", "paid"), ("paid", "late")]
    method = JanusSynthesizer(structure=edges)
    model = method.fit(frame, seed=0)._fitted().model_
    assert {"total", "paid"} <= set(model.computed)
    assert model.hidden
    for column in frame:
        assert set(method.parents(column)) <= set(frame) - {column}
    assert set(method.parents("total")) == {"bill", "fee"}
    pd.testing.assert_series_equal(method.redraw(frame, "total", seed=1), frame["total"], check_names=False)
    again = method.redraw(frame[["bill"]], "paid", seed=1)
    assert (again == frame["bill"]).mean() == pytest.approx(1 / 3, abs=0.07)  # five standard errors
    assert not (again == frame["paid"]).all()
    result = judged(method, table=NamedTable("ledger", frame, "late"))
    assert not [record["error"] for record in result.records if record["error"]]
    assert {record["column"] for record in result.records} >= {"total", "paid"}


@pytest.fixture(scope="module", params=[SequentialCart, unlinked], ids=["CART", "JANUS"])
def fitted(request):
    return request.param().fit(mixed(600, 0), seed=0)


@pytest.mark.parametrize("column", ["text", "grade", "flag", "day", "whole"])
def test_redrawn_columns_have_the_dtype_and_index_of_the_table(fitted, column):
    rows = mixed(200, 1).set_index(np.arange(200) + 50)
    drawn = fitted.redraw(rows, column, seed=1)
    assert drawn.dtype == rows[column].dtype
    assert drawn.index.equals(rows.index)
    again = fitted.redraw(rows, column, seed=1)
    pd.testing.assert_series_equal(drawn, again)


@pytest.mark.parametrize("column", ["grade", "flag", "whole"])
def test_parents_alone_decide_what_is_redrawn(fitted, column):
    rows = mixed(200, 1)
    parents = list(fitted.parents(column))
    assert parents
    assert column not in parents
    shuffled = rows.sample(frac=1, random_state=0).reset_index(drop=True)
    shuffled[parents] = rows[parents]
    pd.testing.assert_series_equal(fitted.redraw(rows, column, seed=1), fitted.redraw(shuffled, column, seed=1))
    pd.testing.assert_series_equal(
        fitted.redraw(rows, column, seed=1), fitted.redraw(rows[parents], column, seed=1), check_names=False
    )


def test_redrawn_cells_follow_their_parents(fitted):
    rows = mixed(400, 1)
    drawn = fitted.redraw(rows, "whole", seed=1)
    assert np.corrcoef(rows["x"], drawn)[0, 1] > 0.98
    grade = fitted.redraw(rows, "grade", seed=1)
    assert (grade == rows["grade"]).mean() > 0.9


def test_cart_redraws_training_rows_as_its_leaves_say():
    frame = chain(300)
    cart = SequentialCart(min_samples_leaf=1).fit(frame, seed=0)
    pd.testing.assert_series_equal(cart.redraw(frame, "c", seed=3), frame["c"])  # a leaf per row: new features are old


def test_parents_that_training_rows_lack_are_no_obstacle(fitted):
    rows = mixed(50, 1)
    rows["text"] = "unheard of"
    rows.loc[0, "x"] = np.nan
    rows.loc[1, "x"] = 1e6
    for column in ("grade", "whole"):
        assert fitted.redraw(rows, column, seed=1).notna().all()


def test_columns_without_parents_are_drawn_on_their_own(fitted):
    root = next(column for column in mixed(5, 0) if not fitted.parents(column))
    assert len(fitted.redraw(mixed(30, 1), root, seed=0)) == 30


def test_cart_with_a_graph_names_the_graphs_parents():
    cart = SequentialCart(parents={"a": [], "c": ["a"], "b": ["c", "a"]}).fit(chain(200), seed=0)
    assert {name: set(cart.parents(name)) for name in "abc"} == {"a": set(), "c": {"a"}, "b": {"a", "c"}}


def test_misuse_is_reported(fitted):
    with pytest.raises(UnknownColumnError, match="grade"):
        fitted.parents("grades")
    with pytest.raises(NotFittedError, match="Call fit first"):
        type(fitted)().parents("x")
    with pytest.raises(NotFittedError, match="Call fit first"):
        type(fitted)().redraw(mixed(5, 0), "x", seed=0)


def test_janus_asks_for_all_parents():
    janus = JanusSynthesizer(n_trees=1).fit(chain(200), seed=0)
    with pytest.raises(DataError, match="without its parents 'b'"):
        janus.redraw(chain(20)[["a"]], "c", seed=0)


def run(*words):
    from typer.testing import CliRunner

    return CliRunner().invoke(app, ["fidelity", "--by-column", *words])


def test_the_command_ends_in_files_with_the_right_numbers(tmp_path):
    pytest.importorskip("xgboost")
    done = run("--tables", "ring", "--setting", "one:n_trees=1", "--max-rows", "400", "--quick", "--out", str(tmp_path))
    assert done.exit_code == 0, done.output
    (path,) = tmp_path.glob("by-column-*.json")
    result = read_result(path)
    assert result.options["methods"] == ["JANUS", "CART", "one"]
    assert result.options["max_rows"] == 400
    assert {(r["method"], r["column"]) for r in result.records} == {
        (method, column) for method in ("JANUS", "CART", "one") for column in ("y", "wave")
    }
    assert not any(record["error"] for record in result.records)
    assert path.with_suffix(".md").read_text(encoding="utf-8") == to_markdown(result)
    assert "Columns of ring" in done.output


def test_a_second_detector_is_refused(tmp_path):
    done = run("--tables", "ring", "--mlp", "--out", str(tmp_path))
    assert done.exit_code == 2
    assert "Leave --mlp and --training out" in done.output
    assert not list(tmp_path.iterdir())


def test_help_tells_of_it():
    assert "--by-column" in run("--help").output
