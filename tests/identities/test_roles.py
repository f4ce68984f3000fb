"""Roles by content and by name, and what must not be taken for a person."""

from __future__ import annotations

import pytest

from janus_synth.identities.roles import FEW_NAMES, find_role, looks_like_text, points_to_accounts

WORDS = ("Gödel", "von Neumann", "de la Cruz", "Noether", "Lee")
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
    ("Número de teléfono", ["612 345 678", "698765432"], "phone"),
    ("電話", ["03-1234-5678", "090-1111-2222"], "phone"),
    ("姓名", ["李小明", "欧阳锋"], "name"),
    ("الاسم", ["محمد علي", "فاطمة حسن"], "name"),
    ("ФИО", ["Иванов Иван Петрович", "Сидорова Анна Ивановна"], "name"),
    ("nombre_completo", ["María José García López", "Juan Pérez Ruiz"], "name"),
    ("nombre", ["María García López", "Juan Pérez Ruiz"], "name"),
    ("codice fiscale", ["RSSMRA85T10A562S", "VRDLGI90A01F205X"], "national_id"),
    ("Kennzeichen", ["B-MW 1234", "M-XY 99"], "format"),
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
    ("plate", ["steel", "copper"]),
    ("rfc", ["Thu, 01 Dec 2022 15:25:44", "Fri, 02 Apr 2021 19:28:41"]),
]
MANY = range(FEW_NAMES + 5)
PEOPLE = [f"{first} {last}" for first in ("Ada", "Kurt", "Emmy", "Jean-Luc", "Bo") for last in WORDS]
FIRMS = [f"{last} {form}" for form in ("Ltd", "GmbH", "& Sons", "Inc.", "Co") for last in WORDS]


@pytest.mark.parametrize(("name", "texts", "role"), PERSONAL)
def test_personal_columns_are_recognised(name, texts, role):
    assert find_role(name, texts) == role


@pytest.mark.parametrize(("name", "texts"), NOT_PERSONAL)
def test_other_columns_are_not(name, texts):
    assert find_role(name, texts) is None


@pytest.mark.parametrize("column", ["customer", "Patient", "sales_rep", "Ansprechpartner", "assigned_to", "患者"])
def test_a_word_for_people_and_names_make_a_column_of_names(column):
    assert find_role(column, PEOPLE) == "name"
    assert find_role(column, FIRMS) is None
    assert find_role(column, [f"C{i:04d}x y" for i in MANY]) is None
    assert find_role(column, PEOPLE[:4]) is None  # a few are members of a team


def test_who_did_something_is_an_account():
    assert find_role("created_by", [f"ada.{i}" for i in MANY]) == "username"
    assert find_role("created_by", ["system", "admin"]) is None
    assert find_role("paid_by", [f"ada.{i}" for i in MANY]) is None


@pytest.mark.parametrize(
    "texts",
    [
        ["ada@example.org; kurt@example.org", "emmy@example.org"],
        ["Ada Lovelace <ada@example.org>"],
        ["called 3 times", "mail to ada@example.org"],
        ["10.0.0.1:443", "192.168.1.0/24"],
        ["00:1a:2b:3c:4d:5e", "00-1A-2B-3C-4D-5F"],
        ["123e4567-e89b-42d3-a456-426614174000"],
    ],
)
def test_addresses_among_other_words_point_to_accounts(texts):
    assert points_to_accounts(texts)


@pytest.mark.parametrize("texts", [["98.0.4758.102", "1.2.3.4"], ["@home", "meet @ 5.pm"], ["deadbeef"], []])
def test_versions_and_stray_signs_do_not(texts):
    assert not points_to_accounts(texts)


def test_a_few_odd_values_do_not_hide_a_role():
    assert find_role("c", ["a@example.org"] * 95 + ["none"] * 5) == "email"
    assert find_role("c", ["a@example.org"] * 50 + ["none"] * 50) is None


def test_free_text_has_several_words():
    assert looks_like_text(["the parcel came too late", "please call me back"])
    assert not looks_like_text(["blue", "dark green"])
    assert not looks_like_text([])
