"""Checks of user arguments: a name and a value in; the value, or a ``ValueError`` that names the argument, out."""

from __future__ import annotations

from typing import Any

import numpy as np

Seed = int | np.random.Generator | None


def make_seed(random_state: Seed) -> int:
    """Turn ``random_state`` into an integer seed: fresh entropy for None, one draw from a Generator."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer) or random_state < 0:
        raise ValueError(f"random_state is {random_state!r}; give an integer of at least 0, or a numpy Generator.")
    return int(random_state)


def check_integer(name: str, value: Any, *, low: int, high: int | None = None, what: str = "an integer") -> int:
    """Return ``value`` as an int; raise ValueError unless it is an integer from ``low`` to ``high``."""
    is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_integer or value < low or (high is not None and value > high):
        raise ValueError(f"{name} is {value!r}; give {what} {_bounds(low, high)}.")
    return int(value)


def check_number(name: str, value: Any, *, low: float, high: float | None = None) -> None:
    """Raise ValueError unless ``value`` is a number from ``low`` to ``high``; NaN is not."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not low <= value or (high is not None and not value <= high):
        raise ValueError(f"{name} is {value!r}; give a number {_bounds(low, high)}.")


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise ValueError unless ``value`` is one of ``choices``."""
    if value not in choices:
        raise ValueError(f"{name} is {value!r}; choose one of {', '.join(map(repr, choices))}.")


def _bounds(low: float, high: float | None) -> str:
    return f"of at least {low:g}" if high is None else f"from {low:g} to {high:g}"
