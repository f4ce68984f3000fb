"""Reports and profiles in a real browser: wide and narrow, light and dark, by mouse and by keyboard, and safe."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from browsers import NARROW, PICTURES, WIDE, launched_browser, note_errors, skip_without_axe, violations
from janus_synth import datasets
from janus_synth.metrics import evaluate
from janus_synth.profile import profile_frame, profile_page

SIZES = {"wide": WIDE, "narrow": NARROW}
LOOKS = [
    pytest.param("wide", "light", marks=pytest.mark.slow),
    ("wide", "dark"),
    ("narrow", "light"),
    pytest.param("narrow", "dark", marks=pytest.mark.slow),
]
NASTY = "<script>window.hacked = 1</script>"
IMAGE = "<img src=x onerror='window.hacked=2'>"
LEAST_TEXT = 12
"""Smallest font size in pixels."""
METRICS = ["ks", "total_variation", "association_error", "exact_copies", "closer_to_train"]


def people(n: int, seed: int) -> pd.DataFrame:
    """A table with a column and levels that would run if a page let them."""
    rows = datasets.hiring(n, random_state=seed)
    nasty = np.where(rows["age"] > 40, NASTY, np.where(rows["age"] > 30, IMAGE, "</script><b>"))
    return rows.assign(**{NASTY: nasty, IMAGE: rows["age"] * 1.5})


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Addresses of a report and of a profile."""
    folder, tables = tmp_path_factory.mktemp("pages"), [people(300, seed) for seed in range(3)]
    report = evaluate(*tables, target="hired", metrics=METRICS, disclosure=True)
    names = {"train": "people.csv", "test": "held-out.csv", "synthetic": f"{NASTY}.csv"}
    report.to_html(folder / "report.html", title=f"About {NASTY}", names=names, day=date(2024, 3, 9))
    profile = profile_page(profile_frame(tables[0]), title=f"About {NASTY}", day=date(2024, 3, 9))
    (folder / "profile.html").write_text(profile, encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in ("report", "profile")}


@pytest.fixture(scope="module")
def browser():
    with launched_browser() as opened:
        yield opened


@pytest.fixture
def open_page(browser, pages):
    """Open a page in a fresh profile without a network; an error on its console fails the test."""
    contexts, errors = [], []

    def start(name, *, size="wide", theme="light", **options):
        context = browser.new_context(viewport=SIZES[size], color_scheme=theme, offline=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        note_errors(page, errors)
        page.on("request", lambda request: errors.append(request.url) if request.url.startswith("http") else None)
        page.goto(pages[name])
        return page

    yield start
    for context in contexts:
        context.close()
    assert errors == []


def picture(page, name):
    if PICTURES:
        page.screenshot(path=f"{PICTURES}/{name}.png", full_page=True)


def faults(page):
    """What axe finds against WCAG A and AA."""
    found = violations(page, {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]})
    return [(one["id"], [node["html"][:200] for node in one["nodes"]][:3]) for one in found]


def smallest_text(page):
    """Smallest font size of a visible text, in pixels, with the text."""
    return page.evaluate(
        """() => {
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          const found = [];
          while (walker.nextNode()) {
            const text = walker.currentNode.textContent.trim(), parent = walker.currentNode.parentElement;
            if (!text || parent.closest("script, style") || !parent.checkVisibility()) continue;
            found.push([parseFloat(getComputedStyle(parent).fontSize), text]);
          }
          return found.sort((a, b) => a[0] - b[0])[0];
        }"""
    )


@pytest.mark.parametrize("name", ["report", "profile"])
@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_a_page_fits_the_screen_and_is_accessible(open_page, name, size, theme):
    page = open_page(name, size=size, theme=theme)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (max(map(int, re.findall(r"\d+", paper))) < 60) == (theme == "dark")
    assert smallest_text(page)[0] >= LEAST_TEXT, smallest_text(page)
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    assert faults(page) == []
    picture(page, f"{name}-{size}-{theme}")
    skip_without_axe()


def long_names(seed: int) -> pd.DataFrame:
    """Many columns with names and levels that do not break, and numbers of all sizes."""
    rng = np.random.default_rng(seed)
    numbers = {f"a_very_long_name_without_any_space_number_{i}": rng.normal(size=80) * 10**i for i in range(45)}
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 3600, 80), "s")
    return pd.DataFrame({**numbers, "level": rng.choice(["a" * 90, "ü" * 30, "x"], 80), "when": when})


