"""A progress bar that appears only where somebody can see it."""

from __future__ import annotations

import pytest

from janus_synth import Janus, datasets
from janus_synth.progress import progress_bar, report_progress_to
from model.tables import mixed


def test_progress_is_shown_on_standard_error_when_asked_for(capsys):
    model = Janus(n_trees=1, random_state=0).fit(mixed(30), progress=True)
    learning = capsys.readouterr()
    model.sample(10, progress=True)
    drawing = capsys.readouterr()
    assert "growing trees" in learning.err
    assert "9/9" in learning.err  # seven columns; the timestamp is a date and a time of day
    assert "drawing rows" in drawing.err
    assert learning.out == drawing.out == ""


@pytest.mark.parametrize("progress", [False, None])
def test_progress_is_silent_otherwise(progress, capsys):
    Janus(n_trees=1, random_state=0).fit(mixed(30), progress=progress).sample(10, progress=progress)
    assert capsys.readouterr() == ("", "")


def test_a_bar_counts_its_steps_and_says_what_it_counts(capsys):
    with progress_bar("planting trees", 5, shown=True) as advance:
        advance(2)
        advance(3)
    found = capsys.readouterr()
    assert found.out == ""
    assert "planting trees" in found.err
    assert "5/5" in found.err


@pytest.mark.parametrize(("total", "shown"), [(5, False), (0, True), (5, None)])
def test_nothing_to_do_or_nobody_to_see_it_is_silent(total, shown, capsys):
    with progress_bar("planting trees", total, shown=shown) as advance:
        advance(1)
    assert capsys.readouterr() == ("", "")


def test_a_bar_without_a_total_says_what_it_does(capsys):
    with progress_bar("planting trees", None, shown=True):
        pass
    found = capsys.readouterr()
    assert found.out == ""
    assert "planting trees" in found.err
    assert "/" not in found.err


def test_planning_and_probabilities_are_shown(capsys):
    model = Janus(n_trees=1, random_state=0).fit(mixed(60), progress=False)
    model.sample(10, where="units >= 0", progress=True)
    assert "planning" in capsys.readouterr().err
    model.probability("units >= 0", progress=True)
    assert "estimating a probability" in capsys.readouterr().err


def test_a_bar_is_shown_before_the_plan_is_made(monkeypatch):
    from contextlib import contextmanager

    from janus_synth.janus import answers, fitted, rows

    model, events = Janus(n_trees=1, random_state=0).fit(mixed(60), progress=False), []

    @contextmanager
    def bar(label, total, *, shown=None):
        events.append(label)
        yield lambda steps: None
        events.append(f"end of {label}")

    def plan_for(*arguments, **options):
        events.append("the plan")
        return plan_before(*arguments, **options)

    plan_before = fitted.plan_for
    for module in (rows, answers):
        monkeypatch.setattr(module, "progress_bar", bar)
    monkeypatch.setattr(fitted, "plan_for", plan_for)
    model.sample(10, where="units >= 0")
    model.probability("units >= 1")
    planning = ["planning", "the plan", "end of planning"]
    assert events[:6] == [*planning, "preparing trees", "end of preparing trees", "drawing rows"]
    assert events[-3:-1] == ["estimating a probability", "the plan"]


def test_a_note_is_printed_once_above_a_bar_and_never_without_one(capsys):
    for shown, count in ((True, 1), (False, 0), (None, 0)):
        with progress_bar("learning", 2, shown=shown, note="computed: [total]") as advance:
            advance(2)
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.count("computed: [total]") == count


def test_a_fit_names_computed_columns_where_a_bar_is_shown(capsys):
    frame = datasets.rentals(200, random_state=0)
    Janus(n_trees=1).fit(frame, progress=True)
    printed = capsys.readouterr().err
    assert "computed from other columns: weekday, month, season, total; links_ says how" in printed
    Janus(n_trees=1).fit(frame)
    Janus(n_trees=1, links="off").fit(frame, progress=False)
    assert capsys.readouterr().err == ""


def test_a_listener_is_told_of_every_step_of_a_fit_and_no_bar_is_shown(capsys):
    told = []
    with report_progress_to(lambda *step: told.append(step)):
        Janus(n_trees=2, n_jobs=1, random_state=0).fit(mixed(30), progress=True)
    labels, done, totals = zip(*told, strict=True)
    assert tuple(dict.fromkeys(labels)) == ("reading columns", "looking for links", "growing trees")
    assert list(done) == sorted(done)
    assert done[0] == 0
    assert done[-1] == totals[-1] == 18
    assert capsys.readouterr() == ("", "")
    with progress_bar("nobody listens any more", 3) as advance:
        advance(1)
    assert len(told) == len(labels)
