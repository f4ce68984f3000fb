"""Scores beside those of the paper's tables 5 and 6, and the privacy scores that it names without figures."""

from __future__ import annotations

from typing import NamedTuple

from janus_bench.fidelity.board import Board
from janus_bench.grids import NOTHING, Grid, decimals
from janus_bench.tables import PAPER
from janus_bench.versions import REAL_ROWS

Figures = dict[str, tuple[float, ...]]

QUALITY: Figures = {
    "diffusion": (0.003, 0.580, 0.615, 4.20, 0.880),
    "BN": (0.003, 0.445, 0.537, 2.49, 0.895),
    "flow": (0.011, 0.599, 0.696, 4.01, 0.858),
    "JANUS": (0.012, 0.497, 0.639, 2.42, 0.851),
    "copula": (0.012, 0.603, 0.721, 2.31, 0.790),
    "TVAE": (0.014, 0.609, 0.738, 3.59, 0.852),
    "CTGAN": (0.030, 0.634, 0.788, 2.71, 0.804),
}
"""MMD, detection by MLP and by XGBoost, correlation error, utility: means over the paper's fifteen tables."""
DEPENDENCE: Figures = {
    "copula": (2.31, 0.914, 0.095, 0.078),
    "JANUS": (2.42, 0.942, 0.076, 0.050),
    "BN": (2.49, 0.972, 0.036, 0.023),
    "CTGAN": (2.71, 0.853, 0.102, 0.082),
    "TVAE": (3.59, 0.891, 0.119, 0.087),
    "flow": (4.01, 0.902, 0.103, 0.069),
    "diffusion": (4.20, 0.822, 0.037, 0.026),
}
"""Correlation error, 1 − KS, error of mutual information and of Theil's U."""
PAPERS_OWN = {"JANUS paper": "JANUS"}
"""Methods that go by another name in the paper."""


class Shown(NamedTuple):
    """A score as the paper shows it."""

    key: str
    heading: str
    from_one: bool = False
    """Shown as what is left of 1."""


QUALITY_SHOWN = (
    Shown("mmd", "MMD²"),
    Shown("detection_mlp", "detection, MLP"),
    Shown("detection", "detection, XGBoost"),
    Shown("association_norm", "correlation"),
    Shown("utility", "utility"),
)
DEPENDENCE_SHOWN = (
    Shown("association_norm", "correlation"),
    Shown("ks", "1 − KS", from_one=True),
    Shown("mutual_information_error", "MI"),
    Shown("theils_u_error", "Theil's U"),
)
NOTE = (
    "Plain means over {n_tables} of the paper's fifteen tables, a score undefined somewhere over the others; in "
    "brackets what the paper reports. Correlation is the Frobenius norm of the difference of two matrices of "
    "associations. The paper judges by synthcity; here rows are judged by others that no method has seen."
)


def paper_grids(board: Board) -> list[Grid]:
    """Both of the paper's tables; none where other tables were learnt than the paper's."""
    if not set(board.tables) <= set(PAPER):
        return []
    pairs = (("Quality", QUALITY_SHOWN, QUALITY), ("Dependence", DEPENDENCE_SHOWN, DEPENDENCE))
    return [_beside(board, f"{title}, beside the paper's", shown, paper) for title, shown, paper in pairs]


def privacy_grids(board: Board) -> list[Grid]:
    """How near rows are to those that were learnt, beside what real rows would be; nothing where it was not asked."""
    headings = ["method", "closer to train", "copies", "distance to train", "δ-presence", "k-anonymity"]
    keys = ("closer_to_train", "exact_copies", "distance_to_train", "delta_presence", "k_anonymity")
    methods = [*board.methods, REAL_ROWS] if board.has_reference else list(board.methods)
    if all(board.plain_mean(method, "delta_presence") is None for method in board.methods):
        return []
    digits = {"delta_presence": 2, "k_anonymity": 0}
    rows = [[m, *(decimals(board.plain_mean(m, key), digits.get(key, 3)) for key in keys)] for m in methods]
    note = (
        "Closer to train: share of rows nearer to a training row than to any of as many unseen ones, 0.5 at best. "
        "Copies: share of rows equal to a training row. Distance: to the nearest training row, mean. δ-presence: "
        "largest ratio of training to synthetic rows in a cluster, 1 at best. k-anonymity: rows in the smallest "
        "cluster. Real rows: unseen ones in place of synthetic ones. None of these is a guarantee."
    )
    return [Grid("Privacy", headings, rows, note)]


def _beside(board: Board, title: str, shown: tuple[Shown, ...], paper: Figures) -> Grid:
    rows = []
    for method in [*board.methods, REAL_ROWS] if board.has_reference else board.methods:
        told = paper.get(PAPERS_OWN.get(method, method), (None,) * len(shown))
        rows.append([method, *(_pair(board, method, one, theirs) for one, theirs in zip(shown, told, strict=True))])
    return Grid(title, ["method", *(one.heading for one in shown)], rows, NOTE.format(n_tables=len(board.tables)))


def _pair(board: Board, method: str, shown: Shown, theirs: float | None) -> str:
    value = board.plain_mean(method, shown.key)
    own = NOTHING if value is None else decimals(1 - value if shown.from_one else value)
    return own if theirs is None else f"{own} ({theirs:.3f})"
