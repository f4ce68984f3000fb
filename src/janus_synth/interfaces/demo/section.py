"""One part of the demo, told twice: for the console and for the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

    from janus_synth.interfaces.demo.results import Results


@dataclass(frozen=True, slots=True)
class Section:
    """A finding.

    Attributes
    ----------
    name : str
        Its anchor in the page.
    title : str
        Its heading, on both.
    html : str
        Its body in the page, everything escaped.
    printed : tuple of rich renderables
        Its body on the console; empty where only a picture would tell something.
    """

    name: str
    title: str
    html: str
    printed: tuple[RenderableType, ...] = ()


if TYPE_CHECKING:
    MakeSection = Callable[[Results], Section]
