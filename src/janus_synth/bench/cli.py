"""One command per benchmark: options in, tables and dated files out."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from janus_synth.bench.results import Files, Result

app = typer.Typer(
    name="bench",
    help="Measure JANUS beside rivals: fidelity, rare classes, speed, conditions, uncertainty, counterfactuals, "
    "fairness. Needs the extra 'bench'; set JANUS_DATA for real tables.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Tables = Annotated[
    str | None,
    typer.Option(
        help="Names with commas between, or the groups real, more, drawn, smooth, random. Default: real and drawn ones "
        "at hand."
    ),
]
Out = Annotated[Path, typer.Option(help="Folder for the JSON and the Markdown file.")]
Jobs = Annotated[
    int,
    typer.Option(min=1, help="Processes that measure. Times are those of a machine that does as many things at once."),
]
MostSeconds = Annotated[
    float | None, typer.Option(min=0.1, help="Time for one method on one split; what takes longer is a failure.")
]
Cache = Annotated[
    Path | None,
    typer.Option(help="Folder of measurements. Default: that in JANUS_CACHE, otherwise ~/.cache/janus-synth/bench."),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Measure anew what the cache holds.")]
QUICK_ROWS = 2_000


@app.command(
    epilog="Example: janus bench fidelity --tables adult,smooth --methods CART --setting fine:n_bins=255,n_trees=4. "
    "Which columns are worst: janus bench fidelity --by-column --tables sem --setting hist:leaves=histogram"
)
def fidelity(
    tables: Tables = None,
    methods: Annotated[
        str | None,
        typer.Option(
            help="Of JANUS, paper, CART, CART10, CART20, copula, independent, uniform, BN, ARF, CTGAN, TVAE, "
            "diffusion, flow; peers is all but CART10 and CART20. Default: JANUS, CART, copula, independent."
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            help="A further JANUS, as name:key=value,key=value; structure=given is the true graph of a random table. "
            "Give it once per setting."
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many splits, fits and samples per table.")] = 1,
    max_rows: Annotated[int, typer.Option(min=100, help="Rows used of a table, half of them to train.")] = 40_000,
    mlp: Annotated[bool, typer.Option("--mlp", help="Judge by a neural network too.")] = False,
    by_column: Annotated[
        bool,
        typer.Option(
            "--by-column",
            help="Which column is worst: draw each anew given its real parents. Default methods: JANUS, CART.",
        ),
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help=f"At most {QUICK_ROWS:,} rows of each table.")] = False,
    epochs: Annotated[
        int | None, typer.Option(min=1, help="Passes over the table for CTGAN, TVAE, diffusion, flow. Default: 300.")
    ] = None,
    jobs: Jobs = 1,
    most_seconds: MostSeconds = None,
    cache: Cache = None,
    fresh: Fresh = False,
    out: Out = Path("bench-results"),
) -> None:
    """Judge the rows of each method by rows that it has not seen, table by table, or column by column.

    What is measured is kept: a run that was interrupted goes on where it ended when it is asked for again.
    """
    from janus_synth.bench.by_column import DEFAULT_METHODS, run_by_column
    from janus_synth.bench.fidelity import run_fidelity
    from janus_synth.bench.methods import make_methods

    rows = min(max_rows, QUICK_ROWS) if quick else max_rows
    if by_column:
        if mlp:
            raise typer.BadParameter("--by-column judges by one detector. Leave --mlp out.")
        chosen = make_methods(DEFAULT_METHODS if methods is None else _words(methods), setting or ())
        _finish(run_by_column(_words(tables), chosen, range(seeds), max_rows=rows), out)
        return
    chosen = make_methods(_words(methods), setting or (), epochs=epochs)
    kept = _kept(cache, fresh=fresh, jobs=jobs, most_seconds=most_seconds)
    _finish(run_fidelity(_words(tables), chosen, range(seeds), max_rows=rows, mlp=mlp, **kept), out)


@app.command("mode-collapse", epilog="Example: janus bench mode-collapse --tables adult --methods JANUS,CART --seeds 2")
def mode_collapse(
    tables: Annotated[
        str | None, typer.Option(help="Names with commas between. Default: adult, bank and credit at hand, or hiring.")
    ] = None,
    methods: Annotated[
        str | None, typer.Option(help="As for fidelity. Default: JANUS, paper, CART, CTGAN and TVAE.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many splits, fits and samples per table.")] = 5,
    quick: Annotated[
        bool, typer.Option("--quick", help=f"At most {QUICK_ROWS:,} rows, and neither CTGAN nor TVAE.")
    ] = False,
    jobs: Jobs = 1,
    most_seconds: MostSeconds = None,
    cache: Cache = None,
    fresh: Fresh = False,
    out: Out = Path("bench-results"),
) -> None:
    """See whether the rare class of a table keeps its share, seed by seed, and whether classifiers still learn it."""
    from janus_synth.bench.collapse.run import MAX_ROWS, run_collapse
    from janus_synth.bench.methods import make_methods

    usual = ["JANUS", "paper", "CART"] if quick else ["JANUS", "paper", "CART", "CTGAN", "TVAE"]
    kept = _kept(cache, fresh=fresh, jobs=jobs, most_seconds=most_seconds)
    chosen = make_methods(_words(methods) or usual)
    _finish(run_collapse(_words(tables), chosen, range(seeds), max_rows=QUICK_ROWS if quick else MAX_ROWS, **kept), out)


@app.command(epilog="Example: janus bench speed --tables adult --quick --out speed-results")
def speed(
    tables: Tables = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small tables, each measured once.")] = False,
    out: Out = Path("bench-results"),
) -> None:
    """Time fits and samples beside random forests, sequential CART and numpy; weigh memory and start-up."""
    from janus_synth.bench.speed import QUICK, Sizes, run_speed

    _finish(run_speed(_words(tables), sizes=QUICK if quick else Sizes()), out)


@app.command(epilog="Example: janus bench constrained --quick --methods janus,cart,rows --rarities 'hard,0.1%'")
def constrained(
    methods: Annotated[
        str | None,
        typer.Option(
            help="Of janus, given, greedy, paper, reject, cart, cart-given, copula, rows, clip. Default: all of them."
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(help="A further JANUS, as name:key=value,key=value. Give it once per setting."),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Structural models of each size. Default: those of the grid.")
    ] = None,
    nodes: Annotated[str | None, typer.Option(help="Sizes of the models, of 5, 10, 30.")] = None,
    kinds: Annotated[str | None, typer.Option(help="Of range, equality, inter-column, mixed.")] = None,
    rarities: Annotated[str | None, typer.Option(help="Of easy, medium, hard, 1%, 0.1%, 0.001%.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="31 scenarios of fewer rows instead of 523.")] = False,
    out: Out = Path("bench-results"),
) -> None:
    """Ask for rows under conditions on known structural models, and judge them by the true conditional."""
    from janus_synth.bench.constrained.methods import make_conditional_methods
    from janus_synth.bench.constrained.pictures import write_pictures
    from janus_synth.bench.constrained.run import FULL, QUICK, run_constrained
    from janus_synth.bench.constrained.scenarios import chosen_scenarios

    chosen = make_conditional_methods(_words(methods), setting or ())
    grid = chosen_scenarios(
        quick=quick, seeds=seeds, nodes=_words(nodes), kinds=_words(kinds), rarities=_words(rarities)
    )
    result = run_constrained(grid, chosen, sizes=QUICK if quick else FULL)
    files = _finish(result, out)
    typer.echo(write_pictures(result, files.json.with_suffix("")), err=True)


@app.command(epilog="Example: janus bench exact --quick --parts A,C --cases 6 --out exact-results")
def exact(
    parts: Annotated[
        str | None,
        typer.Option(
            help="Of A (random models), B (Adult), C (cost by rarity), D (violations). Default: all, B only with "
            "Adult at hand."
        ),
    ] = None,
    cases: Annotated[
        int | None, typer.Option("--cases", "--seeds", min=1, help="Random models of part A. Default: 40, quick 4.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few cases of fewer rows, in less than two minutes.")] = False,
    out: Out = Path("bench-results"),
) -> None:
    """Hold rows under conditions against the same model's free rows that happen to obey."""
    from janus_synth.bench.exact.run import FULL, QUICK, run_exact

    _finish(run_exact(_words(parts), cases=cases, sizes=QUICK if quick else FULL), out)


