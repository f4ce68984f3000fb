"""Lists of made-up names by locale; without Faker there are none."""

from __future__ import annotations

import pytest

from janus_synth.errors import SchemaError
from janus_synth.identities import pools


def test_locales_have_names_of_their_own():
    pytest.importorskip("faker")
    german, english = pools.pool_of("de_DE"), pools.pool_of(None)
    assert german is not None
    assert english is not None
    assert len(set(german.last_names) & set(english.last_names)) < 0.1 * len(set(german.last_names))
    assert pools.pool_of("de_DE") is german


def test_an_unknown_locale_is_named():
    pytest.importorskip("faker")
    with pytest.raises(SchemaError, match="'xx_XX'"):
        pools.pool_of("xx_XX")


def test_without_faker_there_is_no_pool(monkeypatch):
    monkeypatch.setattr(pools, "find_spec", lambda name: None)
    assert pools.pool_of("de_DE") is None
    assert not pools.has_faker()
