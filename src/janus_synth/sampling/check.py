"""Whether a request can be met: a model and conditions in, a witness row or the rules that clash out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from janus_synth.deadlines import check_time
from janus_synth.errors import InfeasibleError, UndecidedError
from janus_synth.model import Model, write_rows
from janus_synth.rules import Where
from janus_synth.rules.feasibility import check_feasible
from janus_synth.sampling.conditional import rows_from_witness, sample_conditional
from janus_synth.sampling.particles import draw_remaining
from janus_synth.sampling.plan import (
    Plan,
    bound_rules,
    plan_from_rows,
    rules_on_inputs,
    texts_of_links,
    with_links,
)
from janus_synth.sampling.request import Request, make_request
from janus_synth.streams import PLAN_SEED
from janus_synth.table import Table


@dataclass(frozen=True, slots=True)
class Check:
    """Whether a request can be met: true or false in a condition.

    Parameters
    ----------
    feasible : bool
        Whether some row keeps all rules.
    witness : DataFrame or None
        Such a row, if it was asked for.
    conflict : tuple of str
        A minimal set of rules that clash: without any one of them the others can be met.
    reason : str
        Why they clash, in words.
    """

    feasible: bool
    witness: Any
    conflict: tuple[str, ...]
    reason: str

    def __bool__(self) -> bool:
        return self.feasible

    def __str__(self) -> str:
        return "feasible" if self.feasible else self.reason

    def _repr_html_(self) -> str:
        """Render as a table for notebooks: the witness, or the rules that clash."""
        import narwhals as nw

        from janus_synth.pages import render  # Jinja is slow to import

        if not self.feasible:
            rows: list[tuple[Any, ...]] = [(rule,) for rule in self.conflict]
            return render("table.html.j2", caption=self.reason, headings=("rules that clash",), rows=rows)
        if self.witness is None:
            return render("table.html.j2", caption="feasible", headings=(), rows=())
        named = nw.from_native(self.witness, eager_only=True)
        rows = list(zip(named.columns, named.row(0), strict=True))
        caption = "feasible: this row satisfies everything"
        return render("table.html.j2", caption=caption, headings=("column", "value"), rows=rows)


def check(model: Model, where: Where = None, *, witness: bool = True) -> Check:
    """Whether some row keeps the model's rules and meets a request, with a witness or the rules that clash.

    Without ``witness`` the solver decides alone, and no row is made. Where rules are too hard to decide, rows of the
    model are tried; ``UndecidedError`` if none of them keeps the rules.
    """
    rules = bound_rules(model, where)
    try:
        found = check_feasible(with_links(model, rules), model.schema, model.codec, computed=texts_of_links(model))
    except UndecidedError:
        check_time()
        plan = plan_from_rows(model, rules_on_inputs(model, rules))
        if plan is None:
            raise
        row = sample_conditional(plan, 1, seed=PLAN_SEED)
        return Check(True, write_rows(model, row, rng=np.random.default_rng(PLAN_SEED)), (), "")
    if not found.feasible:
        return Check(False, None, tuple(map(str, found.conflict)), found.reason)
    if not witness:
        return Check(True, None, (), "")
    rng = np.random.default_rng(PLAN_SEED)
    request = make_request(model, rules_on_inputs(model, rules), box=found.box)
    try:
        row = _witness_row(request, found.witness or {}, rng)
    except InfeasibleError as error:
        return Check(False, None, tuple(map(str, rules)), str(error))
    return Check(True, write_rows(model, row, rng=rng), (), "")


def _witness_row(request: Request, witness: Mapping[str, float | None], rng: np.random.Generator) -> Table:
    """A row that keeps all rules: around the witness of the solver, or, if computed columns contradict it, a draw."""
    try:
        columns = draw_remaining(request, rows_from_witness(request, witness, 1, rng), rng)
    except InfeasibleError:
        return sample_conditional(Plan(request, {}), 1, seed=PLAN_SEED)
    return Table(request.model.schema, columns, 1)
