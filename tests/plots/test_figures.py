from __future__ import annotations

import re

from janus_synth.plots.figures import embed_svg
from page_reader import Reader


def test_pictures_side_by_side_do_not_share_ids():
    svg = '<svg width="1"><clipPath id="clip1"></clipPath><g clip-path="url(#clip1)"><text>id="clip1</text></g></svg>'
    other = svg.replace('"1"', '"2"')
    both = embed_svg(svg, 'a "label"') + embed_svg(other, "b")
    reader = Reader(both)
    assert len(set(reader.ids)) == 2
    assert set(re.findall(r"url\(#([^)]+)\)", both)) == set(reader.ids)
    assert '>id="clip1<' in both  # what is shown is left alone


def test_places_in_pictures_are_rounded_and_texts_are_not():
    svg = '<svg><path transform="translate(1.23456,7)" d="M0.5,12.000001h3.14159"/><text>0.12345</text></svg>'
    assert '<path transform="translate(1.23,7)" d="M0.5,12h3.14"/><text>0.12345</text>' in embed_svg(svg, "x")
