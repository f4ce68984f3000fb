"""Standalone HTML pages: templates, and the values that they show."""

from janus_synth.pages.render import Section, render, render_sections
from janus_synth.pages.style import REAL, SYNTHETIC, percent

__all__ = ["REAL", "SYNTHETIC", "Section", "percent", "render", "render_sections"]
