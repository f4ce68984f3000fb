"""Report on computed columns: a `Result` in, grids out: means over seeds, true rows beside those of models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from janus_bench.grids import NOTHING, Grid, decimals, groups_of, list_records, mean_of, percent, seconds, times
from janus_bench.links.run import FREE, Failure, LinkTrial
from janus_bench.versions import REAL_ROWS

if TYPE_CHECKING:
    from janus_bench.results import Result

KINDS = ("mean", "quantile", "correlation")
DETECTION = (
    "AUC of a judge that separates drawn rows from fresh rows of the truth, 0.5 at best: on the columns of the table, "
    "and with differences, ratios, calendar parts and combinations of levels beside them. Copies are rows that equal a "
    "training row, beside that share among fresh rows. The first sample makes the plan; CPU seconds of those after it "
    "are shown over those of a free model."
)
ERRORS = (
    "Largest errors over columns: of means in standard deviations (for levels and nulls, of shares over √(p (1 − p))), "
    "of the distribution function at five quantiles over √(p (1 − p)), of Spearman's correlations; first over columns "
    "that rules mention and pairs with them, then over the others. Errors are means over seeds; the column is that of "
    "the first seed."
)


def link_grids(result: Result) -> list[Grid]:
    """Grids of detection, errors, relations and partial relations, and failures if there are any."""
    trials = result.frame(LinkTrial)
    grids = []
    if len(trials):
        trials = trials.copy().assign(
            label=[_label(*pair) for pair in zip(trials["setting"], trials["drawn"], strict=True)]
        )
        grids = [_detection(trials), _errors(trials), _shares(trials, "kept"), _shares(trials, "partial")]
    headings = {name: name for name in ("table", "setting", "drawn", "seed", "error")}
    return grids + list_records("Failures", result.frame(Failure), headings)


def _label(setting: str, drawn: str) -> str:
    return setting if setting == REAL_ROWS else f"{setting}, {drawn}"


def _detection(trials: pd.DataFrame) -> Grid:
    rows = []
    for (table, label), own in groups_of(trials, ["table", "label"]).items():
        free = trials[(trials["table"] == table) & (trials["setting"] == own["setting"].iloc[0])]
        rows.append(
            [
                table,
                label,
                decimals(mean_of(own["detection"])),
                decimals(mean_of(own["detection_derived"])),
                percent(mean_of(own["copies"]), 2),
                percent(mean_of(own["true_copies"]), 2),
                seconds(mean_of(own["fit_seconds"])),
                seconds(mean_of(own["first_seconds"])),
                seconds(mean_of(own["sample_seconds"])),
                times(mean_of(own["sample_cpu"]) / mean_of(free.loc[free["drawn"] == FREE, "sample_cpu"])),
            ]
        )
    headings = ["table", "rows", "AUC", "AUC, derived", "copies", "true copies", "fit, s", "first sample, s"]
    headings += ["next, s", "CPU over free"]
    return Grid("Detection", headings, rows, DETECTION, n_labels=2)


def _errors(trials: pd.DataFrame) -> Grid:
    rows = []
    for (table, label), own in groups_of(trials, ["table", "label"]).items():
        cells = []
        for part in ("ruled", "others"):
            for kind in KINDS:
                error, place = mean_of(own[f"{part}.{kind}.error"]), own[f"{part}.{kind}.place"].iloc[0]
                cells.append(f"{decimals(error)} ({place})" if isinstance(place, str) and place else NOTHING)
        rows.append([table, label, *cells])
    headings = ["table", "rows", *(f"{kind}{part}" for part in ("", ", other columns") for kind in KINDS)]
    return Grid("Largest errors", headings, rows, ERRORS, n_labels=2)


def _shares(trials: pd.DataFrame, part: str) -> Grid:
    """Shares of rows that satisfy each relation or condition, a column per kind of rows."""
    labels = [label for label in trials["label"].unique() if label != REAL_ROWS]
    names = [name for name in map(str, trials) if name.startswith(f"{part}.")]
    rows = []
    for table, own in groups_of(trials, "table").items():
        for name in names:
            if own[name].isna().all():
                continue
            true = "100.0 %" if part == "kept" else percent(mean_of(own[f"true_{name}"]))
            cells = [percent(mean_of(own.loc[own["label"] == label, name])) for label in labels]
            rows.append([table, name.removeprefix(f"{part}."), true, *cells])
    title = "Rows that keep each relation" if part == "kept" else "Conditions that hold in a share of the rows"
    return Grid(title, ["table", "relation", "truth", *labels], rows, n_labels=2)
