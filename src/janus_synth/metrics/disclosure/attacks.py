"""Disclosure risk: training, unseen and synthetic rows in; the outcomes of all attacks out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from janus_synth.errors import DataError
from janus_synth.metrics.clusters import delta_presence, k_anonymity
from janus_synth.metrics.disclosure.linking import inference, linkability
from janus_synth.metrics.disclosure.membership import membership_density, membership_distance
from janus_synth.metrics.disclosure.points import Scene, distinct
from janus_synth.metrics.disclosure.rates import Outcome, better_than_control, normalised_risk
from janus_synth.metrics.disclosure.result import Attack, Disclosure
from janus_synth.metrics.disclosure.singling_out import singling_out, singling_out_univariate
from janus_synth.metrics.distances import MOST_LEVELS
from janus_synth.metrics.privacy import closer_to_train, exact_copies
from janus_synth.metrics.report import Score
from janus_synth.metrics.rows import Frame, Rows, Seed, align, equal_rows, subsample

LEVEL = 0.95
LEAST_ROWS = 20
MOST_SYNTHETIC, MOST_CELLS = 50_000, 40_000_000
"""Synthetic rows that are used, and numbers of their encoding (320 MB)."""


def disclosure(
    train: Frame,
    test: Frame,
    synthetic: Frame,
    *,
    secrets: Sequence[str] | None = None,
    keys: Sequence[str] | None = None,
    n_attacks: int = 2_000,
    random_state: Seed = 0,
) -> Disclosure:
    """Attack synthetic rows: single out, link, infer and recognise the rows that their generator has learnt.

    Singling out, linkability and inference are the risks of the European guidance on anonymisation (Article 29 Working
    Party, opinion 05/2014), measured by attacks like those of Giomi et al. (2023, "Anonymeter"); membership is that of
    van Breugel et al. (2023, "DOMIAS"). Every attack is repeated on unseen rows: what succeeds there as well comes from
    the population, not from training. The tables must be parts of one table, split at random.

    Parameters
    ----------
    train, test, synthetic : DataFrame
        Rows that the generator was trained on, rows that it has not seen, rows that it made; pandas, polars or pyarrow,
        with the same columns. Identifier columns are ignored. Of more than 50,000 synthetic rows, or fewer in tables of
        very many levels, a random part is used.
    secrets : sequence of str, optional
        Columns whose values an attacker wants to know; by default each column in turn.
    keys : sequence of str, optional
        Columns that an attacker may know; by default all. For linkability they are dealt to two sources in turn.
    n_attacks : int
        Maximum number of attacks of each kind, on training rows and on unseen rows.
    random_state : int or Generator
        Seed of everything drawn at random. An attack does not depend on the others.

    Returns
    -------
    Disclosure
        Attacks by name, and a verdict; prints as a table.

    Raises
    ------
    DataError
        With fewer than 20 training or unseen rows.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> x = np.random.default_rng(0).normal(size=(1500, 4))
    >>> frame = pd.DataFrame(x, columns=list("abcd"))
    >>> new = disclosure(frame[:500], frame[500:1000], frame[1000:])
    >>> copied = disclosure(frame[:500], frame[500:1000], frame[:500])
    >>> new.level, copied.level, round(copied["linkability"].risk, 2)
    ('low', 'high', 1.0)
    """
    if n_attacks < 1:
        raise DataError(f"n_attacks is {n_attacks}, but a risk cannot be judged by fewer than one attack.")
    seen, unseen, drawn = align(train=train, test=test, synthetic=synthetic)
    for name, rows in (("train", seen), ("test", unseen)):
        if rows.n_rows < LEAST_ROWS:
            raise DataError(f"the {name} table has {rows.n_rows} rows; attacks need at least {LEAST_ROWS}.")
    known, wanted = _columns(seen, keys), _columns(seen, secrets)
    seed = int(np.random.default_rng(random_state).integers(2**31))
    runs = _runs(n_attacks, known, wanted)
    outcomes = {
        name: run(_scene(seen, unseen, drawn, n_attacks, seed + i)) for i, (name, run) in enumerate(runs.items())
    }
    attacks = {name: _attack(name, outcome) for name, outcome in outcomes.items() if outcome.attack.trials}
    n_rows = {"train": seen.n_rows, "test": unseen.n_rows, "synthetic": drawn.n_rows}
    return Disclosure(attacks, _scores(seen, unseen, drawn, seed), n_rows, LEVEL)


def _columns(rows: Rows, names: Sequence[str] | None) -> tuple[str, ...]:
    """Check names; all columns without any."""
    if names is None:
        return rows.names
    chosen = [names] if isinstance(names, str) else names
    return tuple(dict.fromkeys(rows.column(name).name for name in chosen))


def _runs(n_attacks: int, keys: Sequence[str], secrets: Sequence[str]) -> dict[str, Callable[[Scene], Outcome]]:
    """Attacks that the columns allow, in order."""
    runs: dict[str, Callable[[Scene], Outcome]] = {
        "singling_out": lambda scene: singling_out(scene, n_attacks),
        "singling_out_univariate": lambda scene: singling_out_univariate(scene, n_attacks),
    }
    if len(keys) > 1:
        runs["linkability"] = lambda scene: linkability(scene, keys)
    if open_secrets := [secret for secret in secrets if set(keys) - {secret}]:
        runs["inference"] = lambda scene: inference(scene, open_secrets, keys)
    return runs | {"membership_distance": membership_distance, "membership_density": membership_density}


def _scene(seen: Rows, unseen: Rows, drawn: Rows, n_attacks: int, seed: int) -> Scene:
    """Draw the rows to attack, anew for every attack."""
    rng = np.random.default_rng(seed)
    made = distinct(subsample(drawn, _most_synthetic(drawn), rng))
    targets, controls = (subsample(rows, n_attacks, rng) for rows in (seen, unseen))
    return Scene(made, seen, unseen, targets, controls, LEVEL, rng)


def _most_synthetic(drawn: Rows) -> int:
    """Fewer rows where levels make many columns of numbers."""
    width = sum(min(column.n_levels, MOST_LEVELS) + 1 if column.discrete else 2 for column in drawn.columns)
    return min(MOST_SYNTHETIC, MOST_CELLS // width)


def _attack(name: str, outcome: Outcome) -> Attack:
    risk = normalised_risk(outcome.attack, outcome.control, LEVEL)
    p_value, auc = better_than_control(outcome.attack, outcome.control), (math.nan,) * 3
    if outcome.auc is not None:  # two tests of one attack: Bonferroni
        p_value, auc = min(1.0, 2 * min(p_value, outcome.ranking_p_value)), outcome.auc
    rates = outcome.attack.rate, outcome.control.rate, outcome.baseline
    return Attack(name, *rates, *risk, outcome.attack.trials, outcome.control.trials, p_value, *auc)


def _scores(seen: Rows, unseen: Rows, drawn: Rows, seed: int) -> dict[str, Score]:
    """Scores of memorisation and of clusters, with unseen rows in place of the synthetic ones as the reference."""
    _, held_out, made = equal_rows(seen, unseen, drawn, seed=seed)
    values = {
        "closer_to_train": (closer_to_train(seen, unseen, drawn, random_state=seed), 0.5),
        "exact_copies": (exact_copies(seen, drawn), exact_copies(seen, unseen)),
        "delta_presence": tuple(delta_presence(seen, rows, random_state=seed) for rows in (drawn, unseen)),
        "k_anonymity": tuple(k_anonymity(rows, random_state=seed) for rows in (made, held_out)),
    }
    return {name: Score(name, value, reference, *MEANINGS[name]) for name, (value, reference) in values.items()}


MEANINGS: dict[str, tuple[float | None, str]] = {
    "closer_to_train": (0.5, "share of rows nearer to training than to unseen rows"),
    "exact_copies": (None, "share of rows equal to a training row"),
    "delta_presence": (1.0, "largest ratio of training to synthetic rows in a cluster"),
    "k_anonymity": (None, "rows in the smallest cluster"),
}
