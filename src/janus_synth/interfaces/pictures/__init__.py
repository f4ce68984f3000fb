"""Tables and graphs to charts, one idea each; altair and vl-convert come with the extra ``plots``."""

from janus_synth.interfaces.pictures.arrows import arrow_use
from janus_synth.interfaces.pictures.association import association_picture
from janus_synth.interfaces.pictures.before_after import before_after
from janus_synth.interfaces.pictures.detection import detection_curve
from janus_synth.interfaces.pictures.effects import effect_curve
from janus_synth.interfaces.pictures.graph import graph_picture
from janus_synth.interfaces.pictures.marginals import column_pictures, marginals_picture
from janus_synth.interfaces.pictures.sizes import epistemic_by_size
from janus_synth.interfaces.pictures.terrain import Plane, Terrain, plane_of, terrain_of, uncertainty_terrain
from janus_synth.interfaces.pictures.theme import REAL, SYNTHETIC, missing_extra, to_svg
from janus_synth.interfaces.pictures.zone import zone_picture

__all__ = [
    "REAL",
    "SYNTHETIC",
    "Plane",
    "Terrain",
    "arrow_use",
    "association_picture",
    "before_after",
    "column_pictures",
    "detection_curve",
    "effect_curve",
    "epistemic_by_size",
    "graph_picture",
    "marginals_picture",
    "missing_extra",
    "plane_of",
    "terrain_of",
    "to_svg",
    "uncertainty_terrain",
    "zone_picture",
]
