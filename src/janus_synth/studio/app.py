"""A project in; the web application of the studio out: one page, and an address for each question it asks."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from janus_synth.errors import DataError, JanusError
from janus_synth.pages import render
from janus_synth.studio import answers
from janus_synth.studio.comparison import held_out_share
from janus_synth.studio.guard import Guard
from janus_synth.studio.inputs import read_columns, read_edges, read_json, read_name, read_number, read_texts
from janus_synth.studio.jobs import Jobs
from janus_synth.studio.limits import MOST_BYTES, suffix_of, title_of
from janus_synth.studio.models import Lane
from janus_synth.studio.project import MODEL, Project
from janus_synth.studio.views import Views, answers_there

MOST_ROWS = 1_000_000
MOST_SECONDS = 0.8
"""Time for the probability of a condition while it is typed."""
USUAL_PERCENT = 20
"""Share of the rows that a fit sets aside for comparisons."""
SCRIPTS = ("studio.js", "studio-compare.js", "studio-what-if.js", "studio-fairness.js")
ASSETS = {**dict.fromkeys(SCRIPTS, "text/javascript"), "studio.css": "text/css"}
TEMPLATES = Path(__file__).parents[1] / "pages" / "templates"
TYPES = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}


class Studio:
    """Handlers of all addresses, on one project."""

    def __init__(self, project: Project, *, max_bytes: int = MOST_BYTES) -> None:
        self.project, self.max_bytes = project, max_bytes
        self.jobs = Jobs()
        self.quick, self.rows, self.unsure = (Lane(project.model) for _ in range(3))
        self.views = Views(project, self.jobs)
        self._warming: asyncio.Task[None] | None = None

    async def page(self, request: Request) -> Response:
        """The page itself."""
        values = {"most_rows": MOST_ROWS, "most_megabytes": self.max_bytes // 2**20, "scripts": SCRIPTS}
        return HTMLResponse(render("studio.html.j2", **values))

    async def state(self, request: Request) -> Response:
        """The state of the project and of the task that runs; every tab asks for it."""
        state = self.project.state
        fitted = state.fitted and self.project.model.exists()
        names = ("title", "rules", "required", "forbidden", "seed", "version", "fits", "held_out", "vouched")
        values = {name: getattr(state, name) for name in names}
        requests = [{**one, **answers.repeat_lines(one, MODEL)} for one in state.requests]
        own = {"has_data": state.data is not None, "fitted": fitted, "requests": requests, "schema": state.schema}
        own["answers"] = answers_there(self.project)
        return JSONResponse({**values, **own, "folder": self.project.folder.name, "job": self.jobs.job.as_dict()})

    async def upload(self, request: Request) -> Response:
        """A table file as the body of the request; its name only says the format and what to show."""
        name = request.query_params.get("name", "")
        suffix = suffix_of(name)
        part = await self._receive(request)
        try:
            self.read(part, suffix, title_of(name))
        except ValueError:
            part.unlink(missing_ok=True)
            raise
        return JSONResponse({"started": True})

    def read(self, part: Path, suffix: str, title: str) -> None:
        """Start to read a file of the project's folder, which becomes its table."""
        name = self.project.next_data(".parquet" if suffix == ".xlsx" else suffix)
        target = str(self.project.folder / name)
        self._start_data({"task": "read", "source": str(part), "suffix": suffix, "target": target}, name, title)

    async def _receive(self, request: Request) -> Path:
        """Write the body of a request to a new file of the folder; raise if it is too large."""
        too_large = f"the file is larger than {self.max_bytes // 2**20} MB. Use janus fit for tables of this size."
        length = request.headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self.max_bytes:
            raise HTTPException(413, too_large)
        handle, part = tempfile.mkstemp(prefix=".upload-", suffix=".part", dir=self.project.folder)
        left = self.max_bytes
        try:
            with os.fdopen(handle, "wb") as file:
                async for piece in request.stream():
                    left -= len(piece)
                    if left < 0:
                        raise HTTPException(413, too_large)
                    await run_in_threadpool(file.write, piece)
        except (HTTPException, ClientDisconnect, OSError):
            Path(part).unlink(missing_ok=True)
            raise
        return Path(part)

    async def demo(self, request: Request) -> Response:
        """The demo table as the project's table."""
        name = self.project.next_data(".csv")
        target = str(self.project.folder / name)
        self._start_data({"task": "demo", "target": target}, name, "demo table")
        return JSONResponse({"started": True})

    def _start_data(self, task: dict[str, Any], name: str, title: str) -> None:
        """Start a task that makes a new table; the state changes only once it is there."""
        old = self.project.state.data
        new_overview = self.project.folder / ".overview.part"

        def after() -> None:
            os.replace(new_overview, self.project.overview)
            fresh: dict[str, Any] = {"schema": {}, "rules": (), "required": (), "forbidden": (), "fitted": False}
            fresh |= {"held_out": None, "vouched": None, "fits": self.project.state.fits + 1}
            self.project.change(data=name, title=title, **fresh)
            if old is not None and old != name:
                self.project.data(old).unlink(missing_ok=True)

        self.jobs.start({**task, "schema": {}, "overview": str(new_overview)}, after)

    async def data(self, request: Request) -> Response:
        """The overview of the table."""
        if self.project.state.data is None or not self.project.overview.exists():
            raise HTTPException(404, "there is no table yet. Drop a file, or take the demo table.")
        return Response(self.project.overview.read_bytes(), media_type="application/json")

    async def schema(self, request: Request) -> Response:
        """Corrections of columns: the overview is made anew, and they are kept if the table allows them."""
        given = read_columns(await read_json(request))
        if self.project.state.data is None:
            raise DataError("there is no table yet.")
        changed = {**self.project.state.schema, **given}
        new_overview = self.project.folder / ".overview.part"

        def after() -> None:
            os.replace(new_overview, self.project.overview)
            self.project.change(schema=changed)

        task = {"task": "look", "data": str(self.project.data()), "schema": changed, "overview": str(new_overview)}
        self.jobs.start(task, after)
        return JSONResponse({"started": True})

    async def rules(self, request: Request) -> Response:
        """Rules that the next fit gets."""
        body = await read_json(request)
        self.project.change(rules=tuple(read_texts(body, "rules")))
        return JSONResponse({"kept": list(self.project.state.rules)})

    async def fit(self, request: Request) -> Response:
        """Learn the table."""
        body = await read_json(request)
        required, forbidden = read_edges(body, "required"), read_edges(body, "forbidden")
        seed = read_number(body, "seed", low=0, high=2**32 - 1)
        percent = read_number({"percent": USUAL_PERCENT, **body}, "percent", low=0, high=50)
        if self.project.state.data is None:
            raise DataError("there is no table yet. Drop a file, or take the demo table.")
        share = held_out_share(self._n_rows(), percent)
        held_out = {"share": share, "seed": seed} if share else None
        state = self.project.change(required=required, forbidden=forbidden, seed=seed)
        task = {
            "task": "fit",
            "data": str(self.project.data()),
            "schema": state.schema,
            "rules": list(state.rules),
            "required": required,
            "forbidden": forbidden,
            "seed": seed,
            "held_out": held_out,
            "model": str(self.project.model),
        }

        def after() -> None:
            self.project.change(fitted=True, fits=self.project.state.fits + 1, held_out=held_out)

        self.jobs.start(task, after, most_seconds=None)
        return JSONResponse({"started": True})

    def _n_rows(self) -> int:
        """Rows of the table, as the overview says."""
        return int(json.loads(self.project.overview.read_text(encoding="utf-8"))["n_rows"])

    async def cancel(self, request: Request) -> Response:
        """End the task that runs."""
        await run_in_threadpool(self.jobs.cancel)
        return JSONResponse({"cancelled": True})

    async def model(self, request: Request) -> Response:
        """Columns, edges and rules of the model."""
        found = await self.quick.ask(answers.describe_model)
        if self._warming is None or self._warming.done():
            self._warming = asyncio.create_task(self.rows.load())
        return JSONResponse(found)

    async def explain(self, request: Request) -> Response:
        """Decision rules of a column."""
        column = request.query_params.get("column", "")
        return JSONResponse(await self.quick.ask(lambda janus: answers.explain(janus, column)))

    async def check(self, request: Request) -> Response:
        """Whether any row satisfies conditions."""
        where = read_texts(await read_json(request), "where")
        gone = request.is_disconnected
        return JSONResponse(await self.quick.ask(lambda janus: answers.verdict(janus, where), gone=gone))

    async def probability(self, request: Request) -> Response:
        """How rare rows that satisfy conditions are."""
        where = read_texts(await read_json(request), "where")
        gone = request.is_disconnected
        return JSONResponse(
            await self.quick.ask(lambda janus: answers.rarity(janus, where, max_seconds=MOST_SECONDS), gone=gone)
        )

    async def sample(self, request: Request) -> Response:
        """Draw rows; the question and its rows become part of the project."""
        body = await read_json(request)
        where = read_texts(body, "where")
        n = read_number(body, "n", low=1, high=MOST_ROWS)
        seed = read_number(body, "seed", low=0, high=2**32 - 1)
        return JSONResponse(await self.rows.ask(lambda janus: self._draw(janus, where, n, seed)))

    def _draw(self, janus: Any, where: list[str], n: int, seed: int) -> dict[str, Any]:
        from janus_synth.table.files import write_frame

        frame = janus.sample(n, where=where or None, random_state=seed)
        handle, part = tempfile.mkstemp(prefix=".rows-", suffix=".part.parquet", dir=self.project.folder)
        os.close(handle)
        try:
            write_frame(frame, part)
            fit = self.project.state.fits
            asked = self.project.add_request({"n": n, "where": where, "seed": seed, "fit": fit})
            os.replace(part, self.project.rows(asked["number"]))
        finally:
            Path(part).unlink(missing_ok=True)
        return {**asked, **answers.repeat_lines(asked, MODEL), **answers.show_rows(frame)}

    async def shown(self, request: Request) -> Response:
        """The first rows of an earlier question."""
        number, path = self._asked(request)

        asked = dict(self.project.request(number) or {})
        shown = await run_in_threadpool(lambda: answers.show_rows(_read(path)))
        return JSONResponse({**asked, **answers.repeat_lines(asked, MODEL), **shown})

    async def support(self, request: Request) -> Response:
        """Support of a column's cells in the first rows; one column at a time, because its first answer takes time."""
        _, path = self._asked(request)
        column, gone = read_name(request.query_params, "column"), request.is_disconnected
        found = await self.unsure.ask(lambda janus: answers.show_support(janus, _read(path), column), gone=gone)
        return JSONResponse(found)

    async def download(self, request: Request) -> Response:
        """All rows of a question as a file."""
        number, path = self._asked(request)
        ending = request.path_params["ending"]
        if ending not in TYPES:
            raise HTTPException(404, "rows can be had as csv or parquet.")
        name = f"rows-{number}.{ending}"
        if ending == "parquet":
            return FileResponse(path, filename=name, media_type=TYPES[ending])
        content = await self.rows.ask(lambda janus: _as_csv(path, janus.schema_))
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=TYPES[ending], headers=headers)

    def _asked(self, request: Request) -> tuple[int, Path]:
        number = int(request.path_params["number"])
        path = self.project.rows(number)
        if self.project.request(number) is None or not path.exists():
            raise HTTPException(404, f"there is no question {number}.")
        return number, path


