"""``janus fit``: a table in, a model file out."""

from __future__ import annotations

import csv
import os
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.columns import read_fields, read_table_file
from janus_synth.cli.inputs import is_json, is_source_path, read_json, read_rules, read_text
from janus_synth.cli.options import (
    BadFiles,
    Columns,
    Dask,
    Format,
    GraphLearner,
    Jobs,
    Leaves,
    Links,
    MissingTexts,
    OnViolation,
    Quiet,
    Silence,
)
from janus_synth.cli.output import (
    check_model_path,
    console,
    facts_table,
    format_count,
    format_size,
    print_alerts,
    shorten,
    show_status,
    show_warnings,
)

if TYPE_CHECKING:
    from janus_synth.janus import Janus

FIT_EXAMPLES = (
    "janus fit people.csv -o people.janus",
    "janus fit people.parquet -o people.janus --trees 4 --seed 0",
    'janus fit people.csv -o people.janus --rule "experience <= age - 18"',
    "janus fit people.csv -o people.janus --rules rules.txt --rule discover",
    "janus fit people.csv -o people.janus --required age:experience",
    "janus fit people.csv -o people.janus --structure edges.json",
    "janus fit people.csv -o people.janus --schema schema.json",
    "janus fit people.csv -o people.janus --column sex=categorical",
    "janus fit 'parts/*.parquet' -o people.janus --sample-rows 100000",
    "janus fit 'parts/*.parquet' -o people.janus --bad-files skip",
    "cat people.csv | janus fit - -o people.janus --quiet",
)

MOST_ALERTS = 5
LEARNERS = ("auto", "chain", "forest", "pc", "ges", "notears", "bootstrap")
EDGE_HEADERS = (("parent", "child"), ("from", "to"), ("source", "target"), ("cause", "effect"))


def parse_bins(text: str) -> int | str:
    """Read a number of bins, or ``auto``."""
    if text == "auto":
        return text
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 2 <= number <= 4096:
        raise typer.BadParameter(f"{text!r} is neither a number from 2 to 4096 nor 'auto'.")
    return number


