"""Standalone pages: templates, and the values that they show."""

from janus_synth.interfaces.pages.figures import draw, embedded
from janus_synth.interfaces.pages.render import Section, render, render_sections

__all__ = ["Section", "draw", "embedded", "render", "render_sections"]
