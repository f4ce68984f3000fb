"""Random rules over the whole language: every row keeps them, all rows come, and verdicts are right.

``JANUS_RANDOM_RULES=2000`` sets how many worlds the slow test tries, ``JANUS_RANDOM_SEED`` where it begins.
"""

from __future__ import annotations

import os
import re
import time
import warnings

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, holds
from janus_synth.errors import InfeasibleError, TimeLimitError, UndecidedError
from random_rules import Writer, random_table

MOST_SECONDS = 60.0
"""CPU time that one request may take."""
N_ROWS = 60
N_REQUESTS = 4


def judge(specs, frame):
    """Where all specs surely hold, and where they may."""
    sure, may = np.ones(len(frame), bool), np.ones(len(frame), bool)
    for spec in specs:
        truth = spec.holds(frame)
        sure, may = sure & truth.sure, may & truth.may
    return sure, may


def try_world(seed):
    """Fit a random table under random rules and sample under random conditions; returns what happened."""
    rng = np.random.default_rng(seed)
    table = random_table(rng)
    keep_rare = bool(seed % 2)
    rules = [Writer(rng, table, learns=True, keep_rare=keep_rare).rule() for _ in range(int(rng.integers(0, 3)))]
    wheres = [Writer(rng, table, learns=False).rule() for _ in range(N_REQUESTS)]
    for spec in wheres:
        check_evaluation(spec, table)
    model = Janus(n_trees=2, rules=[spec.text for spec in rules], keep_rare=keep_rare, n_jobs=1, random_state=seed)
    try:
        model.fit(table)
    except InfeasibleError:
        kept = judge(rules, table)[0].any()
        assert not (keep_rare and kept), f"training rows keep the rules {[s.text for s in rules]}"
        return ["infeasible rules"]
    except UndecidedError:
        return ["undecided rules with products" if has_products([s.text for s in rules]) else "undecided rules"]
    return [try_request(model, table, rules, spec, seed) for spec in wheres]


def has_products(texts):
    """Whether columns are multiplied or divided; a number times a column is linear."""
    return any(re.search(r"[a-z] (\*|/|\*\*) ", text) for text in texts)


def check_evaluation(spec, table):
    """``holds`` agrees with the evaluation in this file."""
    found, truth = holds(spec.text, table), spec.holds(table)
    assert (found >= truth.sure).all(), spec.text
    assert (found <= truth.may).all(), spec.text


def try_request(model, table, rules, where, seed):
    """Sample under a condition, some requests with a key or a share; returns what happened."""
    specs = [*rules, where]
    texts = [spec.text for spec in specs]
    start = time.process_time()
    try:
        rows, kind = ask(model, table, where, seed)
    except InfeasibleError as error:
        if "cannot all differ" in str(error):
            return "too few keys"
        check_infeasible(model, table, specs, where, keep_rare=model.keep_rare, seed=seed)
        return "infeasible"
    except UndecidedError:
        return "undecided with products" if has_products(texts) else "undecided"
    except TimeLimitError:
        return "out of time with products" if has_products(texts) else "out of time"
    finally:
        assert time.process_time() - start < MOST_SECONDS, texts
    if rows is None:
        return kind
    assert len(rows) == N_ROWS, texts
    kept = judge(specs, rows)[1]
    assert kept.all(), f"{(~kept).sum()} rows violate {texts}: {rows[~kept].head(3).to_dict('records')}"
    return kind


def ask(model, table, where, seed):
    """Rows, and what was asked for; keys and shares are checked here."""
    rng = np.random.default_rng([seed, len(where.text)])
    names = [str(name) for name in rng.permutation(table.columns)[:2]]
    levels = [name for name in table.columns if name in "bpcdo" and table[name].notna().any()]
    kind = rng.random()
    if kind < 0.15:
        rows = model.sample(N_ROWS, where=[where.text, f"unique({', '.join(names)})"], random_state=seed)
        assert not rows.duplicated(names).any(), f"rows repeat {names} under {where.text}"
        return rows, "rows with a key"
    if kind < 0.3 and levels:
        name = str(rng.choice(levels))
        level = table[name].dropna().iloc[0]
        try:
            rows = model.sample(N_ROWS, where=where.text, shares={name: {level: 0.3}}, random_state=seed)
        except InfeasibleError:
            if bool(model.check(where.text)):
                return None, "no such share"
            raise
        found = int((rows[name] == level).fillna(False).sum())
        assert abs(found - 0.3 * N_ROWS) < 1, f"{found} rows have {name} == {level!r} under {where.text}"
        return rows, "rows with a share"
    return model.sample(N_ROWS, where=where.text, random_state=seed), "rows"


def check_infeasible(model, table, specs, where, *, keep_rare, seed):
    """No row that the model has seen, or draws under its rules alone, meets a condition that it calls impossible."""
    texts = [spec.text for spec in specs]
    assert not (keep_rare and judge(specs, table)[0].any()), f"training rows keep {texts}"
    assert not bool(model.check(where.text)), texts
    drawn = model.sample(500, random_state=seed)
    assert not judge(specs, drawn)[0].any(), f"drawn rows keep {texts}"


@pytest.mark.parametrize("seed", range(12))
def test_random_rules_hold_in_every_row(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rules that training rows break, or that move other columns
        try_world(seed)


@pytest.mark.slow
def test_many_random_rules_hold_in_every_row():
    first, count = int(os.environ.get("JANUS_RANDOM_SEED", "1000")), int(os.environ.get("JANUS_RANDOM_RULES", "60"))
    problems, outcomes = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(first, first + count):
            try:
                outcomes += try_world(seed)
            except Exception as error:
                problems.append(f"{seed}: {type(error).__name__} {error}")
    print(pd.Series(outcomes).value_counts().to_dict())
    assert not problems, "\n".join(problems)
