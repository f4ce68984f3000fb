"""The studio in a real browser: from file to download, errors, the keyboard, narrow screens, accessibility."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest

from browsers import NARROW, PICTURES, WIDE, launched_browser, note_errors, skip_without_axe, violations
from janus_synth import datasets

JUDGING = ("compare", "what-if", "fairness")
STEPS = ("data", "model", "ask", "compare", "what-if", "fairness", "questions")
NASTY = "<img src=x onerror=window.hacked=1>"


@pytest.fixture(scope="module")
def browser():
    with launched_browser() as opened:
        yield opened


@pytest.fixture
def open_page(browser):
    """Open the studio in a fresh profile; an error on the page's console fails the test."""
    contexts, errors = [], []

    def start(running, *, size=WIDE, dark=False, path=""):
        context = browser.new_context(viewport=size, color_scheme="dark" if dark else "light", accept_downloads=True)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        note_errors(page, errors)
        page.goto(running.address)
        if path:
            page.goto(f"http://{running.client.host}/{path}")
        return page

    yield start
    for context in contexts:
        context.close()
    assert [text for text in errors if "400 (Bad Request)" not in text] == []


def picture(page, name, height=None):
    """Keep a picture of what is on the screen, or of the page down to a height."""
    if PICTURES:
        clip = {"x": 0, "y": 0, "width": page.viewport_size["width"], "height": height}
        options = {} if height is None else {"full_page": True, "clip": clip}
        page.screenshot(path=f"{PICTURES}/studio-{name}.png", **options)


def settled(page):
    page.wait_for_selector("body[data-job]:not([data-job=running])")


def until(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def learn(page):
    page.get_by_role("link", name="2 Model").click()
    page.get_by_role("button", name="Learn the table").click()
    page.get_by_role("heading", name="depends on").wait_for()


def test_the_story_from_a_dropped_file_to_a_download(server, open_page, tmp_path):
    datasets.hiring(300, random_state=0).to_csv(tmp_path / "people.csv", index=False)
    page = open_page(server)
    assert "token" not in page.url
    assert page.get_by_text("There is no table yet. Drop a file").is_visible()
    page.get_by_label("Drop a table here").set_input_files(tmp_path / "people.csv")
    page.get_by_role("heading", name="commute_km").wait_for()
    assert "300 rows, 15 columns" in page.locator("#data-facts").inner_text()
    page.locator("#relations input").first.check()
    until(lambda: server.studio.project.state.rules)
    picture(page, "data")
    learn(page)
    assert "1 rule holds in every row" in page.locator("#model-facts").inner_text()
    page.locator("#explain-column").select_option("hired")
    page.get_by_role("heading", name="hired depends on").wait_for()
    picture(page, "model")
    page.get_by_role("link", name="3 Ask").click()
    page.locator("#build-column").select_option("age")
    page.locator("#build-value").fill("40")
    page.get_by_role("button", name="Add the condition").click()
    assert page.locator("#where").input_value() == "age >= 40"
    page.get_by_text("One row in").wait_for()
    page.get_by_role("button", name="Draw rows").click()
    page.get_by_role("heading", name="Question 1: 1,000 rows").wait_for()
    page.wait_for_selector("#rows[data-shaded]")
    assert page.locator("#rows td[class*=unsure]").count() > 0
    assert page.get_by_text("One row in").is_visible()  # a new question changes nothing else on the page
    picture(page, "ask")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download CSV").click()
    download.value.save_as(tmp_path / "rows.csv")
    rows = pd.read_csv(tmp_path / "rows.csv")
    assert len(rows) == 1000
    assert rows["age"].min() >= 40
    page.reload()
    page.get_by_role("link", name="Questions").click()
    page.get_by_role("button", name="Show question 1").click()
    page.get_by_role("heading", name="Question 1: 1,000 rows").wait_for()
    assert page.locator("#where").input_value() == "age >= 40"


def test_conditions_are_judged_while_they_are_typed(fitted, open_page):
    page = open_page(fitted, path="#ask")
    where, verdict = page.locator("#where"), page.locator("#verdict")
    where.fill("age > 40\nage < 30")
    verdict.get_by_text("Impossible").wait_for()
    assert "condition: age < 30" in verdict.inner_text()
    where.fill("age > 40\nhired and agee < 3")
    verdict.get_by_text("Did you mean 'age'?").wait_for()
    assert verdict.locator("pre").text_content() == "hired and agee < 3\n          ^"
    where.fill("age > 40")
    verdict.get_by_text("Possible").wait_for()
    verdict.get_by_text("One row in").wait_for()
    page.get_by_role("button", name="Remove age > 40").click()
    assert where.input_value() == ""
    verdict.get_by_text("No conditions").wait_for()


def test_the_keyboard_alone_completes_a_condition_and_draws_rows(fitted, open_page):
    page = open_page(fitted, path="#ask")
    page.locator("#verdict").get_by_text("No conditions").wait_for()
    page.locator("#build-column").focus()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "where":
            break
    page.keyboard.type("depa")
    page.locator("#completions").get_by_text("department").wait_for()
    page.keyboard.press("Enter")
    page.keyboard.type(" == 'f")
    page.keyboard.press("Tab")
    assert page.locator("#where").input_value() == "department == 'finance'"
    page.locator("#verdict").get_by_text("Possible").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("25")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=": 25 rows").wait_for()
    assert page.locator("#rows tbody tr").count() == 25


