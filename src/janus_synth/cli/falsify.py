"""``janus falsify``: a model file and rows in; whether the graph of the model fits the rows out."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from janus_synth.cli.inputs import load_model
from janus_synth.cli.options import AnswerSeed, Format, Model, Quiet, Rows
from janus_synth.cli.output import check_table_path, choose_formats, console, print_written, show_status

if TYPE_CHECKING:
    from janus_synth.questions.falsification import Falsification

FALSIFY_EXAMPLES = (
    "janus falsify caused.janus held-out.csv",
    "janus falsify caused.janus held-out.csv --permutations 100 --alpha 0.01",
    "janus falsify caused.janus held-out.csv -o tests.csv",
)


def falsify(
    model: Model,
    rows: Rows,
    alpha: Annotated[
        float, typer.Option(min=1e-6, max=0.5, metavar="X", help="Level of the tests, adjusted for their number.")
    ] = 0.05,
    permutations: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="How many graphs with shuffled columns to compare with; 1 / alpha or more."
        ),
    ] = 40,
    max_rows: Annotated[
        int, typer.Option("--max-rows", min=100, metavar="N", help="Rows to test on at most; more are subsampled.")
    ] = 2_000,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Write all tests as a table file, or to -.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict and its numbers as JSON.")] = False,
    seed: AnswerSeed = 0,
    format: Format = None,
    quiet: Quiet = False,
) -> None:
    """Test whether the graph of a model fits rows: its independences, and the dependence along its edges.

    Rows that the graph was not learnt from give an honest test.
    Graphs with the same independences cannot be told apart.
    """
    from janus_synth.table.files import read_frame, write_frame

    path = out or "-"
    formats = choose_formats(rows, out or rows, format)
    if out is not None:
        check_table_path(path, formats.out, inputs=(model, rows))
    start = time.perf_counter()
    janus = load_model(model)
    frame = read_frame(rows, formats.rows)
    with show_status("testing the graph", quiet=quiet):
        found = janus.falsify(
            frame, alpha=alpha, n_permutations=permutations, max_rows=max_rows, random_state=seed, progress=False
        )
    if out is not None:
        tests = found.to_frame()
        write_frame(tests, path, format=formats.out)
        if not quiet and path != "-":
            print_written(len(tests), path, start)
    elif as_json:
        typer.echo(json.dumps(_as_dict(found), indent=2, ensure_ascii=False))
    elif not quiet:
        console().print(str(found), soft_wrap=True, highlight=False, markup=False)


def _as_dict(found: Falsification) -> dict[str, Any]:
    failing = [str(claim) for claim, p in zip(found.independences, found.adjusted, strict=True) if p < found.alpha]
    idle = [list(edge) for edge, p in zip(found.edges, found.edge_adjusted, strict=True) if p >= found.alpha]
    return {
        "verdict": found.verdict,
        "n_rows": found.n_rows,
        "alpha": found.alpha,
        "independences": len(found.independences),
        "failing_independences": failing,
        "share_failing": found.failed,
        "share_failing_permuted": found.permuted.tolist(),
        "p_permuted": found.p_permuted,
        "edges": len(found.edges),
        "edges_without_dependence": idle,
    }
