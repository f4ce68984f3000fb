"""All benchmarks in the order of the paper: the words to give to each, for a long run and for a quick one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from janus_synth.bench.parts import hint
from janus_synth.errors import DataError


class Step(NamedTuple):
    """One benchmark of a run of all."""

    command: str
    words: str = ""
    quick: str = "--quick"
    timed: bool = False
    """Whether it is about time, so that nothing else is to run beside it."""

    def given(self, *, quick: bool, jobs: int = 1) -> list[str]:
        """The command and its options.

        Examples
        --------
        >>> Step("exact").given(quick=True, jobs=2), Step("speed", timed=True).given(quick=True, jobs=2)
        (['exact', '--quick', '--jobs', '2'], ['speed', '--quick'])
        """
        beside = [] if self.timed or jobs == 1 else ["--jobs", str(jobs)]
        return [self.command, *(self.quick if quick else self.words).split(), *beside]


PLAN = (
    Step(
        "fidelity",
        "--tables paper --methods peers --mlp --seeds 3",
        "--tables iris,mixed,hiring --methods peers --epochs 10 --quick",
    ),
    Step("mode-collapse"),
    Step("constrained"),
    Step("exact"),
    Step(
        "counterfactual",
        quick="--quick --graphs Chain,Triangle --methods janus,copy,linear,boosted,mlp,knn,forest,flow,diffusion",
    ),
    Step("uncertainty"),
    Step("fairness"),
    Step("scalability", timed=True),
    Step("speed", timed=True),
    Step("structure"),
    Step("ablation"),
)


def steps_named(words: Sequence[str] | None) -> list[Step]:
    """Steps of these names, in their order; by default all.

    Examples
    --------
    >>> [step.command for step in steps_named(["exact", "fidelity"])]
    ['fidelity', 'exact']
    """
    known = [step.command for step in PLAN]
    for word in words or ():
        if word not in known:
            raise DataError(f"no benchmark is called {word!r}. {hint(word, known)}")
    return [step for step in PLAN if words is None or step.command in words]