def test_scripts_in_a_table_are_shown_and_never_run(server, open_page, tmp_path):
    rows = pd.DataFrame({NASTY: [NASTY, "'\"><script>window.hacked=2</script>"] * 60, "x": range(120)})
    rows.to_csv(tmp_path / "nasty.csv", index=False)
    page = open_page(server)
    page.get_by_label("Drop a table here").set_input_files(tmp_path / "nasty.csv")
    page.get_by_role("heading", name=NASTY).wait_for()
    learn(page)
    page.get_by_role("link", name="3 Ask").click()
    page.locator("#verdict").get_by_text("No conditions").wait_for()
    page.get_by_role("button", name="Draw rows").click()
    page.get_by_role("heading", name="Question 1").wait_for()
    assert page.get_by_role("cell", name=NASTY).count() > 0
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, main script").count() == 0


def test_errors_are_shown_and_go_away(server, open_page, tmp_path):
    page = open_page(server)
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 nothing")
    page.get_by_label("Drop a table here").set_input_files(tmp_path / "broken.parquet")
    page.get_by_role("alert").wait_for()
    assert "broken" not in page.locator("#data-facts").inner_text()
    (tmp_path / "note.txt").write_text("no table")
    page.get_by_label("Drop a table here").set_input_files(tmp_path / "note.txt")
    page.get_by_text("The studio reads", exact=False).or_(page.get_by_text("the studio reads")).wait_for()
    page.get_by_role("button", name="Use the demo table").click()
    page.get_by_role("heading", name="commute_km").wait_for()
    assert not page.get_by_role("alert").is_visible()


def test_two_tabs_show_the_same_project(server, open_page):
    one, other = open_page(server), open_page(server)
    one.get_by_role("button", name="Use the demo table").click()
    other.get_by_role("heading", name="commute_km").wait_for()
    one.get_by_role("heading", name="commute_km").wait_for()


@pytest.mark.parametrize(
    ("size", "dark"),
    [
        pytest.param(WIDE, False, marks=pytest.mark.slow, id="wide-light"),
        pytest.param(WIDE, True, id="wide-dark"),
        pytest.param(NARROW, False, id="narrow-light"),
        pytest.param(NARROW, True, marks=pytest.mark.slow, id="narrow-dark"),
    ],
)
def test_every_step_fits_the_screen_and_is_accessible(judged, open_page, size, dark):
    """Nothing scrolls sideways, and axe finds no serious fault."""
    page = open_page(judged, size=size, dark=dark)
    settled(page)
    page.get_by_role("heading", name="commute_km").wait_for()
    faults = {}
    for step in STEPS:
        page.locator(f"nav a[href='#{step}']").click()
        open_step(page, step)
        shape = "".join(["-narrow" * (size is NARROW), "-wide" * (dark and size is WIDE), "-dark" * dark])
        if shape or step in JUDGING:
            picture(page, f"{step}{shape}", 1300 if step in JUDGING else None)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, step
        faults[step] = serious_faults(page)
    assert faults == {step: [] for step in STEPS}
    skip_without_axe()


def open_step(page, step):
    """Fill in a step, so that everything it can show is there."""
    if step == "ask":
        page.locator("#where").fill("age > 40 and hired")
        page.get_by_text("One row in").wait_for()
        page.get_by_role("button", name="Draw rows").click()
        page.get_by_role("heading", name="Question 2").wait_for()
    elif step == "compare":
        page.locator("#compare-question").select_option("1")
        page.locator("#compared").wait_for()
        for summary in page.locator("#compared summary").all():
            summary.click()
    elif step == "what-if":
        set_column(page, "education", "phd")
        page.locator("#set-column").select_option("age")
        page.get_by_role("button", name="Set this column").click()
        page.get_by_label("How age is set").select_option("range")
        page.get_by_text("cells would differ").wait_for()
        page.locator("#effect-found").wait_for()
    elif step == "fairness":
        page.locator("#planted").wait_for()
        page.locator("#bias-paths label").first.wait_for()


