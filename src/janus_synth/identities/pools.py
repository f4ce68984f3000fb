"""A locale in, lists of made-up first names, last names, streets and words out; from Faker, where it is installed.

Lists are drawn once per locale with a fixed seed, and combined by the caller: a name is a first name and a last name.
That is fast for many rows, and a row's person depends on nothing but its number.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from typing import NamedTuple

from janus_synth.errors import SchemaError

N_DRAWN = 2000
"""Draws from each list; names that Faker draws often stay frequent."""
DEFAULT_LOCALE = "en_US"
LATIN = (
    "lorem", "ipsum", "dolor", "sit", "amet", "consectetur", "adipiscing", "elit", "sed", "do", "eiusmod", "tempor",
    "incididunt", "ut", "labore", "et", "dolore", "magna", "aliqua", "enim", "ad", "minim", "veniam", "quis", "nostrud",
    "exercitation", "ullamco", "laboris", "nisi", "aliquip", "ex", "ea", "commodo", "consequat", "duis", "aute",
)  # fmt: skip
"""Words of free text without Faker."""


class Pool(NamedTuple):
    """Lists of one locale."""

    first_names: tuple[str, ...]
    last_names: tuple[str, ...]
    streets: tuple[str, ...]
    cities: tuple[str, ...]
    words: tuple[str, ...]


def has_faker() -> bool:
    """Whether Faker is installed."""
    return find_spec("faker") is not None


def pool_of(locale: str | None) -> Pool | None:
    """Lists of a locale; None without Faker.

    Raises
    ------
    SchemaError
        If Faker does not know the locale.
    """
    return _pool(locale or DEFAULT_LOCALE) if has_faker() else None


@lru_cache(maxsize=8)
def _pool(locale: str) -> Pool:
    from faker import Faker

    try:
        fake = Faker(locale)
    except AttributeError as error:
        raise SchemaError(f"Faker does not know the locale {locale!r}. Write one like 'de_DE'.") from error
    fake.seed_instance(0)

    def draw(make: Callable[[], str], n: int = N_DRAWN) -> tuple[str, ...]:
        return tuple(make() for _ in range(n))

    return Pool(
        draw(fake.first_name), draw(fake.last_name), draw(fake.street_address), draw(fake.city), draw(fake.word, 500)
    )
