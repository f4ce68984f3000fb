"""The paper's figures on constrained generation beside ours, over all scenarios and over those as strict as its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from janus_bench.constrained.board import CSR, FINAL, Board, mean_score, mean_seconds, score_text
from janus_bench.constrained.run import ORACLE, Trial
from janus_bench.grids import NOTHING, Grid, decimals, seconds


class Claim(NamedTuple):
    """What the paper says of a method; seconds follow from its speed beside the oracle's 41 s."""

    final: float
    csr: float
    seconds: float


class KindClaim(NamedTuple):
    """What the paper says of JANUS under a kind of condition: its score, and how far below the oracle's that is."""

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
"""Table "Performance by Constraint Type", where JANUS is the best throughout; its inequalities are our ranges."""
STRICTNESS = ("easy", "medium", "hard")
"""The paper's: a half, a fifth and a tenth of the rows."""
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


def paper_grids(board: Board) -> list[Grid]:
    """Both of the paper's tables beside ours."""
    return [_methods(board), _kinds(board)]


def _methods(board: Board) -> Grid:
    rows = []
    for name, claim in PAPER.items():
        measured = [method for method in COUNTERPARTS.get(name, ()) if method in board.methods]
        for method in measured or [NOTHING]:
            trials = board.trials_of(method)
            ordinary = _ordinary(trials)
            rows.append(
                [
                    name,
                    method,
                    decimals(claim.final),
                    *(score_text(part, FINAL) for part in (ordinary, trials)),
                    decimals(claim.csr, 2),
                    *(score_text(part, CSR) for part in (ordinary, trials)),
                    seconds(claim.seconds),
                    seconds(_seconds(trials)),
                ]
            )
    headings = ["in the paper", "here", "Final, paper", "easy to hard", "all", "CSR, paper", "easy to hard", "all"]
    return Grid("Beside the paper's", [*headings, "seconds, paper", "here"], rows, NOTE, n_labels=2)


def _kinds(board: Board) -> Grid:
    rows = []
    for kind, claim in PAPER_KINDS.items():
        by_method = {m: [t for t in board.trials_of(m) if t.kind == kind] for m in (*board.methods, OURS)}
        if not by_method[ORACLE]:
            continue
        cells = []
        for part in (_ordinary, list):
            ours, truth = (mean_score(part(by_method[m]), FINAL)[0] for m in (OURS, ORACLE))
            cells += [decimals(ours), _percent(None if ours is None or not truth else 1 - ours / truth)]
        rows.append([kind, decimals(claim.final), _percent(claim.gap), *cells, _best(board, by_method)])
    headings = ["kind", "Final, paper", "gap", "easy to hard", "gap", "all", "gap", "best"]
    return Grid("JANUS by kind of condition, beside the paper's", headings, rows, KIND_NOTE)


def _ordinary(trials: Sequence[Trial]) -> list[Trial]:
    return [trial for trial in trials if trial.rarity in STRICTNESS]


def _best(board: Board, by_method: Mapping[str, Sequence[Trial]]) -> str:
    """Whose mean is highest, the oracle's apart."""
    means = {m: mean_score(_ordinary(by_method[m]), FINAL)[0] for m in board.methods if m != ORACLE}
    known = {method: mean for method, mean in means.items() if mean is not None}
    if not known:
        return NOTHING
    best = max(known, key=lambda method: known[method])
    return f"{best} {decimals(known[best])}"


def _seconds(trials: Sequence[Trial]) -> float | None:
    answer, fit = mean_seconds(trials), mean_seconds(trials, fit=True)
    return None if answer is None else answer + (fit or 0.0)


def _percent(share: float | None) -> str:
    return NOTHING if share is None else f"{decimals(100 * share, 1)} %"
