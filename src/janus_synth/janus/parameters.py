"""Arguments of the constructor of ``Janus``: checked, gathered for a fit, copied, and written to model files."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from janus_synth.alerts import Alert, check_silence
from janus_synth.encoding import BinSettings
from janus_synth.janus.arguments import check_choice, check_integer, check_number
from janus_synth.janus.fitted import Fitted
from janus_synth.model import FitSettings, Model
from janus_synth.model.graph_set import MAX_GRAPHS
from janus_synth.rules import Where
from janus_synth.table import Schema
from janus_synth.trees import GrowthSettings

if TYPE_CHECKING:
    from janus_synth.partitions import SkippedFile

STRUCTURES = ("auto", "chain", "forest", "pc", "ges", "notears", "bootstrap")
GRAPH_LEARNERS = ("pc", "ges", "forest", "notears")
"""Names of learners for ``structure``, and those that can learn the graphs of ``"bootstrap"``."""
MOST_SMOOTH = 3
"""Most possible parents of a column with a smooth surface, where all earlier columns are possible parents: with more,
surfaces gain little and double or triple the time of a fit (docs/defaults.md)."""


class Parameters(Fitted):
    """A `Janus` as the sum of its arguments; `Janus` itself documents them and sets them."""

    structure: Any
    n_trees: int
    n_bins: int | str
    rules: Where
    on_violation: str
    schema: Schema | Mapping[str, Mapping[str, object]] | None
    min_samples_leaf: int
    lambda_unsup: float
    lambda_div: float
    prior_strength: float
    required: Iterable[tuple[str, str]]
    forbidden: Iterable[tuple[str, str]]
    tiers: Iterable[Iterable[str]]
    leaves: str
    within: str
    prior: str
    equal_mass: bool
    trust_graph: bool
    links: Any
    graph_learner: str
    n_graphs: int
    silence: Iterable[str] | str
    keep_rare: bool
    alerts_: tuple[Alert, ...]
    skipped_files_: tuple[SkippedFile, ...]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor arguments (scikit-learn's protocol)."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **changes: Any) -> Self:
        """Change constructor arguments (scikit-learn's protocol)."""
        for name, value in changes.items():
            if name not in self._parameter_names():
                raise ValueError(f"Janus has no parameter {name!r}; it has {', '.join(self._parameter_names())}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = {k: v for k, v in self.get_params().items() if v is not defaults[k].default}
        state = f" fitted on {self.model_.n_rows:,} rows" if hasattr(self, "model_") else ""
        return f"<Janus({', '.join(f'{k}={v!r}' for k, v in changed.items())}){state}>"

    @classmethod
    def _parameter_names(cls) -> tuple[str, ...]:
        return tuple(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def _with_model(self, model: Model) -> Self:
        """Return a copy with the same parameters and another model; it does not repeat the warning."""
        copy = type(self)(**self.get_params())
        copy.model_ = model
        copy.alerts_ = getattr(self, "alerts_", ())
        copy.skipped_files_ = getattr(self, "skipped_files_", ())
        copy._reset()
        copy._has_warned = True
        return copy

    def _fit_settings(self) -> FitSettings:
        """Check the constructor arguments and gather them for ``fit_model``."""
        check_integer("n_trees", self.n_trees, low=1)
        check_integer("min_samples_leaf", self.min_samples_leaf, low=1)
        check_number("lambda_unsup", self.lambda_unsup, low=0)
        check_number("lambda_div", self.lambda_div, low=0)
        check_number("prior_strength", self.prior_strength, low=1e-6)
        if self.n_bins != "auto":
            check_integer("n_bins", self.n_bins, low=2, high=4096)
        check_choice("on_violation", self.on_violation, ("warn", "drop", "error"))
        check_choice("leaves", self.leaves, ("auto", "histogram", "trend"))
        check_choice("within", self.within, ("smooth", "knots", "uniform"))
        check_choice("prior", self.prior, ("hierarchical", "flat"))
        if isinstance(self.structure, str):
            check_choice("structure", self.structure, STRUCTURES)
        check_choice("graph_learner", self.graph_learner, GRAPH_LEARNERS)
        check_integer("n_graphs", self.n_graphs, low=2, high=MAX_GRAPHS)
        structure = self.structure.tolist() if isinstance(self.structure, np.ndarray) else self.structure
        return FitSettings(
            structure=structure,
            required=tuple(self.required),
            forbidden=tuple(self.forbidden),
            tiers=tuple(self.tiers),
            graph_learner=self.graph_learner,
            n_graphs=int(self.n_graphs),
            bins=BinSettings(self.n_bins, self.within, self.equal_mass),
            growth=GrowthSettings(
                n_trees=int(self.n_trees),
                min_samples_leaf=int(self.min_samples_leaf),
                lambda_unsup=float(self.lambda_unsup),
                lambda_div=float(self.lambda_div),
                prior_strength=float(self.prior_strength),
                flat_prior=self.prior == "flat",
                leaves=self.leaves,
                most_smooth_parents=MOST_SMOOTH
                if isinstance(structure, str) and structure in ("auto", "chain")
                else None,
            ),
        )

    def _settings(self) -> dict[str, Any]:
        """Constructor arguments as plain JSON; a graph object becomes its edges, a generator is not kept."""
        settings = self.get_params()
        if not isinstance(self.structure, str):
            settings["structure"] = [list(edge) for edge in self._model().dag.edges]
        settings["silence"] = list(check_silence(self.silence))
        settings["n_jobs"] = None  # a choice of the machine, which changes no result
        for name in ("required", "forbidden", "tiers"):
            settings[name] = [item if isinstance(item, str) else list(item) for item in settings[name]]
        settings["schema"] = settings["rules"] = None  # the model holds them
        if not isinstance(self.links, str):
            settings["links"] = "off"  # the model holds those that were given
        if not isinstance(self.random_state, int | np.integer):
            settings["random_state"] = None
        return settings