@pytest.mark.parametrize("name", ["report", "profile"])
def test_long_names_and_many_columns_fit_a_phone(browser, tmp_path, name):
    tables = [long_names(seed) for seed in range(3)]
    if name == "report":
        evaluate(*tables, metrics=["ks", "association_error"]).to_html(tmp_path / "page.html")
    else:
        (tmp_path / "page.html").write_text(profile_page(profile_frame(tables[0])), encoding="utf-8")
    with browser.new_context(viewport=SIZES["narrow"]) as context:
        page = context.new_page()
        page.goto((tmp_path / "page.html").as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert page.locator(".tall").first.evaluate("box => box.scrollHeight > box.clientHeight")


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_a_detail_fits_the_screen_and_is_accessible(open_page, size, theme):
    page = open_page("report", size=size, theme=theme)
    for opens, name in (("column-0", "column"), ("pair-0", "pair")):
        page.locator(f"[data-opens={opens}]").first.click()
        box = page.locator("#detail").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= SIZES[size]["width"]
        assert page.evaluate("(d => d.scrollWidth - d.clientWidth)(document.getElementById('detail'))") <= 0
        assert faults(page) == []
        if PICTURES:
            page.screenshot(path=f"{PICTURES}/{name}-{size}-{theme}.png")
        page.keyboard.press("Escape")
    skip_without_axe()


@pytest.mark.parametrize("name", ["report", "profile"])
def test_names_and_levels_that_are_scripts_do_not_run(open_page, name):
    page = open_page(name)
    for opener in page.locator("[data-opens]").all()[:12] if name == "report" else []:
        opener.click()
        page.keyboard.press("Escape")
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, main script, main b:text('script')").count() == 0
    assert page.get_by_role("heading", name=f"About {NASTY}").is_visible()


def test_the_policy_stops_a_script_that_got_in(open_page, pages, tmp_path, browser):
    """Even if a name were not escaped, its script would not run."""
    path = Path(pages["report"].removeprefix("file://"))
    text = path.read_text(encoding="utf-8").replace("<main>", f"<main>{NASTY}{IMAGE}", 1)
    (tmp_path / "report.html").write_text(text, encoding="utf-8")
    with browser.new_context() as context:
        page = context.new_page()
        page.goto((tmp_path / "report.html").as_uri())
        assert page.get_by_role("button", name="Use dark colours").is_visible()  # ours still run
        assert page.evaluate("window.hacked") is None


@pytest.mark.parametrize("name", ["report", "profile"])
def test_the_choice_of_colours_is_kept(open_page, name):
    page = open_page(name)
    page.get_by_role("button", name="Use dark colours").click()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark
    page.get_by_role("button", name="Use light colours").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_contents_stay_in_view_and_follow_the_reader(open_page):
    page = open_page("report", size="narrow")
    for section in ("privacy", "associations"):
        page.locator(f"nav a[href='#{section}']").click()
        page.wait_for_selector(f"nav a[href='#{section}'][aria-current]")
        box = page.locator("nav").bounding_box()
        assert abs(box["y"]) < 1
        page.wait_for_function(
            "name => { const top = document.querySelector(`#${name} h2`).getBoundingClientRect().top;"
            " return top > 40 && top < innerHeight / 2; }",
            arg=section,
        )


def cells(table, at):
    return [row.locator("td").nth(at).inner_text() for row in table.locator("tbody tr").all()]


def test_tables_sort_by_mouse_and_by_keyboard(open_page):
    page = open_page("report")
    table = page.locator("#columns table").first
    heading = table.get_by_role("columnheader", name="distance")
    heading.get_by_role("button").click()
    numbers = [float(re.sub(r"[^\d.]", "", text)) for text in cells(table, 2)]
    assert numbers == sorted(numbers, reverse=True)
    assert heading.get_attribute("aria-sort") == "descending"
    heading.get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert [float(re.sub(r"[^\d.]", "", text)) for text in cells(table, 2)] == sorted(numbers)
    assert heading.get_attribute("aria-sort") == "ascending"
    table.get_by_role("columnheader", name="Wasserstein").get_by_role("button").click()
    texts = cells(table, 5)
    assert "–" in texts
    assert set(texts[texts.index("–") :]) == {"–"}  # what has no number comes last
    assert heading.get_attribute("aria-sort") is None
    table.get_by_role("columnheader", name="column", exact=True).get_by_role("button").click()
    names = cells(table, 0)
    assert names.index("age") < names.index("bonus") < names.index("test_score")


def test_on_a_phone_every_cell_is_shown_with_its_heading(open_page):
    page = open_page("report", size="narrow")
    table = page.locator("#scores table")
    for cell in table.locator("tbody td").all():
        box = cell.bounding_box()
        assert box["width"] > 0
        assert box["height"] > 0
        assert 0 <= box["x"] < box["x"] + box["width"] <= SIZES["narrow"]["width"]
    label = table.locator("tbody td").nth(1)
    assert label.evaluate("cell => getComputedStyle(cell, '::before').content") == '"value"'
    table.get_by_role("columnheader", name="value").get_by_role("button").click()
    values = [float(text) for text in cells(table, 1)]
    assert values == sorted(values, reverse=True)


def test_a_click_on_a_cell_of_a_map_shows_its_pair(open_page):
    page = open_page("report")
    data = json.loads(page.locator("#details").text_content())
    names = [data["columns"][at]["name"] for at in data["drawn"]]
    one, other = names.index("age"), names.index("experience")
    svg = page.locator("svg.cells").first
    svg.scroll_into_view_if_needed()
    box = svg.bounding_box()
    step = box["width"] / len(names), box["height"] / len(names)
    svg.click(position={"x": (other + 0.5) * step[0], "y": (one + 0.5) * step[1]})
    title = page.locator("#detail h2")
    assert set(title.inner_text().split(" and ")) == {"age", "experience"}
    assert page.locator("#detail table.shares").count() == 2
    for table in page.locator("#detail table.shares").all():
        assert sum(map(float, table.locator("td:not(:empty)").all_inner_texts())) == pytest.approx(100, abs=2)
    page.keyboard.press("Escape")
    svg.click(position={"x": (one + 0.5) * step[0], "y": (one + 0.5) * step[1]})
    assert title.inner_text() == "age"
    page.get_by_role("button", name="Close").click()
    assert not page.locator("#detail").is_visible()


def test_the_shares_of_a_pair_are_those_of_the_rows(open_page):
    """Also where the table is turned, because the second column has more groups."""
    page = open_page("report")
    test, turned = people(300, 1), 0
    page.get_by_role("button", name="Compare two columns").click()
    for other in ("sex", "remote", "education"):
        page.locator("#detail select").nth(0).select_option(label="department")
        page.locator("#detail select").nth(1).select_option(label=other)
        table = page.locator("#detail table.shares").first
        across = table.locator("tr").first.locator("th").all_inner_texts()
        for row in table.locator("tr").all()[1:]:
            down, shares = row.locator("th").inner_text(), row.locator("td").all_inner_texts()
            for level, share in zip(across, shares, strict=True):
                pair = {"department": down, other: level}
                found = [test[name].astype("string").fillna("missing") == value for name, value in pair.items()]
                assert float(share) == pytest.approx(100 * (found[0] & found[1]).mean(), abs=0.06)
        turned += page.locator("#detail h2").inner_text() != f"department and {other}"
    assert turned  # both directions were seen


def test_two_columns_are_compared_with_the_keyboard_alone(open_page):
    page = open_page("report")
    button = page.get_by_role("button", name="Compare two columns")
    button.focus()
    page.keyboard.press("Enter")
    page.locator("#detail select").nth(0).select_option(label="education")
    page.locator("#detail select").nth(1).select_option(label="offered_salary")
    assert set(page.locator("#detail h2").inner_text().split(" and ")) == {"education", "offered_salary"}
    assert page.evaluate("document.activeElement.tagName") == "SELECT"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent").startswith("Compare two columns")


def test_a_column_shows_its_detail_and_leads_to_its_pairs(open_page):
    page = open_page("report")
    page.locator("#columns table").get_by_role("button", name="age", exact=True).click()
    detail = page.locator("#detail")
    assert detail.locator("svg path").count() == 2
    assert "missing, synthetic" in detail.inner_text()
    detail.get_by_role("button", name="with ").first.click()
    assert "age" in page.locator("#detail h2").inner_text().split(" and ")


def test_the_scores_are_downloaded(open_page, tmp_path):
    page = open_page("report", accept_downloads=True)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download all scores").click()
    assert download.value.suggested_filename == "scores.json"
    download.value.save_as(tmp_path / "scores.json")
    found = json.loads((tmp_path / "scores.json").read_text(encoding="utf-8"))
    assert set(found["scores"]) == set(METRICS)
    assert found["files"]["synthetic"] == f"{NASTY}.csv"


def test_a_link_to_a_folded_column_opens_the_fold(open_page):
    page = open_page("profile")
    last = page.locator("#columns table a").last
    target = last.get_attribute("href")
    assert not page.locator(target).is_visible()
    last.click()
    page.locator(target).wait_for()


def test_without_scripts_everything_is_still_there(open_page):
    page = open_page("report", java_script_enabled=False)
    assert page.locator("#columns table tbody tr").first.is_visible()
    assert page.locator("svg.cells rect").first.is_visible()
    assert not page.get_by_role("button", name="Compare two columns").is_visible()
