"""Learning a table in memory: rows and the arguments of a ``Janus`` in; rules, links and a model out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from janus_synth.coordinates import Link
from janus_synth.identities import least_rows
from janus_synth.janus.arguments import check_choice
from janus_synth.janus.found_rules import find_rules, find_time_orderings, split_rules
from janus_synth.janus.parameters import Parameters
from janus_synth.model import (
    FitSettings,
    Model,
    check_training_rows,
    choose_for_fit,
    domain_rules,
    fit_model,
    protect_rows,
    without_rare_keys,
)
from janus_synth.progress import progress_bar
from janus_synth.rules import Rule
from janus_synth.table import Table
from janus_synth.table.nulls import without_null_columns

MOST_NAMED = 6
"""Computed columns that the progress bar names."""


class Learning(Parameters):
    """The steps of a fit between reading a table and the finished model."""

    def _grow(
        self,
        table: Table,
        settings: FitSettings,
        seed: int,
        progress: bool | None,
        *,
        barred: Sequence[str] = (),
        report: bool = True,
    ) -> tuple[Model, tuple[Rule, ...]]:
        """Return a model of a table, and the rules that were found in it; columns in ``barred`` have no links.

        Without ``report`` the rows are a sample, and violations are reported once all rows are counted.
        """
        written, finds_rules = split_rules(self.rules)
        on_violation = self.on_violation if report or self.on_violation == "drop" else "warn"
        least = 1 if self.keep_rare else least_rows(table.n_rows)
        settings = replace(settings, bins=replace(settings.bins, least=least))
        with progress_bar("looking for links", None, shown=progress):
            table = protect_rows(table, least, self.schema)
            rules, table = check_training_rows(written, table, on_violation=on_violation, report=report, least=least)
            found = find_rules(without_null_columns(table), rules) if finds_rules else ()
            rules += found
            links = tuple(link for link in self._choose_links(table, rules, settings) if link.column not in barred)
            if self.links == "auto" and not finds_rules:
                found = find_time_orderings(without_null_columns(table), links, rules)
                rules += found
        rules += domain_rules(links, table.schema, self.schema)
        note = f"{_name_computed(links)}; links_ says how, links='off' learns each by itself" if links else ""
        n_columns = len(table.schema.learnt) + sum(len(link.hidden) for link in links)
        with progress_bar("growing trees", n_columns * self.n_trees, shown=progress, note=note) as advance:
            model = fit_model(
                table,
                settings,
                seed=seed,
                rules=rules,
                links=links,
                n_jobs=self.n_jobs,
                on_tree=lambda name, n_trees: advance(n_trees),
            )
        return model, found

    def _choose_links(self, table: Table, rules: tuple[Rule, ...], settings: FitSettings) -> tuple[Link, ...]:
        """Return the links to learn a table with, as the parameter ``links`` says."""
        if not isinstance(self.links, str):
            return tuple(self.links)
        check_choice("links", self.links, ("auto", "rules", "off"))
        if self.links == "off":
            return ()
        table = without_null_columns(table)
        links = choose_for_fit(table, rules, settings, find=self.links == "auto")
        return without_rare_keys(links, table, settings.bins.least)


def _name_computed(links: Sequence[Link]) -> str:
    """Name the columns that are computed, a few if there are many."""
    names = [link.column for link in links]
    shown = ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")
    return f"computed from other columns: {shown}"
