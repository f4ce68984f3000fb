"""Tables on constrained generation: a `Result` in, grids out.

They show mean scores, scores by rarity, kind and size, failures, and the paper's figures next to ours. Functions take a
frame with a row per trial, as `read_trials` returns it, for one method or for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isnan, nan
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from janus_bench.constrained.run import ORACLE, Trial
from janus_bench.grids import NOTHING, Grid, decimals, groups_of, mean_of, percent, seconds

if TYPE_CHECKING:
    from janus_bench.results import Result


class Measure(NamedTuple):
    """A score, with its heading and decimals in tables."""

    key: str
    heading: str
    digits: int = 3


MEASURES = (
    Measure("final", "Final"),
    Measure("csr", "CSR"),
    Measure("mf", "MF"),
    Measure("cf", "CF"),
    Measure("detection", "detection AUC"),
    Measure("energy", "energy", 4),
    Measure("wasserstein", "Wasserstein"),
)
FINAL, CSR, DETECTION = MEASURES[0], MEASURES[1], MEASURES[4]


MEANING = (
    "CSR: rows that came back and obey, of those asked for. Final: CSR · (½ MF + ½ CF). Detection below 0.5 counts as "
    "that much above. In parentheses: in how many scenarios the score is defined, where that is not all of them; a "
    "method that failed has returned no rows."
)


def read_trials(result: Result) -> pd.DataFrame:
    """A row per trial, a column per score; a detection AUC a below 0.5 is replaced by 1 − a."""
    found = result.frame(Trial).rename(columns=lambda name: name.removeprefix("scores."))
    return found.assign(detection=0.5 + (found["detection"] - 0.5).abs())


def methods_of(result: Result) -> list[str]:
    """The oracle, then the methods of a run in their order."""
    return [ORACLE, *result.options["methods"]]


def constrained_grids(result: Result) -> list[Grid]:
    """All tables of a result on constrained generation."""
    trials, methods = read_trials(result), methods_of(result)
    by_method = {method: trials[trials["method"] == method] for method in methods}
    return [
        _means(by_method),
        _beside_paper(by_method),
        _kinds(by_method),
        _by_part(trials, methods, "Final by rarity", FINAL, "rarity"),
        _by_part(trials, methods, "CSR by rarity", CSR, "rarity"),
        _by_part(trials, methods, "Detection AUC by rarity", DETECTION, "rarity"),
        _by_part(trials, methods, "Final by kind of condition", FINAL, "kind"),
        _by_part(trials, methods, "Detection AUC by kind of condition", DETECTION, "kind"),
        _by_part(trials, methods, "Final by number of columns", FINAL, "n_nodes"),
        _returned(by_method),
        _draws(trials, methods),
        _seconds(trials, methods),
        _probabilities(by_method[ORACLE]),
        *_failures(trials),
    ]


def score_text(trials: pd.DataFrame, measure: Measure) -> str:
    """The mean of the defined scores, with their number if some are undefined."""
    scores = trials[measure.key]
    text = decimals(mean_of(scores), measure.digits)
    return text if scores.count() in (0, len(scores)) else f"{text} ({scores.count()})"


def draws_per_row(trials: pd.DataFrame) -> float:
    """Total rows drawn divided by total rows returned; NaN if no row was drawn or returned."""
    drawn = trials[trials["n_drawn"].notna()]
    n_drawn, n_returned = drawn["n_drawn"].sum(), drawn["n_returned"].sum()
    return n_drawn / n_returned if n_drawn and n_returned else nan


def _means(by_method: Mapping[str, pd.DataFrame]) -> Grid:
    rows = []
    for method, trials in by_method.items():
        scores = [score_text(trials, measure) for measure in MEASURES]
        spent = map(seconds, trials[["seconds", "fit_seconds"]].mean())
        failed = int((trials["error"] != "").sum())
        rows.append([method, *scores, *spent, _count(draws_per_row(trials)), str(failed)])
    headings = ["method", *(measure.heading for measure in MEASURES), "seconds", "fit s", "drawn per row", "failed"]
    note = f"Over {len(by_method[ORACLE])} scenarios. {MEANING} {ORACLE.capitalize()}: the true model asked twice."
    return Grid("Mean over scenarios", headings, rows, note)


def _by_part(trials: pd.DataFrame, methods: Sequence[str], title: str, measure: Measure, part: str) -> Grid:
    return _parts(trials, methods, title, part, lambda own: score_text(own, measure))


def _parts(
    trials: pd.DataFrame,
    methods: Sequence[str],
    title: str,
    part: str,
    cell: Callable[[pd.DataFrame], str],
    note: str = "",
) -> Grid:
    """A row per method, a cell per part of the grid."""
    found = groups_of(trials, ["method", part])
    parts = trials[part].unique()
    rows = [[method, *(cell(found.get((method, name), trials.iloc[:0])) for name in parts)] for method in methods]
    return Grid(title, ["method", *map(str, parts)], rows, note)


def _returned(by_method: Mapping[str, pd.DataFrame]) -> Grid:
    """How often each method returned fewer rows than requested."""
    rows = []
    for method, trials in by_method.items():
        asked, returned = trials["n_asked"], trials["n_returned"]
        obeying = (trials[CSR.key].fillna(0) * asked).sum() / returned.sum() if returned.sum() else nan
        counts = [str((returned < asked).sum()), str((returned == 0).sum())]
        rows.append([method, decimals(returned.sum() / asked.sum()), *counts, decimals(obeying)])
    headings = ["method", "share returned", "short in", "nothing in", "obey, of those returned"]
    note = "Short: scenarios with fewer rows than asked for, at the limit of draws or of time, or after a failure."
    return Grid("Rows that came back", headings, rows, note)


def _draws(trials: pd.DataFrame, methods: Sequence[str]) -> Grid:
    """Cost of rejection by rarity; methods without a number of draws are left out."""
    drawing = set(trials.loc[trials["n_drawn"].notna(), "method"])
    note = "All scenarios of a rarity together; a dash where not one row came back. JANUS, asked natively, counts as 1."
    shown = [method for method in methods if method in drawing]
    return _parts(trials, shown, "Rows drawn per row returned", "rarity", lambda own: _count(draws_per_row(own)), note)


def _seconds(trials: pd.DataFrame, methods: Sequence[str]) -> Grid:
    title, note = "Seconds per answer by rarity", "Without the fit."
    return _parts(trials, methods, title, "rarity", lambda own: seconds(own["seconds"].mean()), note)


def _probabilities(oracle: pd.DataFrame) -> Grid:
    """Target and actual probabilities of the conditions."""
    rows = []
    for rarity, own in oracle.groupby("rarity", sort=False):
        found = own["probability"]
        if found.notna().any():  # otherwise the oracle itself ran out of time
            shown = [f"{value:.2g}" for value in (own["target"].iloc[0], found.min(), found.median(), found.max())]
            rows.append([str(rarity), str(len(own)), *shown, decimals(own["n_training_matches"].median(), 0)])
    headings = ["rarity", "scenarios", "target", "lowest", "median", "highest", "training rows that obey"]
    note = "Probability of the condition under the true model, and the median number of training rows that meet it."
    return Grid("How rare the conditions are", headings, rows, note)


def _failures(trials: pd.DataFrame) -> list[Grid]:
    """Errors with their frequency and the first rule that caused them."""
    failed = trials[trials["error"] != ""]
    errors = failed.assign(error=failed["error"].str.replace(r"\n.*", "", regex=True))
    groups = groups_of(errors, ["method", "error"]).items()
    rows = [[method, error, str(len(own)), own["rule"].iloc[0]] for (method, error), own in groups]
    return [Grid("Failures", ["method", "error", "times", "first with"], rows, n_labels=2)] if rows else []


def _count(value: float) -> str:
    return decimals(value, 0 if value >= 100 else 1)


class Claim(NamedTuple):
    """The paper's figures for a method; seconds are derived from its speed relative to the oracle's 41 s."""

    final: float
    csr: float
    seconds: float


class KindClaim(NamedTuple):
    """The paper's figures for JANUS by kind of condition: its score, and the gap to the oracle's."""

    final: float
    gap: float


PAPER: Mapping[str, Claim] = {
    "PyMC (oracle)": Claim(0.990, 1.00, 41),
    "JANUS": Claim(0.939, 1.00, 43.4),
    "DCM": Claim(0.916, 1.00, 1348.8),
    "TVAE": Claim(0.892, 1.00, 185.1),
    "CTGAN": Claim(0.858, 1.00, 366.3),
    "Bayesian Net": Claim(0.810, 0.89, 17.8),
    "CAREFL": Claim(0.229, 0.67, 278.7),
}
"""Table "Constrained Generation", 523 experiments."""
PAPER_KINDS: Mapping[str, KindClaim] = {
    "equality": KindClaim(0.963, 0.029),
    "range": KindClaim(0.927, 0.064),
    "inter-column": KindClaim(0.930, 0.060),
    "mixed": KindClaim(0.978, 0.012),
}
"""Table "Performance by Constraint Type", where JANUS is best for every type; its inequalities are our ranges."""
STRICTNESS = ("easy", "medium", "hard")
"""The paper's rarities: a half, a fifth and a tenth of the rows."""
OURS = "JANUS"
COUNTERPARTS: Mapping[str, Sequence[str]] = {
    "PyMC (oracle)": (ORACLE,),
    "JANUS": (OURS, "paper, greedy"),
    "TVAE": ("TVAE, rejection",),
    "CTGAN": ("CTGAN, rejection",),
    "Bayesian Net": ("BN, rejection",),
}
"""Our methods of the same kind. DCM and CAREFL, which the paper clips, have none here."""

