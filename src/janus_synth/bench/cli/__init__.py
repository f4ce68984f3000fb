"""One command per benchmark: options in, tables, pictures and dated files out."""

from janus_synth.bench.cli import (  # noqa: F401  each module adds its commands to the group
    ablation,
    assemble,
    constrained,
    counterfactual,
    everything,
    exact,
    fairness,
    fidelity,
    mode_collapse,
    scalability,
    show,
    speed,
    structure,
    uncertainty,
)
from janus_synth.bench.cli.app import app, main

__all__ = ["app", "main"]
