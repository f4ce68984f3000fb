"""Arguments of a user, checked where they enter: what is wrong is said at once and by name."""

from __future__ import annotations

from typing import Any

import numpy as np

Seed = int | np.random.Generator | None


def seed_of(random_state: Seed) -> int:
    """A plain seed from whatever the user gave; fresh entropy for None."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer) or random_state < 0:
        raise ValueError(f"random_state is {random_state!r}; give a whole number ≥ 0 or a numpy Generator.")
    return int(random_state)


def whole(name: str, value: Any, *, low: int, what: str = "a whole number") -> int:
    """A whole number of at least ``low``, as a plain int."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < low:
        raise ValueError(f"{name} is {value!r}; give {what}, {low} or more.")
    return int(value)


def check_number(name: str, value: object, *, low: float, high: float = np.inf, whole: bool = False) -> None:
    """Refuse what is no number, no whole one, or out of bounds."""
    kind = int | np.integer if whole else int | float | np.integer | np.floating
    if isinstance(value, bool) or not isinstance(value, kind) or not low <= value <= high:
        what = "a whole number" if whole else "a number"
        bound = f"of at least {low:g}" if high == np.inf else f"from {low:g} to {high:g}"
        raise ValueError(f"{name} is {value!r}; give {what} {bound}.")


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse what is none of a few words."""
    if value not in choices:
        raise ValueError(f"{name} is {value!r}; choose one of {', '.join(map(repr, choices))}.")