NOTE = (
    "The paper's models and conditions are not published, and it gives no scale for the Wasserstein distance in MF, "
    "for which KS stands in here: look at the order and at the distance to the oracle, not at the figures. Easy to "
    "hard: conditions that a half, a fifth or a tenth of the rows meet, as the paper's; all: rarer ones as well. CSR "
    "counts rows that did not come back as violations. Seconds: fit and one answer, over all."
)
KIND_NOTE = (
    "Final of JANUS, and how far below the oracle's it is. The paper calls ranges inequalities, and finds JANUS best "
    "under every kind. Best: the highest Final of all methods here, on conditions from easy to hard."
)


def _beside_paper(by_method: Mapping[str, pd.DataFrame]) -> Grid:
    rows = []
    for name, claim in PAPER.items():
        measured = [method for method in COUNTERPARTS.get(name, ()) if method in by_method]
        for method in measured or [NOTHING]:
            trials = by_method.get(method, by_method[ORACLE].iloc[:0])
            parts = (_ordinary(trials), trials)
            fit = trials["fit_seconds"].mean()
            spent = trials["seconds"].mean() + (0 if isnan(fit) else fit)
            rows.append(
                [
                    name,
                    method,
                    decimals(claim.final),
                    *(score_text(part, FINAL) for part in parts),
                    decimals(claim.csr, 2),
                    *(score_text(part, CSR) for part in parts),
                    seconds(claim.seconds),
                    seconds(spent),
                ]
            )
    headings = ["in the paper", "here", "Final, paper", "easy to hard", "all", "CSR, paper", "easy to hard", "all"]
    return Grid("Beside the paper's", [*headings, "seconds, paper", "here"], rows, NOTE, n_labels=2)


