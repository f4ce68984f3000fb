"""Tables and graphs in, charts out; altair and vl-convert come with the extra ``plots``."""

from janus_synth.pages import REAL, SYNTHETIC
from janus_synth.plots.arrows import arrow_use
from janus_synth.plots.association import association_picture
from janus_synth.plots.before_after import before_after
from janus_synth.plots.detection import detection_curve
from janus_synth.plots.disclosure import disclosure_picture
from janus_synth.plots.effects import effect_curve
from janus_synth.plots.graph import graph_of_model, graph_picture
from janus_synth.plots.marginals import column_pictures, marginals_picture
from janus_synth.plots.pairs import pairs_picture
from janus_synth.plots.sizes import epistemic_by_size
from janus_synth.plots.terrain import Plane, Terrain, plane_of, terrain_of, uncertainty_terrain
from janus_synth.plots.theme import (
    FAINT,
    INK,
    MUTED,
    Chart,
    altair,
    apply_theme,
    inline,
    missing_extra,
    title_of,
    to_png,
    to_svg,
)
from janus_synth.plots.uncertainty import uncertainty_picture
from janus_synth.plots.zone import zone_picture

__all__ = [
    "FAINT",
    "INK",
    "MUTED",
    "REAL",
    "SYNTHETIC",
    "Chart",
    "Plane",
    "Terrain",
    "altair",
    "apply_theme",
    "arrow_use",
    "association_picture",
    "before_after",
    "column_pictures",
    "detection_curve",
    "disclosure_picture",
    "effect_curve",
    "epistemic_by_size",
    "graph_of_model",
    "graph_picture",
    "inline",
    "marginals_picture",
    "missing_extra",
    "pairs_picture",
    "plane_of",
    "terrain_of",
    "title_of",
    "to_png",
    "to_svg",
    "uncertainty_picture",
    "uncertainty_terrain",
    "zone_picture",
]
