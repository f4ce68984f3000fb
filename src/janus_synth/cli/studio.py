"""``janus studio``: a table, a model or a project folder in; a local page in the browser out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from janus_synth.cli.output import console

STUDIO_EXAMPLES = (
    "janus studio",
    "janus studio people.csv",
    "janus studio people.janus",
    "janus studio people-studio --port 8080 --no-browser",
)


def studio(
    source: Annotated[
        Path | None, typer.Argument(metavar="SOURCE", help="Table, model file or project folder; may be left out.")
    ] = None,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen on; others than this computer's need --token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 0,
    token: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Secret in the first address; a random one by default.")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
) -> None:
    """Open a page in the browser: learn a table, state rules, ask for rows, without programming.

    A project folder keeps everything, so that closing loses nothing: people-studio for people.csv, or janus-studio.
    """
    from janus_synth.studio.server import serve

    folder, table = _places(source)
    say = console()
    serve(
        folder,
        table=table,
        host=host,
        port=port,
        token=token,
        browser=browser,
        say=lambda text: say.print(f"{text}\nEnd it with Ctrl+C.", soft_wrap=True, markup=False, highlight=False),
    )


def _places(source: Path | None) -> tuple[Path, Path | None]:
    """Folder of the project, and the table to start with."""
    from janus_synth.files import write_whole

    if source is None:
        return Path("janus-studio"), None
    if source.is_dir():
        return source, None
    if not source.exists():
        raise FileNotFoundError(f"there is no file or folder {source}. Check the name.")
    folder = Path(f"{source.name.split('.')[0]}-studio")
    if source.suffix != ".janus":
        return folder, source
    folder.mkdir(exist_ok=True)
    if not (folder / "model.janus").exists():
        write_whole(folder / "model.janus", source.read_bytes())
    return folder, None
