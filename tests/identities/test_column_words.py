"""What the words of a column's name say: a role, and whose column it is."""

from __future__ import annotations

import pytest

from janus_synth.identities.column_words import person_of, role_by_name, tells_of_people, tokens_of


def test_words_are_compared_without_accents_and_capitals():
    assert tokens_of("Número_deTeléfono") == ("numero", "de", "telefono")
    assert role_by_name("TELÉFONO") == role_by_name("telefono") == "phone"
    assert role_by_name("Straße") == role_by_name("STRASSE") == "address"


def test_columns_of_one_person_are_found_by_name():
    assert person_of("buyer_first_name") == person_of("buyer email") == "buyer"
    assert person_of("last_name") == person_of("E-Mail") == ""


def test_a_name_alone_suggests_no_more_than_it_says():
    assert role_by_name("income") is None
    assert role_by_name("Full Name") == "name"


@pytest.mark.parametrize("name", ["customer", "Kunde", "assigned to", "erstellt von", "sales_rep"])
def test_some_names_tell_of_people(name):
    assert tells_of_people(name)


@pytest.mark.parametrize("name", ["customer_age", "created_at", "by", "", "42"])
def test_others_do_not(name):
    assert not tells_of_people(name)