def _kinds(by_method: Mapping[str, pd.DataFrame]) -> Grid:
    rows = []
    for kind, claim in PAPER_KINDS.items():
        own = {method: trials[trials["kind"] == kind] for method, trials in by_method.items()}
        if own[ORACLE].empty:
            continue
        every = {method: trials[FINAL.key].mean() for method, trials in own.items()}
        ordinary = {method: _ordinary(trials)[FINAL.key].mean() for method, trials in own.items()}
        cells = []
        for means in (ordinary, every):
            ours, truth = means.get(OURS, nan), means[ORACLE]
            cells += [decimals(ours), percent(1 - ours / truth if truth else nan)]
        rows.append([kind, decimals(claim.final), percent(claim.gap), *cells, _best(ordinary)])
    headings = ["kind", "Final, paper", "gap", "easy to hard", "gap", "all", "gap", "best"]
    return Grid("JANUS by kind of condition, beside the paper's", headings, rows, KIND_NOTE)


def _ordinary(trials: pd.DataFrame) -> pd.DataFrame:
    """Trials with conditions from easy to hard, as in the paper."""
    return trials[trials["rarity"].isin(STRICTNESS)]


def _best(means: Mapping[str, float]) -> str:
    """The method with the highest mean, the oracle excluded."""
    known = {method: mean for method, mean in means.items() if method != ORACLE and not isnan(mean)}
    best = max(known, key=lambda method: known[method], default="")
    return f"{best} {decimals(known[best])}" if best else NOTHING