@app.command(epilog="Example: janus bench uncertainty --quick --parts A,C --methods janus,dropout --out sure-results")
def uncertainty(
    parts: Annotated[
        str | None,
        typer.Option(help="Of A (noise in a region), B (more rows, less ignorance), C (noise in iris). Default: all."),
    ] = None,
    methods: Annotated[
        str | None, typer.Option(help="Of janus, paper, dropout, ensemble, evidential. Default: all of them.")
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="How often each part is repeated.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer rows and repeats, in about a minute.")] = False,
    out: Out = Path("bench-results"),
) -> None:
    """Ask how sure each method is, where labels are noisy and as rows become more; time the answers."""
    from janus_synth.bench.uncertainty.pictures import write_pictures
    from janus_synth.bench.uncertainty.run import FULL, QUICK, run_uncertainty

    result = run_uncertainty(_words(parts), _words(methods), seeds=seeds, sizes=QUICK if quick else FULL)
    files = _finish(result, out)
    typer.echo(write_pictures(result, files.json.with_suffix("")), err=True)


@app.command(epilog="Example: janus bench counterfactual --quick --methods janus,knn,flow --graphs Chain,Y")
def counterfactual(
    methods: Annotated[
        str | None,
        typer.Option(
            help="Of janus, copy, forget, linear, boosted, gp, mlp, knn, forest, flow, diffusion, vaca, dowhy-linear, "
            "dowhy-boosted, dowhy-auto. Default: all of them."
        ),
    ] = None,
    graphs: Annotated[str | None, typer.Option(help="Of Chain, Triangle, Diamond, Y. Default: all.")] = None,
    noises: Annotated[str | None, typer.Option(help="Of NLIN, NADD, NADD+. Default: all.")] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Models of each kind. Default: 5, quick 1.")] = None,
    most_seconds: Annotated[
        float | None, typer.Option(min=1, help="Leave a method out once one of its fits took longer.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer rows, and networks trained less.")] = False,
    out: Out = Path("bench-results"),
) -> None:
    """Ask what rows of known models would have been, and judge the answers by the truth."""
    from janus_synth.bench.counterfactual.pictures import write_pictures
    from janus_synth.bench.counterfactual.run import FULL, QUICK, run_counterfactual

    result = run_counterfactual(
        _words(methods),
        graphs=_words(graphs),
        noises=_words(noises),
        seeds=range(seeds or (1 if quick else 5)),
        sizes=QUICK if quick else FULL,
        most_seconds=most_seconds,
    )
    files = _finish(result, out)
    typer.echo(write_pictures(result, files.json.with_suffix("")), err=True)


