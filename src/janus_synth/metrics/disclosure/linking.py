"""Attacks by nearest synthetic rows: linkability of two sets of columns, and inference of unknown attributes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from janus_synth.arrays import Bools, Floats
from janus_synth.metrics.disclosure.points import Scene, nearest, only
from janus_synth.metrics.disclosure.rates import Outcome, Tally
from janus_synth.metrics.rows import ColumnView, Rows

N_LINKED = 3
"""Nearest synthetic rows that an attacker considers in linking two parts of a record."""
TOLERANCE = 0.05
"""How close a guessed number has to be, as a share of the range of the middle 90 % of synthetic values."""


def linkability(scene: Scene, keys: Sequence[str]) -> Outcome:
    """Attack by linking: two sources know two sets of columns, dealt in turn, and look for one record in both.

    The attack succeeds if one of the nearest synthetic rows by the first set is one of the nearest by the second set.
    """
    parts = keys[0::2], keys[1::2]
    attack, control = (_linked(rows, scene.synthetic, parts) for rows in (scene.targets, scene.controls))
    n = scene.synthetic.n_rows
    k = min(N_LINKED, n)
    by_chance = 1 - float(np.prod([max(n - k - i, 0) / (n - i) for i in range(k)]))
    return Outcome(_tally(attack), _tally(control), by_chance)


def inference(scene: Scene, secrets: Sequence[str], keys: Sequence[str]) -> Outcome:
    """Attack attributes: guess a secret column of a record whose other columns are known, from the nearest row.

    Every record is asked for one of the secrets, so that its guesses are independent.
    """
    attack = _inferred(scene.targets, scene.synthetic, secrets, keys)
    control = _inferred(scene.controls, scene.synthetic, secrets, keys)
    return Outcome(_tally(attack), _tally(control), _guessed(scene, secrets))


def is_close(truth: Floats, guess: Floats, column: ColumnView, scale: Floats) -> Bools:
    """Whether guesses are right: the same level, or a number within the tolerance; missing equals missing."""
    if column.discrete:
        return np.asarray(truth == guess)
    known = scale[~np.isnan(scale)]
    width = TOLERANCE * float(np.ptp(np.quantile(known, (0.05, 0.95)))) if len(known) else 0.0
    return np.asarray((np.abs(truth - guess) <= width) | (np.isnan(truth) & np.isnan(guess)))


def _linked(rows: Rows, synthetic: Rows, parts: Sequence[Sequence[str]]) -> Bools:
    first, second = (nearest(only(rows, part), only(synthetic, part), N_LINKED).index for part in parts)
    return np.asarray((first[:, :, None] == second[:, None, :]).any(axis=(1, 2)))


def _inferred(rows: Rows, synthetic: Rows, secrets: Sequence[str], keys: Sequence[str]) -> Bools:
    """Deal the records to the secrets in turn, and attack each."""
    found = np.zeros(rows.n_rows, dtype=np.bool_)
    for i, secret in enumerate(secrets):
        mine = np.arange(i, rows.n_rows, len(secrets))
        known = [name for name in keys if name != secret]
        if len(mine) and known:
            nearby = nearest(only(rows.take(mine), known), only(synthetic, known), 1).index[:, 0]
            values = synthetic[secret]
            found[mine] = is_close(rows[secret][mine], values[nearby], rows.column(secret), values)
    return found


def _guessed(scene: Scene, secrets: Sequence[str]) -> float:
    """Success of the values of any synthetic row."""
    rates = []
    for secret in secrets:
        values = scene.synthetic[secret]
        guess = scene.rng.choice(values, size=scene.targets.n_rows)
        rates.append(is_close(scene.targets[secret], guess, scene.targets.column(secret), values).mean())
    return float(np.mean(rates))


def _tally(successes: Bools) -> Tally:
    return Tally(int(successes.sum()), len(successes))
