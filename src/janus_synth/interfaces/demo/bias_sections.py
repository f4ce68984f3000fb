"""Results to the section of the demo that is about planted bias."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from janus_synth.fairness.certificate import kinds_of
from janus_synth.interfaces.demo.bias import ALGORITHMS, DIRECT, N_AUDITED
from janus_synth.interfaces.demo.results import Results
from janus_synth.interfaces.demo.section import Section
from janus_synth.interfaces.demo.texts import printed_table
from janus_synth.interfaces.pages import figure, paragraph, table
from janus_synth.interfaces.pictures import detection_curve
from janus_synth.interfaces.pictures.theme import percent

NAMES = {"logistic": "logistic regression", "threshold-optimizer": "fairlearn's ThresholdOptimizer"}


def planted_bias(results: Results) -> Section:
    """A bias of known size, and who finds it."""
    planting = results.planting
    certificate = planting.certificate
    record, effect = certificate.records[0], certificate.effects[0]
    intro = (
        "Whether a fairness algorithm works cannot be seen on data whose bias nobody knows. Here it is planted: "
        f"{percent(DIRECT.magnitude)} of the women who would have been hired are not, and nothing else changes. "
        f"{record.n_turned:,} of {record.n_eligible:,} outcomes were turned, as many as asked for; the fair outcome "
        "stays beside the biased one. What being a man is worth, by intervention on the graph:"
    )
    headings = ("effect on the share hired", "before", "after", "planted")
    cells = [
        (
            kind,
            *(f"{effect.value(world, kind):+.3f}" for world in ("fair", "biased")),
            f"{effect.planted(kind):+.3f}",
        )
        for kind in kinds_of(effect)
    ]
    html = paragraph(intro) + table(headings, cells, numeric=(1, 2, 3))
    told: tuple[RenderableType, ...] = (Text(intro), printed_table(headings, cells))
    suite = planting.suite
    if suite is None:
        html += paragraph(f"No algorithm was audited: {planting.missing}")
        return Section("bias", "Bias of known size", html, (*told, Text(planting.missing)))
    found = {name: sum(case.audit.found for case in suite.cases if case.algorithm == name) for name in ALGORITHMS}
    biased = sum(case.magnitude > 0 for case in suite.cases) // len(ALGORITHMS)
    sentence = (
        f"Three kinds of bias at several sizes, in tables of {N_AUDITED:,} rows. Of {biased} planted biases "
        + " and ".join(f"{found[name]} show in the decisions of {NAMES[name]}" for name in ALGORITHMS)
        + f". Planting and all audits took {planting.seconds:.0f} s."
    )
    html += paragraph(sentence) + figure(
        lambda: [("The gap found in decisions against the gap planted, by kind of bias", detection_curve(suite))],
        caption="Equalising rates by sex hides a bias against all women, and leaves most of one against some of them.",
    )
    return Section("bias", "Bias of known size", html, (*told, Text(sentence)))
