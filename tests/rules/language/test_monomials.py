"""Products of powers: merging, printing and limits."""

from __future__ import annotations

import pytest

from janus_synth.errors import RuleError
from janus_synth.rules.language.monomials import MAX_PRODUCTS, Product, format_product, merge_products, multiply_factors


def test_products_of_the_same_columns_are_added_in_any_order():
    found = merge_products([Product((("a", 1), ("b", 2)), 2), Product((("c", 2),)), Product((("b", 2), ("a", 1)), 3)])
    assert found == (Product((("a", 1), ("b", 2)), 5), Product((("c", 2),)))


def test_products_that_cancel_are_dropped():
    assert merge_products([Product((("a", 2),)), Product((("a", 2),), -1)]) == ()


@pytest.mark.parametrize(
    ("product", "text"),
    [
        (Product((("a", 1), ("b", 1))), "a * b"),
        (Product((("a", 2), ("b c", -1)), -3), "3 * a ** 2 / `b c`"),
        (Product((("a", -1), ("b", -2))), "1 / a / b ** 2"),
    ],
)
def test_products_print_without_their_sign(product, text):
    assert format_product(product) == text


def test_columns_above_and_below_are_an_error():
    with pytest.raises(RuleError, match="both multiplied and divided"):
        multiply_factors((("a", 2),), (("a", -1),))


def test_powers_and_numbers_of_products_are_limited():
    with pytest.raises(RuleError, match="a power is at most 4"):
        multiply_factors((("a", 3),), (("a", 2),))
    with pytest.raises(RuleError, match="at most"):
        merge_products(Product((("a", 1), (f"b{i}", 1))) for i in range(MAX_PRODUCTS + 1))
