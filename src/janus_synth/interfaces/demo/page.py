"""What the demo needs of a page: the pieces that all pages share."""

from janus_synth.interfaces.pages import embedded, figure, page_of, paragraph, table

__all__ = ["embedded", "figure", "page_of", "paragraph", "table"]
