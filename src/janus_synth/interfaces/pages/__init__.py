"""Standalone pages: one style, figures, tables, and the page around them."""

from janus_synth.interfaces.pages.page import Part, page_of
from janus_synth.interfaces.pages.parts import Html, embedded, figure, paragraph, source_key, table
from janus_synth.interfaces.pages.style import STYLE

__all__ = ["STYLE", "Html", "Part", "embedded", "figure", "page_of", "paragraph", "source_key", "table"]
