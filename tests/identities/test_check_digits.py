"""Check digits, against published examples."""

from __future__ import annotations

import pytest

from janus_synth.identities.check_digits import FEWEST, correct, find_scheme, keeps

VALID = {
    "luhn": ["4111 1111 1111 1111", "5500-0000-0000-0004", "378282246310005", "490154203237518"],
    "iban": ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432", "NO9386011117947", "FR1420041010050500013M02606"],
    "ean13": ["978-0-306-40615-7", "9783161484100"],
    "isbn10": ["0-306-40615-2", "080442957X"],
}
CASES = [(scheme, text) for scheme, texts in VALID.items() for text in texts]


@pytest.mark.parametrize(("scheme", "text"), CASES)
def test_published_numbers_are_kept_and_found(scheme, text):
    assert keeps(scheme, text)
    assert correct(scheme, text) == text
    assert find_scheme([text] * FEWEST) == scheme


@pytest.mark.parametrize(("scheme", "text"), CASES)
def test_a_wrong_check_digit_is_noticed_and_corrected(scheme, text):
    at = 3 if scheme == "iban" else len(text) - 1
    wrong = text[:at] + ("1" if text[at] != "1" else "2") + text[at + 1 :]
    assert not keeps(scheme, wrong)
    assert correct(scheme, wrong) == text


@pytest.mark.parametrize("text", ["", "12", "no digits", "DE", "x" * 40, "٣٤٥٦٧٨٩٠"])
def test_other_texts_keep_no_scheme_and_stay_as_they_are(text):
    assert find_scheme([text] * FEWEST) is None
    assert all(correct(scheme, text) == text for scheme in VALID)


def test_few_texts_are_not_enough():
    assert find_scheme(VALID["luhn"][:1] * (FEWEST - 1)) is None


def test_one_text_that_breaks_the_scheme_is_enough_to_reject_it():
    assert find_scheme(["4111111111111111"] * 20 + ["4111111111111112"]) is None
