"""Turn figures into verdicts on the paper's claims, by criteria stated in the docstrings and in the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from janus_bench.fairness.experiments import GRADIENT, LOGISTIC, MITIGATORS, STRICT, THREE
from janus_bench.grids import decimals, percent, times

REPRODUCED, DIFFERENT, NOT_REPRODUCED, OPEN = "reproduced", "different", "not reproduced", "not judged"

PAPER_PARITY, PAPER_PROXY = 0.013, -0.193
PAPER_AMPLIFICATION = 1.51
PAPER_AGGREGATE, PAPER_SUBGROUP = 0.145, 0.187
PAPER_POSITIVES = 0.003
PAPER_SLOWER = 15.0
TRIVIAL = 0.01
"""Share of favoured rows below which decisions are trivial, as in an audit."""
CLOSE = 0.1
"""Relative difference up to which an amplification counts as the paper's."""
COMPOUNDS = 1.05
"""Ratios below this do not count as amplification."""


class Verdict(NamedTuple):
    """The verdict in a word, and the figures it rests on."""

    word: str
    reason: str


class Fairness(NamedTuple):
    """Gaps of an algorithm: between the sexes, and between the better and the worse half by the mediator."""

    parity: float
    proxy: float
    half: float = 0.0
    """Half the width of the interval of the proxy gap."""


class Hidden(NamedTuple):
    """Gaps between sexes and between men and the subgroup, and whether the latter shows the planted bias."""

    aggregate: float
    subgroup: float
    found: bool

    @property
    def is_masked(self) -> bool:
        """Whether the aggregate gap is at most half of the subgroup gap."""
        return self.subgroup > 0 and abs(self.aggregate) <= self.subgroup / 2


class Positives(NamedTuple):
    """Share of rows that an algorithm favours, and whether the audit calls it degenerate."""

    favoured: float
    flagged: bool


def judge_proxy(found: Mapping[str, Fairness]) -> Verdict:
    """Reproduced: one mitigator has the smallest parity gap and, beyond its interval, the largest proxy gap.

    Different: only one of the two holds.

    Examples
    --------
    >>> gaps = {"logistic": (0.1, 0.3), "exponentiated-gradient": (0.02, 0.2), "threshold-optimizer": (0.01, 0.25)}
    >>> judge_proxy({name: Fairness(*pair) for name, pair in gaps.items()}).word
    'different'
    """
    if set(found) != set(THREE):
        return Verdict(OPEN, f"needs {', '.join(THREE)}")
    best = min(found, key=lambda name: abs(found[name].parity))
    second, worst = sorted(found, key=lambda name: abs(found[name].proxy))[1:]
    leads = worst in MITIGATORS and abs(found[worst].proxy) - abs(found[second].proxy) > found[worst].half
    reason = (
        f"smallest parity gap: {best} ({_format_signed(found[best].parity)}); largest proxy gap: {worst} "
        f"({_format_signed(found[worst].proxy)}), then {second} ({_format_signed(found[second].proxy)})"
    )
    if leads and best == worst:
        return Verdict(REPRODUCED, reason)
    return Verdict(DIFFERENT if leads or best in MITIGATORS else NOT_REPRODUCED, reason)


def judge_pipeline(amplification: float) -> Verdict:
    """Reproduced: three stages have 1.51 times the effect of one, within a tenth; different: at least 1.05 times.

    Examples
    --------
    >>> [judge_pipeline(times).word for times in (1.5, 1.2, 1.0)]
    ['reproduced', 'different', 'not reproduced']
    """
    reason = f"three stages do {times(amplification, large=0)} what the last does alone"
    if abs(amplification / PAPER_AMPLIFICATION - 1) <= CLOSE:
        return Verdict(REPRODUCED, reason)
    return Verdict(DIFFERENT if amplification >= COMPOUNDS else NOT_REPRODUCED, reason)


def judge_hidden(outcome: Hidden, decided: Mapping[str, Hidden]) -> Verdict:
    """Reproduced: the audit finds the bias in some algorithm whose aggregate gap is at most half of its subgroup gap.

    Different: this holds for the gaps in the outcome itself, but for no algorithm.

    Examples
    --------
    >>> judge_hidden(Hidden(0.01, 0.09, True), {"logistic": Hidden(0.02, 0.08, True)}).word
    'reproduced'
    """
    masked = [name for name, gaps in decided.items() if gaps.found and gaps.is_masked]
    reason = (
        f"in the outcome {_format_signed(outcome.aggregate)} by sex, {_format_signed(outcome.subgroup)} in the "
        f"subgroup; found, and hidden behind the aggregate, in {', '.join(masked) or 'no algorithm'}"
    )
    if masked and outcome.is_masked:
        return Verdict(REPRODUCED, reason)
    return Verdict(DIFFERENT if outcome.is_masked else NOT_REPRODUCED, reason)


def judge_degenerate(cases: Mapping[str, Mapping[str, Positives]], control: str) -> Verdict:
    """Reproduced: the exponentiated gradient favours fewer than 1 %, and less than half as many as logistic regression.

    Different: fewer than 1 %, but logistic regression favours hardly more, because the outcome is rare. There is no
    verdict unless the audit flags the control, an algorithm whose decision is constant, in every case.

    Examples
    --------
    >>> rare = {"logistic": Positives(0.008, True), "exponentiated-gradient": Positives(0.007, True)}
    >>> judge_degenerate({"rare": {**rare, "majority": Positives(0.0, True)}}, "majority").word
    'different'
    """
    if not all(control in case and case[control].flagged for case in cases.values()):
        return Verdict(OPEN, f"{control} was not flagged everywhere")
    pairs = [
        (case[LOGISTIC].favoured, case[name].favoured)
        for case in cases.values()
        for name in (GRADIENT, STRICT)
        if LOGISTIC in case and name in case
    ]
    if not pairs:
        return Verdict(OPEN, f"needs {LOGISTIC} and {GRADIENT}")
    fewest = min(ours for _, ours in pairs)
    trivial = [(plain, ours) for plain, ours in pairs if ours < TRIVIAL]
    reason = f"at the least {GRADIENT} favours {percent(fewest)}"
    if not trivial:
        return Verdict(NOT_REPRODUCED, reason)
    plain, ours = max(trivial, key=lambda pair: pair[0] - 2 * pair[1])
    reason += f"; {percent(ours)} where {LOGISTIC} favours {percent(plain)}"
    return Verdict(REPRODUCED if ours < plain / 2 else DIFFERENT, reason)


def judge_pay(kept: Sequence[tuple[float, float]], slower: float) -> Verdict:
    """Reproduced: all rows satisfy the rule, no gap is left, and rejection has at least half of the paper's slowdown.

    Different: the same, with a smaller slowdown.

    Examples
    --------
    >>> judge_pay([(1.0, 0.0), (1.0, 0.0)], 0.5)
    Verdict(word='different', reason='kept in all rows; rejection takes 0.50 × as long')
    """
    if not all(satisfied == 1 and gap == 0 for satisfied, gap in kept):
        return Verdict(NOT_REPRODUCED, "rows break the rule, or a gap remains")
    reason = f"kept in all rows; rejection takes {times(slower, large=0)} as long"
    return Verdict(REPRODUCED if slower >= PAPER_SLOWER / 2 else DIFFERENT, reason)


def _format_signed(value: float) -> str:
    return decimals(value, sign=True)
