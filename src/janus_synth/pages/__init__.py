"""Standalone HTML pages: templates, and the values that they show."""

from janus_synth.pages.render import REAL, SYNTHETIC, Section, in_words, percent, render, render_sections

__all__ = ["REAL", "SYNTHETIC", "Section", "in_words", "percent", "render", "render_sections"]
