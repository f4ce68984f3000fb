"""Models that are asked about causes: who vouches for their graphs, and what is said if nobody does."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from janus_synth.cli.show import complain, warnings_told
from janus_synth.errors import LearntGraphWarning

if TYPE_CHECKING:
    from janus_synth.janus import Janus

DOUBT = (
    "this graph was learnt from rows, and answers are causal only if its arrows are. Give the graph you believe in "
    "with janus fit --structure, or vouch for this one with --trust-graph."
)


def causal_model(path: str, *, trust_graph: bool, jobs: int | None) -> Janus:
    """A model from a file, its graph vouched for if so said."""
    from janus_synth.janus import Janus

    learnt = Janus.load(path)
    if jobs is not None:
        learnt.set_params(n_jobs=jobs)
    return learnt.set_params(trust_graph=True) if trust_graph else learnt


@contextlib.contextmanager
def doubts_told(*, quiet: bool) -> Iterator[None]:
    """Tell what the library warns of, a learnt graph in the words of the command line; nothing if ``quiet``."""
    with warnings_told(quiet=quiet):
        tell = warnings.showwarning

        def retell(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, LearntGraphWarning):
                complain("warning", DOUBT, style="bold yellow")
            else:
                tell(message, category, *where, **more)

        warnings.showwarning = retell
        yield