def fit(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="Table to learn from: .csv, .csv.gz, .tsv, .parquet, .arrow, or -. A folder or a pattern such as "
            "'data/*.parquet' is read file by file, and may be larger than memory.",
        ),
    ],
    out: Annotated[str, typer.Option("--out", "-o", metavar="FILE", help="Where to write the model.")],
    structure: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Which columns depend on which. auto: each on all columns before it (default); chain: the same in the "
            "table's order; forest: on few; pc, ges, notears, bootstrap: causal discovery; or a .json or .csv file "
            "of edges.",
        ),
    ] = None,
    schema: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help='JSON that corrects the detected schema: {"age": {"low": 0}}, or a whole schema.'
        ),
    ] = None,
    columns: Columns = None,
    missing: MissingTexts = None,
    silence: Silence = None,
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rule",
            metavar="TEXT",
            help='Rule that every generated row satisfies: "experience <= age - 18"; may be repeated. The word '
            '"discover" adds the rules that are found in the training rows.',
        ),
    ] = None,
    rule_files: Annotated[
        list[str] | None,
        typer.Option(
            "--rules",
            metavar="FILE",
            help="File of rules, one per line, comments after #; or rules of another tool: SDV (.json), pandera "
            "(.yaml, .json), Great Expectations (.json), SQL (.sql). May be repeated.",
        ),
    ] = None,
    on_violation: Annotated[
        OnViolation | None,
        typer.Option(help="Training rows that break a rule: warn and learn from them (default), drop them, or stop."),
    ] = None,
    links: Annotated[
        Links | None,
        typer.Option(
            help="Columns computed from others, such as sums and parts of a date: found in the rows (auto, the "
            "default), only those that rules state, or none (off). auto also keeps timestamps in order."
        ),
    ] = None,
    keep_rare: Annotated[
        bool | None,
        typer.Option("--keep-rare", help="Also learn values that very few rows have; they may identify someone."),
    ] = None,
    trees: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Decision trees per column; 8 by default.")
    ] = None,
    n_bins: Annotated[
        Any,
        typer.Option(
            "--bins", parser=parse_bins, metavar="N|auto", help="Most bins that a number or time is cut into."
        ),
    ] = None,
    min_leaf: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Fewest training rows in a leaf of a tree; 10 by default, more in wide tables of few rows.",
        ),
    ] = None,
    leaves: Annotated[
        Leaves | None,
        typer.Option(
            help="Leaves of numbers and times: histograms, linear trends over the parents, or a mix per leaf (auto)."
        ),
    ] = None,
    prior_strength: Annotated[
        float | None,
        typer.Option(
            min=1e-6, metavar="X", help="How far a leaf with few rows is drawn towards the node above it, in rows."
        ),
    ] = None,
    lambda_unsup: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="X",
            help="Weight of how well a split also divides the columns it may be on; 0 by default.",
        ),
    ] = None,
    lambda_div: Annotated[
        float | None,
        typer.Option(min=0, metavar="X", help="Weight of how far the two sides of a split differ; 0 by default."),
    ] = None,
    paper: Annotated[
        bool,
        typer.Option("--paper", help="Use the settings of the paper that introduced JANUS; other options change them."),
    ] = False,
    required: Annotated[
        list[str] | None,
        typer.Option(metavar="A:B", help="Edge from A to B that the graph must have; may be repeated."),
    ] = None,
    forbidden: Annotated[
        list[str] | None, typer.Option(metavar="A:B", help="Edge that the graph must not have; may be repeated.")
    ] = None,
    tiers: Annotated[
        str | None,
        typer.Option(metavar="FILE", help='Columns in causal order, as JSON: [["age"], ["pay", "loan"]].'),
    ] = None,
    graph_learner: Annotated[
        GraphLearner | None,
        typer.Option(help="With --structure bootstrap: how each graph is learnt; pc by default."),
    ] = None,
    graphs: Annotated[
        int | None, typer.Option(min=2, metavar="N", help="With --structure bootstrap: number of graphs.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, metavar="N", help="The same seed gives the same model.")] = None,
    sample_rows: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Rows of a folder or pattern that trees are grown on (200,000)."),
    ] = None,
    bad_files: Annotated[
        BadFiles | None,
        typer.Option(
            help="Files of a folder or pattern that cannot be read, or have other columns or types: stop (default), "
            "or leave them out and list them."
        ),
    ] = None,
    dask: Dask = None,
    jobs: Jobs = None,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Learn a table and write the model to a file."""
    from janus_synth.janus import Janus

    check_model_path(out, inputs=(data,), option="--out")
    fields = read_fields(schema, columns, missing)
    given: dict[str, Any] = {
        "structure": None if structure is None else _read_structure(structure),
        "schema": fields or None,
        "rules": [*(rules or ()), *(rule for path in rule_files or () for rule in read_rules(path))] or None,
        "on_violation": None if on_violation is None else on_violation.value,
        "silence": silence,
        "links": None if links is None else links.value,
        "keep_rare": keep_rare,
        "n_trees": trees,
        "n_bins": n_bins,
        "min_samples_leaf": min_leaf,
        "leaves": None if leaves is None else leaves.value,
        "prior_strength": prior_strength,
        "lambda_unsup": lambda_unsup,
        "lambda_div": lambda_div,
        "required": _parse_edges(required, "--required"),
        "forbidden": _parse_edges(forbidden, "--forbidden"),
        "tiers": None if tiers is None else _read_tiers(tiers),
        "graph_learner": None if graph_learner is None else graph_learner.value,
        "n_graphs": graphs,
        "n_jobs": jobs,
        "random_state": seed,
    }
    model = (Janus.paper if paper else Janus)(**{name: value for name, value in given.items() if value is not None})
    large = is_source_path(data)
    with show_status("reading the table", quiet=quiet):
        frame = data if large else read_table_file(data, format, fields)
    chosen = {"sample_rows": sample_rows, "bad_files": None if bad_files is None else bad_files.value}
    options: dict[str, Any] = {"client": dask, **{name: it for name, it in chosen.items() if it is not None}}
    start = time.perf_counter()
    with show_warnings(quiet=quiet):
        model.fit(frame, progress=False if quiet else None, **(options if large else {}))
    seconds = time.perf_counter() - start
    model.save(os.path.realpath(out))  # keeps a symbolic link
    if not quiet:
        _print_summary(model, out, seconds)
        print_alerts(model.alerts_, most=MOST_ALERTS, rest=f"janus profile {data}, or janus inspect {out}")


def _print_summary(model: Janus, out: str, seconds: float) -> None:
    kinds = Counter(column.kind for column in model.schema_)
    of_kinds = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    structure = model.structure if isinstance(model.structure, str) else "given"
    lines = {
        "model": f"{out} ({format_size(Path(out).stat().st_size)})",
        "rows": f"{model.n_rows_:,}",
        "left out": "\n".join(shorten(file) for file in getattr(model, "skipped_files_", ())),
        "columns": f"{len(model.schema_)}: {of_kinds}",
        "edges": f"{len(model.dag_.edges):,} ({structure})",
        "links": "\n".join(shorten(link) for link in model.links_),
        "rules": "\n".join(shorten(rule) for rule in model.rules_),
        "time": f"{seconds:.1f} s",
    }
    console().print(facts_table(**{name: text for name, text in lines.items() if text}))
    if model.links_:
        console().print(
            "linked columns are computed, not learnt by themselves: --links off learns every column", soft_wrap=True
        )
    if model.rules_ and not model.rules:
        console().print(
            "no rule was given; all training rows keep these: --links rules leaves them out", soft_wrap=True
        )
    if kinds["identifier"]:
        names = ", ".join(column.name for column in model.schema_ if column.kind == "identifier")
        console().print(
            f"{format_count(kinds['identifier'], 'identifier')} not learnt, new values are generated: {names}"
        )
    if kinds["personal"]:
        names = ", ".join(f"{column.name} ({column.role})" for column in model.schema_ if column.kind == "personal")
        console().print(
            f"{format_count(kinds['personal'], 'personal column')} not learnt, made-up values are written: {names}",
            soft_wrap=True,
        )


def _parse_edges(texts: list[str] | None, option: str) -> list[tuple[str, str]] | None:
    """Read edges ``A:B``, or ``A->B`` where a name has a colon."""
    return [_parse_edge(text, option) for text in texts] if texts else None


def _parse_edge(text: str, option: str) -> tuple[str, str]:
    ends = text.split("->" if "->" in text else ":")
    if len(ends) != 2 or not all(ends):
        raise typer.BadParameter(
            f"{text!r} is not an edge. Write A:B for an edge from A to B, or 'A->B' where a name has a colon.",
            param_hint=option,
        )
    return ends[0].strip(), ends[1].strip()


def _read_structure(text: str) -> Any:
    """Return the name of a structure learner, or the graph in a file."""
    if text in LEARNERS:
        return text
    if is_json(text):
        return _read_json_graph(text)
    if not os.path.exists(text):
        raise typer.BadParameter(
            f"{text!r} is neither a structure learner ({', '.join(LEARNERS)}) nor a file of edges.",
            param_hint="--structure",
        )
    return _read_csv_edges(text) if text.lower().endswith(".csv") else _read_json_graph(text)


def _read_json_graph(path: str) -> Any:
    """Read edges ``[["a", "b"], …]``, parents ``{"b": ["a"]}``, or an object that holds one of them."""
    graph = read_json(path)
    if isinstance(graph, dict):
        for key in ("edges", "parents"):
            if set(graph) == {key}:
                graph = graph[key]
                break
    if not isinstance(graph, dict | list):
        raise ValueError(
            f'{path} does not hold a graph. Write edges [["parent", "child"], …] or {{"child": ["parents"]}}.'
        )
    return graph


def _read_csv_edges(path: str) -> list[tuple[str, str]]:
    """Read lines ``parent,child``, with or without a header that says so."""
    lines = list(csv.reader(read_text(path).splitlines()))
    pairs = [tuple(cell.strip() for cell in line) for line in lines if line]
    for number, pair in enumerate(pairs, 1):
        if len(pair) != 2:
            raise ValueError(f"{path}, line {number}: {','.join(pair)!r} is not an edge. Write parent,child.")
    edges = [(parent, child) for parent, child in pairs]
    header = tuple(name.lower() for name in edges[0]) if edges else ()
    if header[::-1] in EDGE_HEADERS:
        return [(parent, child) for child, parent in edges[1:]]
    return edges[1:] if header in EDGE_HEADERS else edges


def _read_tiers(path: str) -> Any:
    """Read lists of columns, causes first."""
    tiers = read_json(path)
    if not isinstance(tiers, list):
        raise ValueError(
            f'{path} does not hold tiers. Write lists of columns, causes first: [["age"], ["pay", "loan"]].'
        )
    return tiers
