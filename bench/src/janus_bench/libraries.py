"""Context managers for optional libraries of rivals: a clear error if one is missing, and suppressed warnings."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from janus_synth.errors import JanusError


class NotInstalledError(JanusError, ImportError):
    """The library of a rival is not installed."""

    def __init__(self, package: str) -> None:
        super().__init__(f"not installed: pip install {package}")


@contextmanager
def needed(package: str) -> Iterator[None]:
    """Wrap the import of a library that ``pip install package`` provides.

    Examples
    --------
    >>> with needed("no-such-thing"):
    ...     import no_such_thing
    Traceback (most recent call last):
        ...
    janus_bench.libraries.NotInstalledError: not installed: pip install no-such-thing
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.partition(".")[0] == package.replace("-", "_"):
            raise NotInstalledError(package) from error
        raise  # the library is installed, but one of its dependencies is not


@contextmanager
def quiet(*loggers: str) -> Iterator[None]:
    """Suppress warnings, and messages of these loggers below errors."""
    found = [logging.getLogger(name) for name in loggers]
    levels = [logger.level for logger in found]
    for logger in found:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(found, levels, strict=True):
            logger.setLevel(level)