def _read(path: Path) -> Any:
    from janus_synth.table.files import read_frame

    return read_frame(path)


def _as_csv(path: Path, schema: Any) -> bytes:
    """Rows as the command line writes them."""
    from janus_synth.table.files import write_frame

    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "rows.csv"
        write_frame(_read(path), target, schema=schema)
        return target.read_bytes()


async def _asset(request: Request) -> Response:
    """The script or the style of the page."""
    name = request.path_params["name"]
    if name not in ASSETS:
        raise HTTPException(404, "there is no such file.")
    return FileResponse(TEMPLATES / name, media_type=ASSETS[name])


async def _show_error(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 400
    return JSONResponse({"error": error.detail if isinstance(error, HTTPException) else str(error)}, status)


async def _show_fault(request: Request, error: Exception) -> Response:
    """A fault of ours: the page says so, without details of this computer."""
    return JSONResponse({"error": "the studio failed to answer. Its terminal says more."}, 500)


def build_app(studio: Studio, *, token: str, hosts: Iterable[str]) -> Guard:
    """Application of a studio behind its guard."""
    routes = [
        Route("/", studio.page),
        Route("/assets/{name}", _asset),
        Route("/api/state", studio.state),
        Route("/api/data", studio.data),
        Route("/api/data", studio.upload, methods=["PUT"]),
        Route("/api/model", studio.model),
        Route("/api/explain", studio.explain),
        Route("/api/rows/{number:int}", studio.shown),
        Route("/api/rows/{number:int}/support", studio.support),
        Route("/api/rows/{number:int}.{ending}", studio.download),
        *studio.views.routes(),
    ]
    for name in ("demo", "schema", "rules", "fit", "cancel", "check", "probability", "sample"):
        routes.append(Route(f"/api/{name}", getattr(studio, name), methods=["POST"]))
    kinds: tuple[type[Exception], ...] = (HTTPException, JanusError, ValueError)
    handlers: dict[Any, Any] = {**dict.fromkeys(kinds, _show_error), Exception: _show_fault}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), token=token, hosts=hosts)
