from __future__ import annotations

import base64
import json
import re
import sys
from datetime import date

import numpy as np
import pandas as pd
import pytest

from janus_synth.errors import DataError
from janus_synth.metrics import METRIC_NAMES, evaluate
from janus_synth.report import Origin, report_page, write_report
from janus_synth.report.details import N_DRAWN_TOGETHER
from janus_synth.report.sections import N_FLAT_COLUMNS, N_OPEN_COLUMNS, SECTIONS
from janus_synth.table import read_table
from janus_synth.table.files import as_kind
from page_reader import Reader

SECTION_NAMES = [
    *("summary", "detection", "columns", "associations", "utility", "privacy", "disclosure", "scores", "provenance"),
]
EVIL = "<script>alert('1')</script>"
DATA = "data:application/json;base64,"
UNICODE = 'größe "名前" & Ω'


def people(n: int, seed: int, *, shuffled: bool = False) -> pd.DataFrame:
    """Dependent columns of all kinds; shuffled, they are independent."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 70, n)
    frame = pd.DataFrame(
        {
            "age": age,
            EVIL: 1000.0 * age + rng.normal(0, 3_000, n),
            UNICODE: np.where(rng.random(n) < age / 90, "<b>old</b>", "jung & neu"),
            "since": np.datetime64("2020-01-01", "us") + (30 * age).astype("timedelta64[D]"),
            "wait": pd.to_timedelta(rng.integers(0, 90_000, n), "s").as_unit("us"),
            "bonus": pd.Series(rng.normal(size=n)).where(rng.random(n) < 0.7),
            "constant": 7,
            "empty": np.full(n, np.nan),
            "hired": pd.array(age + rng.normal(0, 9, n) > 45, dtype="boolean"),
        }
    )
    return frame.apply(lambda column: column.sample(frac=1, random_state=rng).array) if shuffled else frame


def page_about(train, test, synthetic, *, metrics=None, **options) -> str:
    options.setdefault("origin", Origin(day=date(2024, 3, 9)))
    return report_page(train, test, synthetic, evaluate(train, test, synthetic, metrics=metrics), **options)


@pytest.fixture(scope="module")
def tables() -> list[pd.DataFrame]:
    return [people(300, seed) for seed in range(3)]


@pytest.fixture(scope="module")
def page(tables) -> str:
    report = evaluate(*tables, metrics=METRIC_NAMES)
    files = {"train": "people.csv", "test": "held-out.csv", "synthetic": "a<b>.csv"}
    return report_page(*tables, report, origin=Origin(files, "janus evaluate people.csv 'a<b>.csv'", date(2024, 3, 9)))


def test_the_header_has_names_and_date(page):
    assert "people.csv · held-out.csv · a<b>.csv · 9 March 2024" in Reader(page).text


def test_the_scores_can_be_downloaded(page, tables):
    [address] = [one for one in Reader(page).addresses if one.startswith(DATA)]
    found = json.loads(base64.b64decode(address.removeprefix(DATA)))
    assert found["date"] == "2024-03-09"
    assert found["files"]["train"] == "people.csv"
    assert found["verdict"]["grade"] in ("good", "fair", "poor")
    report = evaluate(*tables, metrics=METRIC_NAMES).to_dict()
    assert {name: found[name] for name in report} == report


def test_the_details_are_data_that_no_name_can_end(page, tables):
    text = re.search(r'<script type="application/json" id="details">(.*?)</script>', page, re.S)[1]
    assert not set("<>&") & set(text)
    found = json.loads(text)
    assert {column["name"] for column in found["columns"]} == set(tables[0].columns)
    assert len(found["pairs"]) == len(tables[0].columns) * (len(tables[0].columns) - 1) // 2


def test_the_verdict_has_its_thresholds(page):
    text = Reader(page).text
    assert "Overall: " in text
    assert re.search(r"detection AUC 0\.\d{3} \S+ up to 0\.\d{3} up to 0\.\d{3} (good|fair|poor)", text)


def test_the_page_is_well_formed_and_holds_every_section_and_score(page):
    reader = Reader(page)
    assert [name for name in reader.ids if name in SECTION_NAMES] == SECTION_NAMES
    assert len(SECTIONS) + 1 == len(SECTION_NAMES)
    assert len(reader.ids) == len(set(reader.ids))
    assert all(name in reader.text for name in METRIC_NAMES)
    assert all(address.lstrip("#") in reader.ids for address in reader.addresses if not address.startswith(DATA))
    assert set(re.findall(r"url\(#([^)]+)\)", page)) <= set(reader.ids)


def test_the_page_stands_alone(page):
    reader = Reader(page)
    assert not {"link", "iframe", "object", "embed", "img"} & set(reader.tags)
    assert all(address.startswith(("#", DATA)) for address in reader.addresses)
    without_namespaces = re.sub(r'xmlns(:\w+)?="[^"]*"', "", page)
    assert not re.search(r"https?://|@import|javascript:|url\([^#]", without_namespaces)
    assert len(page.encode()) < 500_000


def test_names_levels_files_and_commands_are_escaped(page):
    text = Reader(page).text
    for shown in (EVIL, UNICODE, "a<b>.csv", "janus evaluate people.csv 'a<b>.csv'"):
        assert shown in text
        assert shown not in page or shown == UNICODE
    assert page.count("<script") == 3  # two of ours, and the data of the details
    assert page.count("</script") == 3
    assert "<b>old" not in page


def test_every_column_is_drawn_and_so_are_associations(page, tables):
    for name in tables[0].columns:
        assert f"{name}: real and synthetic rows" in "".join(_labels(page))
    assert "Associations between columns" in page


def test_good_rows_and_shuffled_rows_get_different_verdicts(page, tables):
    good = Reader(page).text
    assert "can hardly distinguish these rows from real ones" in good
    assert "predict hired nearly as well as models trained on real rows" in good
    assert "no sign that training rows were copied" in good
    bad = Reader(page_about(*tables[:2], people(300, 9, shuffled=True))).text
    assert "easily distinguishes these rows from real ones" in bad
    assert "nearly as well as" not in bad
    assert "but two together do" in bad
    assert f"age and {EVIL} r" in bad


def test_copies_of_training_rows_are_reported(tables):
    train, test, _ = tables
    text = Reader(page_about(train, test, train, metrics=["exact_copies", "closer_to_train"])).text
    assert "do not share them without further checks" in text
    assert "no formal guarantee" in text
    assert "Not computed: detection" in text


def test_caveats_are_shown(tables):
    train, test, synthetic = tables
    swapped = Reader(page_about(train, test, test, metrics=["closer_to_train"])).text
    assert "Were the two files swapped?" in swapped
    same = Reader(page_about(train, train, synthetic, metrics=["exact_copies"])).text
    assert "cannot distinguish generalisation from copying" in same
    drifted = train.assign(age=train["age"] + 100)
    assert "split one table at random" in Reader(page_about(drifted, test, synthetic, metrics=["detection"])).text


def test_a_page_needs_no_extra(tables, monkeypatch):
    before = page_about(*tables, metrics=["ks"])
    monkeypatch.setitem(sys.modules, "altair", None)
    assert page_about(*tables, metrics=["ks"]) == before


@pytest.mark.parametrize("n", [1, 2, 20, 31])
def test_tiny_tables_have_a_page(n):
    reader = Reader(page_about(*(people(n, seed) for seed in range(3))))
    assert [name for name in reader.ids if name in SECTION_NAMES] == SECTION_NAMES
    assert f"Only {n} real" in reader.text
    assert ("There are too few rows to train" in reader.text) == (n < 30)


@pytest.mark.parametrize("columns", [["age"], ["hired"], ["age", "hired"], ["constant", "empty"]])
def test_narrow_tables_have_a_page(columns, tables):
    reader = Reader(page_about(*(table[columns] for table in tables)))
    assert [name for name in reader.ids if name in SECTION_NAMES] == SECTION_NAMES
    assert ("A single column" in reader.text) == (len(columns) == 1)


def test_of_wide_tables_all_columns_are_drawn_and_most_are_folded():
    rng = np.random.default_rng(0)
    n_columns = N_FLAT_COLUMNS + 20

    def wide(shift: float) -> pd.DataFrame:
        frame = pd.DataFrame({f"x{j}": rng.normal(size=60) for j in range(n_columns)})
        return frame.assign(x7=frame["x7"] + shift)

    page = page_about(wide(0), wide(0), wide(5), metrics=["ks", "association_error"])
    reader = Reader(page)
    drawn = [label for label in _labels(page) if label.endswith("real and synthetic rows")]
    assert len(drawn) == n_columns
    assert drawn[0].startswith("x7:")
    folded = page.index('<details id="more-columns">')
    places = [page.index(f'id="column-{i}"') for i in range(n_columns)]
    assert sum(place < folded for place in places) == N_OPEN_COLUMNS
    assert f"{n_columns - N_OPEN_COLUMNS} more columns" in reader.text
    assert f"Shown are {N_DRAWN_TOGETHER} of {n_columns} columns" in reader.text
    assert "Distances of all columns" in _labels(page)


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_frames_of_other_libraries_give_the_same_pictures(kind, tables):
    frames = [as_kind(table[["age", UNICODE, "since", "bonus", "hired"]], kind) for table in tables]
    plain = [table[["age", UNICODE, "since", "bonus", "hired"]] for table in tables]
    assert page_about(*frames, metrics=["ks"]) == page_about(*plain, metrics=["ks"])


def test_columns_are_drawn_as_the_kind_they_were_judged_as():
    rng = np.random.default_rng(0)

    def table(n_values: int) -> pd.DataFrame:
        """Few cities and customers, or so many that on their own they would pass for identifiers."""
        return pd.DataFrame(
            {
                "city": [f"city {i}" for i in rng.permutation(n_values).repeat(60 // n_values)],
                "customer_id": rng.permutation(n_values).repeat(60 // n_values),
                "code": ["1", "2", "x"] * 20 if n_values < 60 else range(60),
            }
        )

    labels = _labels(page_about(table(6), table(60), table(6), metrics=["total_variation"]))
    for name in ("city", "customer_id", "code"):
        assert f"{name}: real and synthetic rows" in labels


def test_the_same_tables_give_the_same_page(tables):
    report = evaluate(*tables, metrics=["ks"])
    assert report_page(*tables, report) == report_page(*tables, report)


def test_larger_tables_are_cut_as_the_scores_cut_them(tables):
    train, test, _ = tables
    synthetic = people(500, 5)
    report = evaluate(train, test, synthetic, metrics=["association_error"], max_rows=100, random_state=3)
    text = Reader(report_page(train, test, synthetic, report, max_rows=100, random_state=3)).text
    assert f"Associations differ by {report['association_error']:.3f} on average" in text
    assert "Only 100 real" in text


def test_a_report_about_other_tables_is_refused(tables):
    train, test, synthetic = tables
    report = evaluate(*tables, metrics=["ks"])
    with pytest.raises(DataError, match="300 rows of the synthetic table, and this one has 299"):
        report_page(train, test, synthetic[1:], report)
    fewer = [table.drop(columns="age") for table in tables]
    with pytest.raises(DataError, match="other columns"):
        report_page(*fewer, report)


def test_progress_is_reported_by_section(tables):
    told = []
    page_about(*tables, metrics=["ks"], progress=lambda name, done, total: told.append((name, done, total)))
    n = len(SECTIONS)
    assert told[0] == ("summary", 0, n)
    assert told[-1] == ("", n, n)


def test_a_failed_write_leaves_the_page_before(tables, tmp_path, monkeypatch):
    report, path = evaluate(*tables, metrics=["ks"]), tmp_path / "report.html"
    write_report(path, *tables, report, title="Before")
    assert "<h1>Before</h1>" in path.read_text(encoding="utf-8")
    monkeypatch.setattr("os.replace", lambda *a: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space left"):
        write_report(path, *tables, report, title="After")
    assert "<h1>Before</h1>" in path.read_text(encoding="utf-8")
    assert list(tmp_path.iterdir()) == [path]


def _labels(page: str) -> list[str]:
    """Text alternatives of the plots."""
    return [value for name, value in Reader(page).attributes if name == "aria-label"]


def test_attacks_are_shown_with_table_verdict_and_picture(tables):
    train, test, _ = tables
    report = evaluate(train, test, train, metrics=["ks"], disclosure=True)
    page = report_page(train, test, train, report)
    text = " ".join(Reader(page).text.split())
    assert "Disclosure risk is high. Attacks expose training rows" in text
    assert all(name in text for name in report.disclosure.attacks)
    assert all(" ".join(attack.sentence.split()) in text for attack in report.disclosure.attacks.values())
    assert "Risk of each attack with its confidence interval" in "".join(_labels(page))


def test_without_attacks_the_page_says_so(page):
    assert "Not computed: disclosure" in Reader(page).text


def test_no_value_of_few_real_rows_is_on_the_page():
    """Levels, numbers and words of alerts that synthetic rows do not have."""
    rng = np.random.default_rng(0)

    def table(mark: str) -> pd.DataFrame:
        town = rng.choice(["Rome", "Oslo", "Bonn"], 200).astype(object)
        rank = rng.choice([1.5, 2.5, 3.5], 200)
        pay = rng.normal(900, 90, 200).round(2).astype(str).astype(object)
        if mark:
            town[7], rank[7], pay[7:9] = f"canary{mark}", 8.765432, f"word{mark}"
        return pd.DataFrame({"town": town, "rank": rank, "pay": pay, "x": rng.normal(size=200)})

    page = page_about(table("train"), table("test"), table(""), metrics=["ks", "total_variation"])
    assert [text for text in ("canary", "wordt", "8.765432", "8.77") if text in page] == []
    assert "1 other" in page


def test_a_column_that_is_personal_in_a_small_table_only_is_compared():
    rng = np.random.default_rng(1)
    codes = [f"{i} mg" if i % 9 else f"{i} µg" for i in range(1, 260)]
    train, test, synthetic = (
        pd.DataFrame({"dose": rng.choice(codes, n), "x": rng.normal(size=n)}) for n in (1_500, 300, 1_500)
    )
    assert read_table(train).schema["dose"].kind == "categorical"
    assert read_table(test).schema["dose"].kind == "personal"
    assert "dose" in page_about(train, test, synthetic, metrics=["ks", "total_variation"])
