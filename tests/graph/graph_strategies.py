"""Random graphs, random background knowledge that some graph satisfies, and plain checks of graphs."""

from itertools import combinations

from hypothesis import strategies as st

from janus_synth.graph import Dag, Knowledge

LETTERS = "abcdef"


@st.composite
def dags(draw):
    columns = LETTERS[: draw(st.integers(1, len(LETTERS)))]
    order = draw(st.permutations(columns))
    edges = [pair for pair in combinations(order, 2) if draw(st.booleans())]
    return Dag.from_edges(columns, edges)


@st.composite
def knowledges(draw, dag=None):
    """Knowledge that holds in ``dag``, or in some graph."""
    given = dag is not None
    columns = dag.columns if given else tuple(LETTERS[: draw(st.integers(1, len(LETTERS)))])
    order = dag.order if given else tuple(draw(st.permutations(columns)))
    pairs = list(combinations(order, 2))
    present = list(dag.edges) if given else pairs
    required = draw(st.lists(st.sampled_from(present), max_size=4)) if present else []
    absent = [
        (one, other)
        for one in columns
        for other in columns
        if one != other and (one, other) not in (present if given else required)
    ]
    forbidden = draw(st.lists(st.sampled_from(absent), max_size=4)) if absent else []
    tiered = [column for column in order if draw(st.booleans())]
    cuts = sorted(draw(st.lists(st.integers(0, len(tiered)), max_size=2)))
    tiers = [tuple(tiered[i:j]) for i, j in zip([0, *cuts], [*cuts, len(tiered)], strict=True)]
    return Knowledge(columns, tuple(required), tuple(forbidden), tuple(tiers))


def tier_of(knowledge, column):
    return next((i for i, tier in enumerate(knowledge.tiers) if column in tier), None)


def obeys(dag, knowledge):
    """Judge a graph by the words of the docstring, with none of the library's shortcuts."""
    edges = set(dag.edges)
    tiers = {column: tier_of(knowledge, column) for column in dag.columns}
    return (
        edges >= set(knowledge.required)
        and edges.isdisjoint(knowledge.forbidden)
        and not any(
            tiers[above] > tiers[column]
            for column in dag.columns
            for above in dag.ancestors(column)
            if None not in (tiers[above], tiers[column])
        )
    )


def skeleton(dag):
    return {frozenset(edge) for edge in dag.edges}


def colliders(dag):
    """Unmarried parents: a → c ← b where a and b are not adjacent."""
    return {
        (frozenset(pair), child)
        for child, its in dag.parents.items()
        for pair in combinations(its, 2)
        if frozenset(pair) not in skeleton(dag)
    }
