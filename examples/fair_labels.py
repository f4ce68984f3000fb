"""Label the rows that tell a group gap best, and count how many labels that saves.

Run: python examples/fair_labels.py [WORLDS]

Plants bias of known size against a large, a small and a very small group of applicants. In each world 60 applicants are
labelled at random, then batches of 40: at random, by epistemic uncertainty, or for the gap. The gap is estimated by the
fitted model, and by logistic regression on the same labels. Takes about half a minute with 10 worlds per group.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

from janus_synth import Janus, Schema, datasets
from janus_synth.fairness import Bias, plant

FEATURES = ["age", "sex", "education", "experience", "department", "test_score"]
CAUSES = [("age", "experience"), ("sex", "experience"), ("education", "test_score")]
CAUSES += [(name, "hired") for name in FEATURES]
GROUPS: dict[str, Any] = {
    "sex": "male",
    "age": (18, 50),
    "department": ["operations", "sales", "engineering", "finance", "legal"],
}
"""Privileged groups: 53, 87 and 93 % of the applicants."""
MAGNITUDE, FIRST, BATCH, ROUNDS, POOL = 0.4, 60, 40, 6, 2_000


def main(n_worlds: int = 10) -> pd.DataFrame:
    """Print root mean squared errors of the gap after every batch, and return them."""
    rows = datasets.hiring(4_000, random_state=0)[[*FEATURES, "hired"]]
    source = Janus(structure=CAUSES, random_state=0, n_jobs=1).fit(rows)
    records = [
        record
        for protected, privileged in GROUPS.items()
        for seed in range(n_worlds)
        for record in label_world(source, protected, privileged, seed)
    ]
    frame = pd.DataFrame(records, columns=["protected", "labels", "chosen", "model", "logistic"])
    squared = frame.assign(model=frame["model"] ** 2, logistic=frame["logistic"] ** 2)
    found = squared.groupby(["protected", "labels", "chosen"], sort=False)[["model", "logistic"]].mean() ** 0.5
    print(found.unstack("chosen").round(3).to_string())
    return found


def label_world(source: Janus, protected: str, privileged: Any, seed: int) -> Iterator[tuple[Any, ...]]:
    """Label one pool in three ways; yield the errors of both estimates of the gap after every batch."""
    bias = Bias(protected, privileged, "hired", True, MAGNITUDE)
    planted = plant(source, bias, n=POOL, effect_units=0, random_state=seed, progress=False)
    pool = planted.to_frame()[[*FEATURES, "hired"]].reset_index(drop=True)
    group = planted.privileged()
    true = pool["hired"][group].mean() - pool["hired"][~group].mean()
    for chosen in ("random", "uncertainty", "gap"):
        rng = np.random.default_rng(seed)
        labelled = rng.choice(POOL, FIRST, replace=False)
        for _ in range(ROUNDS + 1):
            model = Janus(structure=CAUSES, schema=Schema.detect(pool), links="off", random_state=0, n_jobs=1)
            model.fit(pool.iloc[labelled], progress=False)
            chance = model.predict_proba(pool, "hired")["True"].to_numpy()
            errors = [gap(one, group) - true for one in (chance, logistic_chance(pool, labelled, group))]
            yield protected, len(labelled), chosen, *errors
            known = pool["hired"].astype("boolean").where(pool.index.isin(labelled))
            fresh = next_rows(model, pool.assign(hired=known), chosen, protected, privileged, rng)
            labelled = np.concatenate([labelled, fresh])


def next_rows(model: Janus, pool: pd.DataFrame, chosen: str, protected: str, privileged: Any, rng: Any) -> Any:
    """Choose the next batch of rows without a label."""
    rest = pool[pool["hired"].isna()]
    if chosen == "random":
        return rng.choice(rest.index, BATCH, replace=False)
    if chosen == "uncertainty":
        epistemic = model.uncertainty(rest, "hired")["hired"]["epistemic"]
        return epistemic.sort_values(ascending=False, kind="stable").index[:BATCH]
    found = model.suggest(pool, BATCH, for_="gap", protected=protected, privileged=privileged, outcome="hired")
    return found.index


def gap(chance: Any, group: Any) -> float:
    """Mean chance of the privileged minus that of the others."""
    return float(chance[group].mean() - chance[~group].mean())


def logistic_chance(pool: pd.DataFrame, labelled: Any, group: Any) -> Any:
    """Chance of all rows by logistic regression on the labelled ones."""
    inputs = pd.get_dummies(pool[FEATURES], drop_first=True).astype(float).assign(group=group.astype(float))
    inputs = inputs.fillna(inputs.median())
    inputs = (inputs - inputs.mean()) / inputs.std().replace(0, 1)
    known = LogisticRegression(max_iter=500).fit(inputs.iloc[labelled], pool["hired"].iloc[labelled])
    return known.predict_proba(inputs)[:, 1]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
