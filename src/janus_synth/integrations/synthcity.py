"""A data loader of synthcity in; rows of a ``Janus`` out, under the constraints of the request.

``SynthcityGenerator`` has the methods of a synthcity plug-in and needs nothing but pandas; ``synthcity_plugin`` makes a
class of it that synthcity's registry takes:

    from synthcity.plugins import Plugins
    plugins = Plugins()
    plugins.add("janus", synthcity_plugin())
    plugins.get("janus", n_trees=4).fit(loader).generate(1000)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from janus_synth.janus import Janus
from janus_synth.rules import Rule, col

COMPARISONS = {
    "lt": "<", "<": "<", "le": "<=", "<=": "<=", "gt": ">", ">": ">", "ge": ">=", ">=": ">=", "eq": "==", "==": "==",
}  # fmt: skip
"""Names of comparisons in synthcity's constraints."""


class SynthcityGenerator:
    """A ``Janus`` with the methods of a synthcity plug-in.

    Parameters
    ----------
    random_state : int
        Seed of the fit and of the rows.
    **settings
        Further arguments of ``Janus``.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"x": range(100), "y": ["a", "b"] * 50})
    >>> SynthcityGenerator(n_trees=2).fit(frame).generate(5).shape
    (5, 2)
    """

    def __init__(self, *, random_state: int = 0, **settings: Any) -> None:
        self.random_state = random_state
        self.settings = settings

    @staticmethod
    def name() -> str:
        """Name in synthcity's registry."""
        return "janus"

    @staticmethod
    def type() -> str:
        """Category in synthcity's registry."""
        return "generic"

    @staticmethod
    def hyperparameter_space(**settings: Any) -> list[Any]:
        """Settings that a search may vary: trees per column and rows in a leaf; none without synthcity."""
        try:
            from synthcity.plugins.core.distribution import IntegerDistribution
        except ImportError:
            return []
        return [IntegerDistribution("n_trees", low=1, high=16), IntegerDistribution("min_samples_leaf", low=1, high=50)]

    def fit(self, X: Any, *args: Any, **options: Any) -> Self:
        """Learn the rows of a data loader or a frame."""
        return self._fit(X, *args, **options)

    def generate(self, count: int | None = None, *, constraints: Any = None, **options: Any) -> Any:
        """Draw rows under constraints; as many as there were training rows by default."""
        n = self.model.n_rows_ if count is None else count
        return self._draw(n, rules_of(getattr(constraints, "rules", constraints) or ()))

    def _fit(self, X: Any, *args: Any, **options: Any) -> Self:
        frame = X.dataframe() if hasattr(X, "dataframe") else X
        self.model = Janus(random_state=self.random_state, **self.settings).fit(frame, progress=False)
        return self

    def _generate(self, count: int, syn_schema: Any, **options: Any) -> Any:
        """Draw rows for synthcity, which passes constraints as a schema and checks the rows itself."""
        rules = rules_of(syn_schema.as_constraints().rules)
        return self._safe_generate(lambda n: self._draw(n, rules), count, syn_schema)  # type: ignore[attr-defined]

    def _draw(self, n: int, rules: list[Rule]) -> Any:
        return self.model.sample(n, where=rules or None, progress=False)


def rules_of(constraints: Iterable[tuple[str, str, Any]]) -> list[Rule]:
    """Translate constraints ``(column, comparison, value)``; those on dtypes are left to synthcity.

    Examples
    --------
    >>> [str(rule) for rule in rules_of([("age", "ge", 18), ("sex", "in", ["f"]), ("age", "dtype", "int")])]
    ['age >= 18', "sex in ['f']"]
    """
    found: list[Rule] = []
    for name, comparison, value in constraints:
        if comparison == "in":
            found.append(col(name).isin(list(value)))
        elif comparison in COMPARISONS:
            sign = COMPARISONS[comparison]
            column = col(name)
            choices = {
                "<": column < value, "<=": column <= value, ">": column > value, ">=": column >= value,
                "==": column == value,
            }  # fmt: skip
            found.append(choices[sign])
    return found


def synthcity_plugin() -> type:
    """Return a plug-in class for synthcity's registry.

    Returns
    -------
    type
        A subclass of ``synthcity.plugins.core.plugin.Plugin``.

    Raises
    ------
    ImportError
        If synthcity is not installed.

    Examples
    --------
    >>> Plugins().add("janus", synthcity_plugin())  # doctest: +SKIP
    """
    try:
        from synthcity.plugins.core.plugin import Plugin
    except ImportError as error:
        raise ImportError(
            "synthcity_plugin() needs synthcity. Install it with: pip install synthcity. SynthcityGenerator has the "
            "same methods without it."
        ) from error

    class JanusPlugin(SynthcityGenerator, Plugin):  # type: ignore[misc]
        """Rows of a graph of Bayesian decision trees."""

        def __init__(
            self, *, random_state: int = 0, n_trees: int = 8, min_samples_leaf: int = 10, **options: Any
        ) -> None:
            Plugin.__init__(self, random_state=random_state, **options)
            SynthcityGenerator.__init__(
                self, random_state=random_state, n_trees=n_trees, min_samples_leaf=min_samples_leaf
            )

        fit = Plugin.fit
        generate = Plugin.generate

    return JanusPlugin
