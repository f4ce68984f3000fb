"""Made-up rows: persons that agree with themselves, repeats, nulls, and the same values in any number of pieces."""

from __future__ import annotations

import ipaddress
import re
import unicodedata

import numpy as np
import pytest

from janus_synth.identities import pools
from janus_synth.identities.check_digits import keeps
from janus_synth.identities.formats import Weighted
from janus_synth.identities.generate import DOMAINS, PersonalColumn, generate
from janus_synth.identities.recipe import Recipe

NAME = Recipe((Weighted("{A1}{a3-7}", 1),))
ACCOUNT = Recipe(distinct=True)
PEOPLE = [
    PersonalColumn("email", "email", ACCOUNT),
    PersonalColumn("first_name", "first_name", NAME),
    PersonalColumn("last_name", "last_name", NAME, "de_DE"),
    PersonalColumn("agent_name", "name", Recipe((Weighted("{A1}{a3}, {A1}{a5}", 1),))),
    PersonalColumn("agent_email", "email", ACCOUNT),
    PersonalColumn("street", "address", Recipe((Weighted("{A1}{a5} {9:2}", 1),))),
    PersonalColumn("remark", "text", Recipe(words=(2, 2, 3, 3, 4, 4, 5, 6, 9))),
    PersonalColumn("ip", "ip", ACCOUNT),
    PersonalColumn("card", "card", Recipe((Weighted("4{9:15}", 1),), check="luhn", distinct=True, missing=0.3)),
]


@pytest.fixture(params=["faker", "no faker"])
def library(request, monkeypatch):
    """With and without the library of names."""
    if request.param == "faker":
        pytest.importorskip("faker")
    else:
        monkeypatch.setattr(pools, "find_spec", lambda name: None)
    return request.param


def rows(n=400, seed=1, first=0, columns=PEOPLE):
    return {name: cells.texts for name, cells in generate(columns, n, seed=seed, first=first).items()}


def plain(text):
    return unicodedata.normalize("NFKD", text.replace("ß", "ss")).encode("ascii", "ignore").decode().lower()


def test_an_address_fits_the_name_in_its_row(library):
    made = rows()
    for first, last, mail in zip(made["first_name"], made["last_name"], made["email"], strict=True):
        for part in re.findall("[a-z]+", plain(f"{first} {last}")):
            assert part in mail
    for name, mail in zip(made["agent_name"], made["agent_email"], strict=True):
        assert all(part in mail for part in re.findall("[a-z]+", plain(name)))


def test_two_persons_of_a_row_differ(library):
    made = rows()
    assert (
        np.mean([a.split("@")[0] != b.split("@")[0] for a, b in zip(made["email"], made["agent_email"], strict=True)])
        > 0.9
    )


def test_pieces_make_up_the_whole(library):
    whole, piece = rows(300), rows(50, first=120)
    assert all(piece[name] == whole[name][120:170] for name in whole)


def test_seeds_differ_and_repeat(library):
    assert rows(50) == rows(50)
    assert rows(50, seed=2)["email"] != rows(50)["email"]


def test_keys_are_distinct(library):
    made = rows(5_000)
    assert all(len(set(made[name])) == 5_000 for name in ("email", "agent_email", "ip", "card"))


def test_values_have_the_shape_of_their_role(library):
    made = rows()
    assert all(mail.split("@")[1] in DOMAINS for mail in made["email"])
    assert all(ipaddress.ip_address(text) for text in made["ip"])
    assert all(keeps("luhn", text) and text.startswith("4") for text in made["card"])
    assert all(1 <= len(text.split()) <= 9 for text in made["remark"])
    assert all(re.search(r"\d", text) or library == "faker" for text in made["street"])


def test_without_faker_names_keep_their_format(monkeypatch):
    monkeypatch.setattr(pools, "find_spec", lambda name: None)
    assert all(re.fullmatch("[A-Z][a-z]{3,7}", text) for text in rows()["first_name"])


def test_addresses_of_version_six_are_for_documentation():
    column = PersonalColumn("ip", "ip", Recipe((Weighted("2001:db8::{*4}", 1),), distinct=True))
    made = rows(columns=[column])["ip"]
    assert all(ipaddress.ip_address(text) in ipaddress.ip_network("2001:db8::/32") for text in made)
    assert len(set(made)) == len(made)


def test_cells_are_missing_as_often_as_they_were():
    missing = generate(PEOPLE, 5_000, seed=0)["card"].missing
    assert abs(missing.mean() - 0.3) < 0.032  # five standard errors
    assert not generate(PEOPLE, 100, seed=0)["email"].missing.any()


def test_equal_values_stay_equal_and_as_frequent(library):
    recipe = Recipe(repeats=((60, 1), (20, 2)))
    columns = [PersonalColumn("name", "name", NAME), PersonalColumn("mail", "email", recipe, keep_equal=True)]
    made = rows(5_000, columns=columns)
    mails, counts = np.unique(made["mail"], return_counts=True)
    assert len(mails) == 3
    np.testing.assert_allclose(np.sort(counts / 5_000), [0.2, 0.2, 0.6], atol=0.035)  # five standard errors
    assert len(set(zip(made["mail"], made["name"], strict=True))) == 3


def test_an_account_that_repeats_does_not_drag_other_persons_along():
    columns = [*PEOPLE[:3], PersonalColumn("rep", "email", Recipe(repeats=((9, 2),)), keep_equal=True)]
    made = rows(1_000, columns=columns)
    assert len(set(made["rep"])) == 2
    assert len(set(made["email"])) == 1_000


def test_no_rows_are_no_problem(library):
    assert all(texts == [] for texts in rows(0).values())