def set_column(page, name, level):
    page.locator("#set-column").select_option(name)
    page.get_by_role("button", name="Set this column").click()
    page.get_by_label(f"Value of {name}", exact=True).select_option(level)


def serious_faults(page):
    """Rules that axe finds broken, and where."""
    return [
        (one["id"], [node["html"] for node in one["nodes"]][:3])
        for one in violations(page)
        if one["impact"] in ("serious", "critical")
    ]


def test_axe_finds_a_planted_fault(fitted, open_page):
    """The check itself can fail."""
    skip_without_axe()
    page = open_page(fitted)
    settled(page)
    assert serious_faults(page) == []
    page.evaluate("document.querySelector('main').append(document.createElement('input'))")
    assert [name for name, _ in serious_faults(page)] == ["label"]


# Compare, What if, Fairness


def test_columns_are_set_and_one_row_follows(judged, open_page):
    page = open_page(judged, path="#what-if")
    page.get_by_text("Nothing is set yet").wait_for()
    set_column(page, "education", "phd")
    page.get_by_text("cells would differ").wait_for()
    assert page.locator("#world-columns h4").first.inner_text() == "education"
    cell = page.locator("#row-cells tr", has=page.get_by_role("rowheader", name="education")).locator("td").nth(1)
    assert cell.inner_text() == "phd"
    page.get_by_role("button", name="Next row").click()
    page.get_by_text("Row 2 of 500").wait_for()
    page.get_by_label("How education is set").select_option("range")
    page.get_by_role("checkbox", name="bachelor").check()
    until(lambda: "bachelor" in page.locator("#what-if-python").text_content())
    page.get_by_role("button", name="Do not set education").click()
    page.get_by_text("Nothing is set yet").wait_for()
    assert not page.locator("#worlds").is_visible()


def test_impossible_settings_are_explained(judged, open_page):
    page = open_page(judged, path="#what-if")
    page.locator("#set-column").select_option("age")
    page.get_by_role("button", name="Set this column").click()
    page.get_by_label("Value of age", exact=True).fill("999")
    page.get_by_role("alert").wait_for()
    assert "age" in page.get_by_role("alert").inner_text()
    page.get_by_label("Value of age", exact=True).fill("30")
    page.locator("#world-columns[data-ready]").wait_for()
    page.get_by_role("alert").wait_for(state="hidden")


def test_a_person_vouches_for_the_graph_and_the_project_remembers(judged, open_page):
    page = open_page(judged, path="#what-if")
    page.locator("#what-if").get_by_text("cannot tell cause from correlation").wait_for()
    page.locator("#what-if").get_by_role("button", name="I vouch for this graph").click()
    page.locator("#what-if").get_by_text("You vouch for this graph").wait_for()
    page.reload()
    page.get_by_role("link", name="6 Fairness").click()
    page.locator("#fairness").get_by_text("You vouch for this graph").wait_for()
    judged.studio.project.change(vouched=(("age", "sex"),))  # another graph
    page.locator("#fairness").get_by_text("cannot tell cause from correlation").wait_for()


def test_a_path_is_picked_on_the_graph(judged, open_page):
    page = open_page(judged, path="#fairness")
    page.locator("#planted").wait_for()
    until(lambda: page.get_by_label("Value of sex", exact=True).locator("option:checked").inner_text() == "male")
    page.locator("#bias-outcome").select_option("offered_salary")
    page.locator("#path-graph .node", has_text="offered_salary").wait_for()
    mediator = page.locator("#bias-paths input").last
    mediator.wait_for()
    name = mediator.get_attribute("value")
    page.locator("#path-graph .node").get_by_text(name, exact=True).click()
    until(mediator.is_checked)
    assert page.locator("#path-graph .edge.near").count() >= 1
    page.locator("#path-graph .node", has_text="offered_salary").click()
    until(page.get_by_label("direct").is_checked)
    page.locator("#bias-size").fill("0.35")
    assert page.locator("#bias-size-text").inner_text().startswith("35 %")


