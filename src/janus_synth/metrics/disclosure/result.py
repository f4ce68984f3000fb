"""Result of the attacks: frozen values that print as a table, convert to JSON and HTML, and end in one verdict."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from janus_synth.metrics.report import Score

SIGNIFICANCE = 0.05
"""Probability that the verdict raises a false alarm, over all attacks together (Bonferroni)."""
HIGH_RISK, SMALL_RISK = 0.09, 0.05
"""Risk from which a leak counts as high, and below which it is negligible.

0.09 is one in eleven, the threshold of the European Medicines Agency (policy 0070) and of Health Canada for releases to
the public; 0.05 is one in twenty, the strictest minimum cell size in use (docs/disclosure.md, *Thresholds*)."""
HIGH_ADVANTAGE, SMALL_ADVANTAGE = 0.2, 0.09
"""The same for the advantage of a membership attack; 0.2 is the benchmark of El Emam, Mosquera and Fang (2022)."""
HIGH_AUC = 0.64
"""AUC of an advantage of 0.2 (`membership_advantage`)."""
WIDTH = 80
HEADINGS = ("attack", "success", "control", "guess", "risk", "low", "high", "n")
TITLES = {
    "singling_out": "a predicate of several columns matches exactly one row",
    "singling_out_univariate": "a predicate of one column matches exactly one row",
    "linkability": "two parts of a record have a nearest synthetic row in common",
    "inference": "the nearest synthetic row has the right value of an unknown column",
    "membership_distance": "the nearest synthetic row is so near that few unseen rows are as near",
    "membership_density": "synthetic rows are so dense around a row that few unseen rows have as many",
}
"""What counts as a success."""
NUMBERS = ("success", "control", "baseline", "risk", "low", "high", "p_value", "auc", "auc_low", "auc_high")
"""Fields of an attack that a threshold can be about."""


@dataclass(frozen=True, slots=True)
class Attack:
    """Outcome of one attack.

    Attributes
    ----------
    name : str
        Its key in the result.
    success, control : float
        Share of attacks that succeed on training rows, and on unseen rows.
    baseline : float
        Share of guesses that succeed on training rows.
    risk : float
        (success − control) / (1 − control): 0 if training rows are as safe as unseen ones, 1 if all are exposed;
        below 0 by chance. NaN where every attack on unseen rows succeeds.
    low, high : float
        Confidence interval of the risk.
    n, n_control : int
        Attacks on training rows, and on unseen rows.
    p_value : float
        Of the hypothesis that the attack succeeds on training rows no more often than on unseen ones.
    auc, auc_low, auc_high : float
        For membership: AUC of the score that ranks training rows above unseen ones, with its interval; NaN otherwise.
    """

    name: str
    success: float
    control: float
    baseline: float
    risk: float
    low: float
    high: float
    n: int
    n_control: int
    p_value: float
    auc: float = math.nan
    auc_low: float = math.nan
    auc_high: float = math.nan

    @property
    def sentence(self) -> str:
        """The outcome in plain words."""
        text = (
            f"{TITLES[self.name][0].upper()}{TITLES[self.name][1:]}: {_percent(self.success)} for training rows, "
            f"{_percent(self.control)} for unseen rows."
        )
        if not math.isnan(self.auc):
            text += f" The score ranks a training row above an unseen one in {_percent(self.auc)} of pairs."
        elif self.success <= self.baseline:
            text += " A guess does no worse, so this attack says little."
        return text

    @property
    def is_high(self) -> bool:
        """Whether the risk is at least 0.09, or the advantage of a membership attack at least 0.2."""
        return self.risk >= HIGH_RISK or membership_advantage(self.auc) >= HIGH_ADVANTAGE

    @property
    def is_small(self) -> bool:
        """Whether a risk of 0.05, and an advantage of 0.09 of a membership attack, are unlikely."""
        return not (self.high >= SMALL_RISK or membership_advantage(self.auc_high) >= SMALL_ADVANTAGE)

    @property
    def measured(self) -> str:
        """The number that a verdict mentions: the risk, or the AUC where only the ranking is informative."""
        informative = self.low > 0 or math.isnan(self.auc)
        return f"{self.name} {_number(self.risk)}" if informative else f"{self.name} (AUC) {_number(self.auc)}"

    def cells(self) -> tuple[str, ...]:
        """Texts of one line of the printed table."""
        rates = (self.success, self.control, self.baseline, self.risk, self.low, self.high)
        return self.name, *map(_number, rates), f"{self.n:,}"


def membership_advantage(auc: float) -> float:
    """True minus false positive rate at the best threshold, for normal scores with this AUC (Yeom et al. 2018).

    With scores that are d standard deviations apart, the AUC is Φ(d / √2), and the advantage 2 Φ(d / 2) − 1.

    Examples
    --------
    >>> round(membership_advantage(0.64), 2), membership_advantage(0.5)
    (0.2, 0.0)
    """
    from scipy.special import ndtr, ndtri

    return float(2 * ndtr(ndtri(auc) / math.sqrt(2)) - 1)


Level = Literal["low", "moderate", "high"]


@dataclass(frozen=True, slots=True, eq=False)
class Disclosure:
    """Disclosure risk of synthetic rows; ``disclosure["linkability"]`` is one attack.

    Attributes
    ----------
    attacks : mapping of str to Attack
        By name.
    scores : mapping of str to Score
        Nearest-row share, exact copies, δ-presence and k-anonymity, each beside the value of real rows.
    n_rows : mapping of str to int
        Rows of the ``train``, ``test`` and ``synthetic`` tables.
    confidence : float
        Confidence level of the intervals.
    """

    attacks: Mapping[str, Attack]
    scores: Mapping[str, Score]
    n_rows: Mapping[str, int]
    confidence: float = 0.95

    def __getitem__(self, name: str) -> Attack:
        return self.attacks[name]

    @property
    def leaks(self) -> tuple[str, ...]:
        """Attacks that succeed more often on training rows than chance explains, the largest risk first.

        Those whose risk is negligible, with confidence, are left out.
        """
        return tuple(attack.name for attack in self._beyond_chance if not attack.is_small)

    @property
    def _beyond_chance(self) -> list[Attack]:
        limit = SIGNIFICANCE / max(len(self.attacks), 1)
        found = [attack for attack in self.attacks.values() if attack.p_value <= limit]
        return sorted(found, key=lambda attack: -attack.risk)

    @property
    def level(self) -> Level:
        """``"low"`` without leaks, ``"high"`` if the size of one is (``Attack.is_high``), ``"moderate"`` otherwise."""
        if not self.leaks:
            return "low"
        return "high" if any(self.attacks[name].is_high for name in self.leaks) else "moderate"

    @property
    def verdict(self) -> str:
        """One plain sentence or two."""
        if self.leaks:
            return f"{_START[self.level]} Risk: {', '.join(self.attacks[name].measured for name in self.leaks)}."
        largest = max((a.high for a in self.attacks.values() if not math.isnan(a.high)), default=math.nan)
        start = _START["low"]
        if small := self._beyond_chance:
            start = f"low. Attacks do hardly better on training rows than on unseen ones: {small[0].measured}."
        return f"{start} A risk above {_number(largest)} is unlikely for any of them."

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries, None where a number is undefined."""
        attacks = {
            name: {key: _plain(value) for key, value in asdict(attack).items() if key != "name"}
            for name, attack in self.attacks.items()
        }
        scores = {
            name: {"value": _plain(score.value), "reference": _plain(score.reference), "ideal": score.ideal}
            for name, score in self.scores.items()
        }
        return {
            "level": self.level,
            "verdict": self.verdict,
            "leaks": list(self.leaks),
            "confidence": self.confidence,
            "n_rows": dict(self.n_rows),
            "attacks": attacks,
            "scores": scores,
        }

    def __str__(self) -> str:
        lines = [HEADINGS, *(attack.cells() for attack in self.attacks.values())]
        below = [
            f"{name:23}  {_number(score.value)}  (real rows {_number(score.reference)})"
            for name, score in self.scores.items()
        ]
        return "\n".join([*textwrap.wrap(f"Disclosure risk: {self.verdict}", WIDTH), "", *_columns(lines), "", *below])

    def _repr_html_(self) -> str:
        """Render as a table for notebooks."""
        from janus_synth.pages import render  # Jinja is slow to import

        rows = [attack.cells() for attack in self.attacks.values()]
        caption = f"Disclosure risk: {self.verdict}"
        return render("table.html.j2", caption=caption, headings=HEADINGS, rows=rows, first_number=1)


_START = {
    "low": "low. No attack does better on training rows than on unseen ones, beyond chance.",
    "moderate": "moderate. Attacks do a little better on training rows than on unseen ones.",
    "high": "high. Attacks expose training rows: do not share these rows.",
}


def _columns(lines: list[tuple[str, ...]]) -> list[str]:
    """Align the first column to the left and numbers to the right."""
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    return ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines]


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"


def _percent(share: float) -> str:
    return "–" if math.isnan(share) else f"{share:.1%}".replace("%", " %")


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None
