"""One command per benchmark, and those that show, assemble and run all."""

from janus_bench.catalog import with_command
from janus_bench.cli.app import app, main
from janus_bench.cli.assemble import assemble
from janus_bench.cli.commands import add_command
from janus_bench.cli.everything import run_all
from janus_bench.cli.show import show

for benchmark in with_command():
    add_command(app, benchmark)
app.command(epilog="Example: janus bench assemble docs/results --out docs/results.md")(assemble)
app.command("all", epilog="Example: janus bench all --quick --out quick-results")(run_all)
app.command(epilog="Example: janus bench show bench-results/fidelity-2026-01-31-120000.json")(show)

__all__ = ["app", "main"]