def test_a_report_opens_apart_from_the_studio(judged, open_page):
    page = open_page(judged, path="#compare")
    page.locator("#compared").wait_for()
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Open the full report").click()
    report = opened.value
    report.wait_for_load_state()
    assert report.get_by_role("heading", level=1).inner_text() == "Quality of question 1"
    assert report.evaluate("origin") == "null"  # nothing in it can speak to the studio
    assert report.evaluate("fetch('/api/state').then(() => 'reached', () => 'refused')") == "refused"
    report.close()


def test_a_comparison_can_be_cancelled(judged, open_page):
    page = open_page(judged, path="#compare")
    page.get_by_role("button", name="Compare with real rows").click()
    page.get_by_text("Comparing rows:").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_selector("body[data-job=cancelled]")
    assert page.locator("#compared").is_visible()  # what was there stays


def test_the_keyboard_alone_sets_a_column(judged, open_page):
    page = open_page(judged, path="#what-if")
    page.locator("#what-if-found").wait_for()
    page.locator("#set-column").focus()
    page.keyboard.type("educ")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_text("cells would differ").or_(page.get_by_text("no cell would differ")).wait_for()
    for _ in range(3):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('aria-label')") == "Value of education":
            break
    page.keyboard.type("phd")
    until(lambda: "phd" in page.locator("#what-if-python").text_content())
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id"))
    assert {"row-source", "row-number", "row-before", "row-after", "effect-treatment", "effect-outcome"} <= reached


# A messy table


def messy_csv(path, n=400):
    """Dates with the day first, money as text, nulls in words, and a script where names should be."""
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2019-01-01") + pd.to_timedelta(rng.integers(0, 2000, n), unit="D")
    pay = rng.lognormal(7.6, 0.4, n)
    table = pd.DataFrame(
        {
            "Joined (day)": days.strftime("%d/%m/%Y"),
            "Pay": [f"${x:,.2f}" for x in pay],
            NASTY: rng.choice([NASTY, "north", "süd"], n),
            "Left?": np.where(pay + rng.normal(0, 800, n) > 2200, "no", "yes"),
            "score": np.where(rng.random(n) < 0.1, "n/a", (pay / 40 + rng.normal(0, 9, n)).round(1).astype(str)),
        }
    )
    table.to_csv(path, index=False)


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_story_of_a_messy_table_through_all_steps(server, open_page, tmp_path, size):
    messy_csv(tmp_path / "messy.csv")
    page = open_page(server, size=size)
    page.set_default_timeout(120_000)
    page.get_by_label("Drop a table here").set_input_files(tmp_path / "messy.csv")
    page.get_by_role("heading", name=NASTY).wait_for()
    names, kinds = (page.locator(f"#columns {part}").all_inner_texts() for part in ("h4", "h4 + small"))
    kinds = dict(zip(names, kinds, strict=True))
    assert kinds["Joined (day)"].startswith("datetime")
    assert kinds["Pay"].startswith("numeric")
    assert "missing" in kinds["score"]
    learn(page)
    page.get_by_role("link", name="3 Ask").click()
    page.locator("#where").fill("Pay > 2000")
    page.get_by_text("One row in").wait_for()
    page.get_by_role("button", name="Draw rows").click()
    page.get_by_role("heading", name="Question 1: 1,000 rows").wait_for()
    page.get_by_role("link", name="4 Compare").click()
    page.get_by_role("button", name="Compare with real rows").click()
    page.locator("#compared").wait_for()
    assert page.locator("#compared-columns h4").count() == 5
    page.get_by_role("link", name="5 What if").click()
    set_column(page, NASTY, "north")
    page.get_by_text("cell", exact=False).and_(page.locator("#row-facts")).wait_for()
    page.locator("#effect-treatment").select_option("Pay")
    page.locator("#effect-outcome").select_option("score")
    page.get_by_role("button", name="Estimate the effect").click()
    page.get_by_role("heading", name="Effect of Pay on score").wait_for()
    page.get_by_role("link", name="6 Fairness").click()
    page.get_by_role("button", name="Plant the bias and audit").click()
    page.locator("#planted").wait_for()
    assert page.locator("#audits h4").count() == 3
    page.get_by_role("link", name="Questions").click()
    page.get_by_role("button", name="Show question 1").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download CSV").click()
    download.value.save_as(tmp_path / "rows.csv")
    rows = pd.read_csv(tmp_path / "rows.csv")
    assert rows["Pay"].str.startswith("$").all()
    assert rows["Joined (day)"].str.fullmatch(r"\d\d/\d\d/\d{4}").all()
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, main script").count() == 0