@app.command(
    epilog="Example: janus bench fairness --quick --parts A,B --algorithms logistic,threshold-optimizer --rows 2000"
)
def fairness(
    parts: Annotated[
        str | None,
        typer.Option(
            help="Of A (direct bias), B (through a mediator), C (pipeline), D (hidden subgroup), E (trivial "
            "decisions), F (errors of the audit), G (equal pay). Default: all."
        ),
    ] = None,
    algorithms: Annotated[
        str | None,
        typer.Option(
            help="Of logistic, boosting, exponentiated-gradient, threshold-optimizer, majority. Default: all, quick "
            "without boosting."
        ),
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="adult or hiring. Default: adult where JANUS_DATA holds it, otherwise hiring.")
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Planted tables of each kind. Default: 3, quick 1.")] = None,
    rows: Annotated[
        int | None, typer.Option(min=500, help="Rows of a planted table. Default: 5000, quick 1000.")
    ] = None,
    splits: Annotated[int | None, typer.Option(min=2, help="Splits of an audit. Default: 10, quick 3.")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer rows, sizes and repeats, in about two minutes.")
    ] = False,
    out: Out = Path("bench-results"),
) -> None:
    """Plant bias of known size, audit fairness algorithms against it, and judge the paper's claims."""
    from janus_synth.bench.fairness.pictures import write_pictures
    from janus_synth.bench.fairness.run import FULL, QUICK, QUICK_ALGORITHMS, run_fairness

    chosen = QUICK_ALGORITHMS if quick and algorithms is None else _words(algorithms)
    sizes = QUICK if quick else FULL
    sizes = sizes if splits is None else replace(sizes, n_splits=splits)
    result = run_fairness(_words(parts), chosen, table=table, seeds=seeds, rows=rows, sizes=sizes)
    files = _finish(result, out)
    typer.echo(write_pictures(result, files.json.with_suffix("")), err=True)


@app.command(epilog="Example: janus bench show bench-results/fidelity-2026-01-31-120000.json")
def show(path: Annotated[Path, typer.Argument(help="A JSON file of an earlier run.")]) -> None:
    """Print the tables of an earlier run."""
    from janus_synth.bench.results import read_result

    _print(read_result(path))


def main() -> None:
    """Run the commands; an error on purpose is one line, not a traceback."""
    from janus_synth.errors import JanusError

    try:
        app()
    except JanusError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(1)


def _finish(result: Result, out: Path) -> Files:
    files = result.write(out)
    _print(result)
    typer.echo(f"wrote {files.json} and {files.markdown}", err=True)
    return files


def _print(result: Result) -> None:
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 160)
    for grid in result.grids():
        console.print(grid, "")


def _kept(cache: Path | None, *, fresh: bool, jobs: int, most_seconds: float | None) -> dict[str, Any]:
    """How a benchmark that can go on later is to measure."""
    from janus_synth.bench.store import Store

    return {"store": Store(cache), "fresh": fresh, "jobs": jobs, "most_seconds": most_seconds}


def _words(text: str | None) -> list[str] | None:
    return None if text is None else [word for word in map(str.strip, text.split(",")) if word]
