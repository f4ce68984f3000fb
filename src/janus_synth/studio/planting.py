"""A bias in; a table with the bias planted, its certificate and audits of three algorithms out."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from janus_synth.errors import JanusError
from janus_synth.files import write_whole
from janus_synth.studio.interventions import as_assignment

if TYPE_CHECKING:
    from janus_synth.fairness import Certificate
    from janus_synth.janus import Janus
    from janus_synth.table import Schema

Tell = Callable[[dict[str, Any]], None]
ALGORITHMS = ("logistic", "exponentiated-gradient", "threshold-optimizer")
N_ROWS = 3_000
N_SPLITS = 5


def mediators(janus: Janus, protected: str, outcome: str) -> dict[str, Any]:
    """Columns on directed paths between two columns, and the edges of these paths."""
    dag = janus.dag_
    below = dag.descendants
    if janus.schema_[outcome].name not in below(protected):  # an unknown column raises
        return {"mediators": [], "edges": [], "reaches": False}
    between = [name for name in dag.columns if name in below(protected) and outcome in below(name)]
    on_paths = {protected, outcome, *between}
    edges = [list(edge) for edge in dag.edges if set(edge) <= on_paths]
    return {"mediators": between, "edges": edges, "reaches": True}


def read_bias(body: Mapping[str, Any]) -> dict[str, Any]:
    """A bias as the page states it: names of columns, groups as for interventions, and a size.

    Examples
    --------
    >>> read_bias({"protected": "sex", "privileged": {"level": 1}, "outcome": "hired", "favourable": {"level": 1},
    ...            "magnitude": 0.2, "path": "direct"})["magnitude"]
    0.2
    """
    given: dict[str, Any] = {name: body.get(name, "") for name in ("protected", "outcome", "path")}
    groups = {name: body.get(name) for name in ("privileged", "favourable")}
    size = body.get("magnitude")
    if not all(isinstance(text, str) and text for text in given.values()):
        raise ValueError("choose a protected column, an outcome and a path.")
    if not all(isinstance(spec, dict) for spec in groups.values()):
        raise ValueError("choose who is privileged, and which outcomes are favourable.")
    if isinstance(size, bool) or not isinstance(size, int | float) or not math.isfinite(size):
        raise ValueError("the size of a bias is a number from -1 to 1.")
    return {**given, **groups, "magnitude": float(size)}


def plant_and_audit(task: dict[str, Any], tell: Tell) -> None:
    """Plant a bias, audit algorithms against it, and write what was found."""
    from janus_synth import Janus
    from janus_synth.fairness import plant
    from janus_synth.table.files import write_frame

    janus = Janus.load(task["model"]).set_params(trust_graph=task["trusted"])
    bias = make_bias(janus.schema_, task["bias"])
    total = 1 + len(ALGORITHMS)
    tell({"progress": ["planting the bias", 0, total]})
    planted = plant(janus, bias, N_ROWS)
    audits = {}
    for done, name in enumerate(ALGORITHMS, start=1):
        tell({"progress": [f"auditing {name}", done, total]})
        audits[name] = _audit_algorithm(name, planted)
    write_frame(planted.to_frame(), task["rows"], schema=janus.schema_)
    write_whole(task["page"], planted.certificate.to_html())
    found = {"bias": str(bias), "asked": task["bias"], **describe_certificate(planted.certificate), "audits": audits}
    write_whole(task["answer"], json.dumps(found, ensure_ascii=False, allow_nan=False))


def make_bias(schema: Schema, given: Mapping[str, Any]) -> Any:
    """The bias that the page states."""
    from janus_synth.fairness import Bias

    groups = {
        "privileged": as_assignment(schema[given["protected"]], given["privileged"]),
        "favourable": as_assignment(schema[given["outcome"]], given["favourable"]),
    }
    return Bias(**{**given, **groups})


def _audit_algorithm(name: str, planted: Any) -> dict[str, Any]:
    """The audit of one algorithm, or why there is none."""
    from janus_synth.fairness import algorithm, audit

    try:
        return audit(algorithm(name), planted, name=name, n_splits=N_SPLITS).to_dict()
    except JanusError as error:
        return {"error": str(error)}


def describe_certificate(certificate: Certificate) -> dict[str, Any]:
    """Plain values of a certificate: biases as planted, favourable rates and effects in each world."""
    from janus_synth.fairness.records import WORLDS, kinds_of

    effects = [
        {"title": f"{' and '.join(one.protected)} on {one.outcome}", "kind": kind,
         **{world: {name: _plain(x) for name, x in one.estimate(world, kind).items()} for world in WORLDS}}
        for one in certificate.effects for kind in kinds_of(one)
    ]  # fmt: skip
    records = [
        {"text": str(one.bias), "asked": one.asked, "realised": one.realised, "n_turned": one.n_turned,
         "n_eligible": one.n_eligible}
        for one in certificate.records
    ]  # fmt: skip
    rates = [
        {"outcome": one.outcome, "group": one.group, "n": one.n,
         **{world: _plain(getattr(one, world)) for world in WORLDS}}
        for one in certificate.rates
    ]  # fmt: skip
    counts = {name: getattr(certificate, name) for name in ("n_rows", "n_turned", "n_changed", "graph_given")}
    return {**counts, "records": records, "rates": rates, "effects": effects}


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None
