"""The studio in a real browser: from file to download, errors, the keyboard, narrow screens, accessibility."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pandas as pd
import pytest

from janus_synth import datasets

playwright = pytest.importorskip("playwright.sync_api", reason="the tests in a browser need playwright")
BROWSER = os.environ.get("JANUS_BROWSER") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
if BROWSER is None:
    pytest.skip("no browser: install chromium, or name one in JANUS_BROWSER", allow_module_level=True)
PICTURES = os.environ.get("JANUS_PICTURES")
"""Folder for pictures of the pages, if they are wanted."""
AXE = Path(os.environ.get("JANUS_AXE", Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"))
WIDE, NARROW = {"width": 1400, "height": 900}, {"width": 390, "height": 844}
NASTY = "<img src=x onerror=window.hacked=1>"


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as tools:
        opened = tools.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def open_page(browser):
    """Open the studio in a fresh profile; an error on the page's console fails the test."""
    contexts, errors = [], []

    def start(running, *, size=WIDE, dark=False, path=""):
        context = browser.new_context(viewport=size, color_scheme="dark" if dark else "light", accept_downloads=True)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
        page.goto(running.address)
        if path:
            page.goto(f"http://{running.client.host}/{path}")
        return page

    yield start
    for context in contexts:
        context.close()
    assert [text for text in errors if "400 (Bad Request)" not in text] == []


def picture(page, name):
    if PICTURES:
        page.screenshot(path=f"{PICTURES}/studio-{name}.png")


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
def test_every_step_fits_the_screen_and_is_accessible(server, open_page, size, dark, model_file):
    """Nothing scrolls sideways, and axe finds no serious fault."""
    server.studio.project.model.write_bytes(model_file.read_bytes())
    server.client.post("/api/demo")
    server.client.wait()
    server.studio.project.change(fitted=True)
    page = open_page(server, size=size, dark=dark)
    settled(page)
    page.get_by_role("heading", name="commute_km").wait_for()
    for step in ("data", "model", "ask", "questions"):
        page.locator(f"nav a[href='#{step}']").click()
        if step == "ask":
            page.locator("#where").fill("age > 40 and hired")
            page.get_by_text("One row in").wait_for()
            page.get_by_role("button", name="Draw rows").click()
            page.get_by_role("heading", name="Question 1").wait_for()
        if size is NARROW or dark:
            picture(page, f"{step}-{'narrow' if size is NARROW else 'wide'}{'-dark' if dark else ''}")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert serious_faults(page) == []


def serious_faults(page):
    """Rules that axe finds broken, if it is there; its script is run by the browser's tools, not by the page."""
    if not AXE.exists():
        return []
    page.evaluate(AXE.read_text(encoding="utf-8") + ";undefined")
    found = page.evaluate("axe.run()")["violations"]
    return [
        (one["id"], [node["html"] for node in one["nodes"]][:3])
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
