"""A library's name to the library, or to an error that says how to get it: rivals are reported, never faked."""

from __future__ import annotations

import importlib
from typing import Any

from janus_synth.errors import JanusError


class NotInstalledError(JanusError, ImportError):
    """A rival's library is not here."""

    def __init__(self, package: str) -> None:
        super().__init__(f"not installed: pip install {package}")


def library(module: str, package: str) -> Any:
    """Import ``module``, which ``pip install package`` brings; its types are not at hand.

    Examples
    --------
    >>> library("no_such_thing", "no-such-thing")
    Traceback (most recent call last):
        ...
    janus_synth.bench.counterfactual.libraries.NotInstalledError: not installed: pip install no-such-thing
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and module.split(".")[0] == error.name.split(".")[0]:
            raise NotInstalledError(package) from error
        raise  # the library is here, but something it needs is not: another matter
