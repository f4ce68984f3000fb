from __future__ import annotations

import pytest

from janus_synth.shortcuts import HOMES, shortcut


@pytest.mark.parametrize("name", HOMES)
def test_every_shortcut_leads_to_a_public_function(name):
    assert callable(shortcut(name))


def test_others_are_unknown():
    with pytest.raises(KeyError):
        shortcut("anything")
