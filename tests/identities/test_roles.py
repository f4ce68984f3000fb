"""Roles by content and by name, and what must not be taken for a person."""

from __future__ import annotations

import pytest

from janus_synth.identities.roles import find_role, looks_like_text, person_of, role_by_name

PERSONAL = [
    ("contact", ["ada@example.org", "kurt.goedel@ias.edu"], "email"),
    ("host", ["10.0.0.1", "192.168.3.77"], "ip"),
    ("host", ["2001:db8::1", "fe80::1ff:fe23:4567:890a"], "ip"),
    ("account", ["DE89370400440532013000", "GB82WEST12345698765432"], "iban"),
    ("payment", ["4111 1111 1111 1111", "5500000000000004"], "card"),
    ("number", ["+49 170 1234567", "+1 212 5550100"], "phone"),
    ("telephone", ["0170 1234567", "030/445566"], "phone"),
    ("x", ["078-05-1120", "219-09-9999"], "national_id"),
    ("passport", ["C01X00T47", "L8988901C"], "national_id"),
    ("link", ["https://example.org/a", "www.example.org"], "url"),
    ("isbn", ["978-0-306-40615-7", "9783161484100"], "book"),
    ("Nachname", ["Gödel", "von Neumann"], "last_name"),
    ("firstName", ["Ada", "Kurt"], "first_name"),
    ("name", ["Ada Lovelace", "Kurt Gödel"], "name"),
    ("patient_name", ["Ada Lovelace", "Gödel, Kurt"], "name"),
    ("Street address", ["12 High Street", "Am Markt 3"], "address"),
    ("user_name", ["ada17", "kurt_g"], "username"),
]
NOT_PERSONAL = [
    ("town", ["Rome", "Oslo"]),
    ("product_name", ["Blue Chair", "Red Table"]),
    ("name", ["corolla", "golf"]),
    ("day", ["2024-01-31", "2024-02-01"]),
    ("time", ["12:30", "14:05"]),
    ("version", ["1.2.3", "10.0"]),
    ("card_type", ["debit", "credit"]),
    ("phone", ["yes", "no"]),
    ("code", ["1234567890123456", "1234567890123457"]),
    ("ip", ["left", "right"]),
    ("empty", []),
]


@pytest.mark.parametrize(("name", "texts", "role"), PERSONAL)
def test_personal_columns_are_recognised(name, texts, role):
    assert find_role(name, texts) == role


@pytest.mark.parametrize(("name", "texts"), NOT_PERSONAL)
def test_other_columns_are_not(name, texts):
    assert find_role(name, texts) is None


def test_a_few_odd_values_do_not_hide_a_role():
    assert find_role("c", ["a@example.org"] * 95 + ["none"] * 5) == "email"
    assert find_role("c", ["a@example.org"] * 50 + ["none"] * 50) is None


def test_columns_of_one_person_are_found_by_name():
    assert person_of("buyer_first_name") == person_of("buyer email") == "buyer"
    assert person_of("last_name") == person_of("E-Mail") == ""


def test_a_name_alone_suggests_no_more_than_it_says():
    assert role_by_name("income") is None
    assert role_by_name("Full Name") == "name"


def test_free_text_has_several_words():
    assert looks_like_text(["the parcel came too late", "please call me back"])
    assert not looks_like_text(["blue", "dark green"])
    assert not looks_like_text([])
