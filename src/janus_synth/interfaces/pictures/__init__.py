"""Tables and graphs to charts, one idea each; altair and vl-convert come with the extra ``plots``."""

from janus_synth.interfaces.pictures.arrows import arrow_use
from janus_synth.interfaces.pictures.association import association_picture
from janus_synth.interfaces.pictures.graph import graph_picture
from janus_synth.interfaces.pictures.marginals import column_pictures, marginals_picture
from janus_synth.interfaces.pictures.theme import REAL, SYNTHETIC, missing_extra, to_svg
from janus_synth.interfaces.pictures.zone import zone_picture

__all__ = [
    "REAL",
    "SYNTHETIC",
    "arrow_use",
    "association_picture",
    "column_pictures",
    "graph_picture",
    "marginals_picture",
    "missing_extra",
    "to_svg",
    "zone_picture",
]
