"""Fit a model: a table and settings in; codes, graph and bags of trees out."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import islice
from queue import SimpleQueue

import numpy as np

from janus_synth.arrays import Codes, Floats
from janus_synth.coordinates import CalendarPart, Link, with_hidden_columns
from janus_synth.coordinates.ranges import with_reachable_domains, with_reachable_ends
from janus_synth.encoding import BinSettings, Codec, fit_codec
from janus_synth.encoding.extremes import smooth_domains
from janus_synth.errors import DataError
from janus_synth.graph import (
    Dag,
    Knowledge,
    chain,
    consensus_graph,
    discover,
    distinct_graphs,
    edge_confidences,
    forest,
    given_edges,
    make_knowledge,
    notears_graph,
    read_graph,
    screen_parents,
)
from janus_synth.graph.knowledge import Edge
from janus_synth.model.graph_set import TREES_PER_GRAPH, GraphSet, distinct_conditionals, resampled_graphs
from janus_synth.model.model import Model
from janus_synth.rules import Rule
from janus_synth.streams import generator
from janus_synth.table import Schema, Table
from janus_synth.threads import one_blas_thread, worker_count
from janus_synth.trees import (
    Bag,
    ColumnDesign,
    GrowthContext,
    GrowthSettings,
    grow_splits,
    grow_tree,
    join_bags,
    prepare_column,
    prepare_growth,
    subsample_rows,
)

OnTree = Callable[[str, int], None]
"""Called for each tree that is complete, with its column's name and 1, or with the number of all trees if one leaf
stands for them, as in a column without parents."""
FEW_COLUMNS, FEW_ROWS = 25, 1000
"""With more ordered columns leaves have more rows, least so with many more rows; see `with_leaves_for_width`."""
DESIGNS_AHEAD = 1
"""Designs that are computed before the trees of the previous column. With none, all workers but one wait for each
design: a quarter of the time of a fit with smooth surfaces, on two cores."""


@dataclass(frozen=True, slots=True)
class FitSettings:
    """Everything except the seed that determines what is learnt from a table."""

    structure: object = "auto"
    required: Iterable[Edge] = ()
    forbidden: Iterable[Edge] = ()
    tiers: Iterable[Iterable[str]] = ()
    graph_learner: str = "pc"
    n_graphs: int = 20
    bins: BinSettings = field(default_factory=BinSettings)
    growth: GrowthSettings = field(default_factory=GrowthSettings)
    last: Sequence[str] = ()
    """Hidden columns that no other column depends on."""


def fit_model(
    table: Table,
    settings: FitSettings,
    *,
    seed: int,
    rules: Iterable[Rule] = (),
    links: Sequence[Link] = (),
    n_jobs: int | None = None,
    on_tree: OnTree | None = None,
) -> Model:
    """Learn codes, then the graph, then a bag of trees per column; emitted rows will satisfy ``rules``.

    Columns with a link are computed from others. They are parents like any other column, but have no trees of their
    own; their bags hold the marginal, which an intervention on them needs.

    The seed determines the model for any ``n_jobs``: every tree has its own generator.
    """
    if not table.schema.learnt:
        raise DataError(
            "every column looks like an identifier, so there is nothing to learn. Declare a kind, e.g. "
            f"schema={{{table.schema.names[0]!r}: {{'kind': 'categorical'}}}}."
        )
    table = smooth_domains(with_hidden_columns(table, links), settings.bins.least, table.schema)
    table = Table(with_reachable_domains(table.schema, links), table.columns, table.n_rows)
    settings = with_linked_structure(settings, links, [column.name for column in table.schema.learnt])
    settings = with_nulls_last(settings, table.schema)
    settings = with_leaves_for_width(settings, table)
    codec = fit_codec(table, settings.bins)
    links = [with_reachable_ends(link, codec) for link in links]
    x = codec.encode(table)
    context = prepare_growth(codec, x, settings.growth, {name: table[name] for name in codec.names})
    with one_blas_thread(), ThreadPoolExecutor(worker_count(n_jobs)) as pool:
        graphs: GraphSet | None = None
        if settings.structure == "bootstrap":
            dag, graphs = _learn_graphs(settings, codec, context, links, seed=seed, pool=pool)
        else:
            dag = find_structure(settings, codec, context, links, seed=seed, pool=pool)
        learnt = dag.without_edges_into(*(link.column for link in links))
        bags = _grow_bags(codec, learnt, context, settings.growth, seed=seed, pool=pool, on_tree=on_tree)
    given = not isinstance(settings.structure, str)
    if settings.structure in ("auto", "chain"):
        dag = _with_used_parents(codec, dag, bags, settings.required)
    return Model(
        table.schema,
        codec,
        dag,
        bags,
        table.n_rows,
        given,
        tuple(rules),
        links=tuple(links),
        graphs=graphs,
        least=settings.bins.least,
    )


def with_linked_structure(settings: FitSettings, links: Sequence[Link], names: Sequence[str]) -> FitSettings:
    """Settings under which the parents of every linked column are the inputs of its link.

    In a graph given by the user, the parents of a linked column become those of its hidden columns.
    """
    if not links:
        return settings
    inputs = {link.column: link.inputs for link in links}
    required = [(parent, child) for child, its in inputs.items() for parent in its]
    required += [(link.source, link.own) for link in links if link.source is not None and link.own is not None]
    barred = [(other, child) for child, its in inputs.items() for other in names if other not in (*its, child)]
    structure = settings.structure
    if not isinstance(structure, str):
        structure = [edge for parent, child in given_edges(structure) for edge in _move_edge(parent, child, links)]
        structure += required
    given = [edge for parent, child in settings.required for edge in _move_edge(parent, child, links)]
    return replace(
        settings, structure=structure, required=(*given, *required), forbidden=(*settings.forbidden, *barred)
    )


def with_leaves_for_width(settings: FitSettings, table: Table) -> FitSettings:
    """Settings with more rows in a leaf where a table has many columns for its rows.

    A leaf of m rows follows each of them by 1 / m, and p columns that depend on one another do so p times: then two
    halves of a training row point to one generated row. So leaves grow with p beyond `FEW_COLUMNS`; levels are shared
    by many rows and do not count. Other rows hide a row as well, so that this falls with the root of their number
    beyond `FEW_ROWS` (docs/defaults.md).
    """
    if settings.bins.least < 2 or settings.structure not in ("auto", "chain"):
        return settings
    hidden = min(1.0, (FEW_ROWS / max(table.n_rows, 1)) ** 0.5)
    n_ordered = sum(column.kind in ("numeric", "datetime") for column in table.schema.learnt)
    factor = max(1.0, n_ordered / FEW_COLUMNS * hidden)
    least = round(settings.growth.min_samples_leaf * factor)
    return replace(settings, growth=replace(settings.growth, min_samples_leaf=least))


def with_nulls_last(settings: FitSettings, schema: Schema) -> FitSettings:
    """Settings under which nulls of personal columns depend on other columns and earlier nulls, and nothing on them.

    Nothing that is learnt about the user's columns then changes. In a graph given by the user they depend on all.
    """
    nulls = [column.name for column in schema if column.nulls_of is not None]
    if not nulls:
        return settings
    others = [column.name for column in schema.learnt if column.nulls_of is None]
    structure = settings.structure
    earlier = [(nulls[i], later) for i in range(len(nulls)) for later in nulls[i + 1 :]]
    if not isinstance(structure, str):
        structure = [*given_edges(structure), *((other, name) for name in nulls for other in others), *earlier]
    barred = [(name, other) for name in nulls for other in others] + [(later, name) for name, later in earlier]
    return replace(settings, structure=structure, forbidden=(*settings.forbidden, *barred), last=tuple(nulls))


def _move_edge(parent: str, child: str, links: Sequence[Link]) -> list[Edge]:
    """An edge into a linked column, moved to its hidden columns; inputs of the formula are parents of those, too."""
    link = next((link for link in links if link.column == child), None)
    if link is None:
        return [(parent, child)]
    return [(parent, name) for name in link.hidden]


def find_structure(
    settings: FitSettings,
    codec: Codec,
    context: GrowthContext,
    links: Sequence[Link] = (),
    *,
    seed: int,
    pool: ThreadPoolExecutor,
) -> Dag:
    """The graph that the settings give, or that the method they name learns.

    In a wide table a chain's columns keep those candidates that they depend on most (`screen_parents`).
    """
    knowledge = _knowledge(settings, codec)
    match settings.structure:
        case "auto" | "chain" as order:
            ordered = [column.ordered for column in codec.columns.values()]
            dag = chain(knowledge, discrete_first(codec, links, settings.last) if order == "auto" else codec.names)
            return screen_parents(dag, context.x, ordered, keep=tuple(settings.required))
        case "forest":
            return _forest_graph(knowledge, codec, context, settings.growth, seed=seed, pool=pool)
        case "pc" | "ges" as method:
            ordered = [column.ordered for column in codec.columns.values()]
            return discover(method, context.x, ordered, knowledge, seed=seed)
        case "notears":
            ordered = [column.ordered for column in codec.columns.values()]
            return notears_graph(context.x, ordered, knowledge, seed=seed)
        case graph:
            return read_graph(graph, knowledge)


def _knowledge(settings: FitSettings, codec: Codec) -> Knowledge:
    return make_knowledge(codec.names, required=settings.required, forbidden=settings.forbidden, tiers=settings.tiers)


def _learn_graphs(
    settings: FitSettings,
    codec: Codec,
    context: GrowthContext,
    links: Sequence[Link],
    *,
    seed: int,
    pool: ThreadPoolExecutor,
) -> tuple[Dag, GraphSet]:
    """Graphs of resamples with bags for each of them, grown on all rows, and their consensus."""
    learner = replace(settings, structure=settings.graph_learner)

    def learn(codec: Codec, x: Codes, seed: int) -> Dag:
        return find_structure(learner, codec, prepare_growth(codec, x, settings.growth), links, seed=seed, pool=pool)

    found = resampled_graphs(codec, context.x, learn, n_graphs=settings.n_graphs, seed=seed)
    dags, weights = distinct_graphs(found)
    growth = replace(settings.growth, n_trees=min(settings.growth.n_trees, TREES_PER_GRAPH))
    linked = {link.column for link in links}
    conditionals, places = distinct_conditionals(dags)
    bags: list[Bag] = []
    for name, parents in conditionals:
        alone = Dag({**dict.fromkeys(codec.names, ()), name: () if name in linked else parents})
        bags += _grow_bags(codec, alone, context, growth, seed=seed, pool=pool, on_tree=None, only=[name])
    consensus = consensus_graph(edge_confidences(dags, weights), _knowledge(settings, codec))
    return consensus, GraphSet(dags, weights, tuple(bags), tuple(places))


def discrete_first(codec: Codec, links: Sequence[Link] = (), last: Sequence[str] = ()) -> tuple[str, ...]:
    """Unordered columns before ordered ones, otherwise as given; hidden columns stay beside their linked column.

    Measured: detected as often as the order of the table, with better associations (docs/defaults.md). Timestamps whose
    parts are columns come first: other columns depend on the weekday, and bins of a timestamp hold several. Gaps come
    last: a duration that precedes the columns it depends on blurs what they have to do with one another (trips: 0.60
    detected instead of 0.63). A derived column follows the last of its inputs at once, so that all later columns may
    depend on it: whether people work depends on the weekday, which a bin of dates does not say.
    """
    beside: dict[str, str] = {name: link.column for link in links for name in link.hidden}
    with_parts = {link.formula.timestamp for link in links if isinstance(link.formula, CalendarPart)}
    with_gap = {link.column for link in links if link.gap is not None}

    def place(name: str) -> int:
        if name in last:
            return 4
        column: str = beside.get(name, name)
        if column in with_gap:
            return 3
        return 0 if column in with_parts else 1 + int(codec.columns[column].ordered)

    return _derived_at_once(sorted(codec.names, key=place), links)


def _derived_at_once(order: Sequence[str], links: Sequence[Link]) -> tuple[str, ...]:
    """The same order, where columns without anything to learn follow the last of their inputs."""
    waiting = {link.column: set(link.inputs) for link in links if not link.hidden}
    placed: list[str] = []
    for name in order:
        if name in waiting:
            continue
        placed.append(name)
        while ready := [column for column, inputs in waiting.items() if inputs <= set(placed)]:
            placed += ready
            waiting = {column: inputs for column, inputs in waiting.items() if column not in ready}
    return (*placed, *waiting)


def _forest_graph(
    knowledge: Knowledge,
    codec: Codec,
    context: GrowthContext,
    growth: GrowthSettings,
    *,
    seed: int,
    pool: ThreadPoolExecutor,
) -> Dag:
    """Measure by a small forest per column how much marginal likelihood each other column gains, then orient edges."""
    index = {name: i for i, name in enumerate(codec.names)}
    small = replace(growth, n_trees=3, max_leaves=64, max_rows=8192, lambda_unsup=0.0, lambda_div=0.0)

    def gains(child: str) -> Floats:
        candidates = [index[name] for name in codec.names if knowledge.allows(name, child)]
        total = np.zeros(len(codec.names))
        for rng in _generators(seed, (1, index[child]), small.n_trees if candidates else 0):
            rows = subsample_rows(context.n_rows, small, rng)
            splits, score = grow_splits(context, index[child], candidates, small, rows)
            inner = splits.left >= 0
            np.add.at(total, splits.feature[inner], score[inner] / (growth.row_weight * len(rows)))
        return total

    found = dict(zip(codec.names, pool.map(gains, codec.names), strict=True))
    return forest(knowledge, lambda child, names: found[child][[index[name] for name in names]])


def _grow_bags(
    codec: Codec,
    dag: Dag,
    context: GrowthContext,
    growth: GrowthSettings,
    *,
    seed: int,
    pool: ThreadPoolExecutor,
    on_tree: OnTree | None,
    only: Sequence[str] | None = None,
) -> tuple[Bag, ...]:
    """Grow every tree as a task of its own, of all columns or some; a column is complete with its last tree."""
    names = codec.names if only is None else only
    index = {name: i for i, name in enumerate(codec.names)}
    parents = {name: [index[parent] for parent in dag.parents[name]] for name in names}
    largest_first = sorted(names, key=lambda name: -len(parents[name]))
    tasks: dict[Future[Bag], tuple[str, int]] = {}
    designs: deque[Future[ColumnDesign]] = deque()
    coming = iter(largest_first)
    for name in largest_first:
        n_trees = growth.n_trees if parents[name] else 1
        for ahead in islice(coming, 1 + DESIGNS_AHEAD - len(designs)):
            designs.append(pool.submit(prepare_column, context, index[ahead], parents[ahead], growth))
        design = designs.popleft()
        for t, rng in enumerate(_generators(seed, (0, index[name]), n_trees)):
            task = pool.submit(_grow_with, design, context, index[name], parents[name], rng)
            tasks[task] = name, t
        del design  # a column's last tree frees it
    trees: dict[str, dict[int, Bag]] = {name: {} for name in names}
    bags: dict[str, Bag] = {}
    grown: SimpleQueue[Future[Bag]] = SimpleQueue()  # concurrent.futures.wait would look at all tasks for each tree
    for task in tasks:
        task.add_done_callback(grown.put)
    try:
        while tasks:
            task = grown.get()
            name, t = tasks.pop(task)
            trees[name][t] = task.result()
            if on_tree is not None:
                on_tree(name, 1 if parents[name] else growth.n_trees)
            if len(trees[name]) == (growth.n_trees if parents[name] else 1):
                bags[name] = join_bags([tree for _, tree in sorted(trees.pop(name).items())])
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    return tuple(bags[name] for name in names)


def _grow_with(
    design: Future[ColumnDesign],
    context: GrowthContext,
    target: int,
    parents: Sequence[int],
    rng: np.random.Generator,
) -> Bag:
    """Grow a tree once its column's design is computed, a task submitted earlier, so that waiting cannot deadlock."""
    growth, trends = design.result()
    return grow_tree(context, target, parents, growth, rng, trends)


def _generators(seed: int, key: Sequence[int], n: int) -> list[np.random.Generator]:
    """Independent generators that do not depend on the order of calls."""
    return [generator(seed, *key, i) for i in range(n)]


def _with_used_parents(codec: Codec, dag: Dag, bags: Sequence[Bag], required: Iterable[Edge]) -> Dag:
    """The graph with only those parents that a column's trees use or that are required."""
    used = {name: {codec.names[j] for j in bag.parents} for name, bag in zip(codec.names, bags, strict=True)}
    for parent, child in required:
        used[child].add(parent)
    return Dag({name: tuple(p for p in its if p in used[name]) for name, its in dag.parents.items()})
