"""Addresses of the views Compare, What if and Fairness: what the page asks in; answers of the library out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from janus_synth.errors import DataError
from janus_synth.studio import interventions, planting
from janus_synth.studio.guard import REPORT_HEADERS
from janus_synth.studio.inputs import read_json, read_name, read_number
from janus_synth.studio.models import Lane

if TYPE_CHECKING:
    from janus_synth.studio.jobs import Jobs
    from janus_synth.studio.project import Project

EFFECT, PLANTED, CERTIFICATE, PLANTED_ROWS = "effect.json", "planted.json", "planted.html", "planted.csv"
MOST_ROWS = 10**9


class Views:
    """Handlers of the views that judge rows and ask causal questions."""

    def __init__(self, project: Project, jobs: Jobs) -> None:
        self.project, self.jobs = project, jobs
        self.lane = Lane(project.model)
        self._table: tuple[tuple[str, int], Any] | None = None

    def routes(self) -> list[Route]:
        """All addresses of these views."""
        asked = [
            ("/api/compare", self.compare), ("/api/what-if", self.what_if), ("/api/effect", self.effect),
            ("/api/counterfactual", self.counterfactual), ("/api/vouch", self.vouch), ("/api/plant", self.plant),
        ]  # fmt: skip
        shown = [
            ("/api/compare/{number:int}", self.compared), ("/api/compare/{number:int}.html", self.report),
            ("/api/effect", self.estimated), ("/api/paths", self.paths), ("/api/plant", self.planted),
            ("/api/plant.html", self.certificate), ("/api/plant.csv", self.planted_rows),
        ]  # fmt: skip
        return [Route(path, how, methods=["POST"]) for path, how in asked] + [Route(path, how) for path, how in shown]

    # Compare

    async def compare(self, request: Request) -> Response:
        """Compare the rows of a question with rows that were set aside."""
        body = await read_json(request)
        number = read_number(body, "number", low=1, high=MOST_ROWS)
        asked, state = self.project.request(number), self.project.state
        if asked is None or not self.project.rows(number).exists():
            raise HTTPException(404, f"there is no question {number}.")
        if state.data is None:
            raise DataError("the project has a model and no table, so there are no real rows to compare with.")
        if not state.fitted or asked.get("fit", state.fits) != state.fits:
            raise DataError(f"the rows of question {number} are of an earlier model. Ask the question again.")
        target = body.get("target")
        task = {
            "task": "compare",
            **self._model_and_data(),
            "rows": str(self.project.rows(number)),
            "where": list(asked["where"]),
            "target": target if isinstance(target, str) and target else None,
            "title": f"Quality of question {number} of {state.title}",
            "page": str(self.project.compared(number, "html")),
            "answer": str(self.project.compared(number, "json")),
        }
        self.jobs.start(task, self._changed, most_seconds=None)
        return JSONResponse({"started": True})

    def _model_and_data(self) -> dict[str, Any]:
        state = self.project.state
        data = None if state.data is None else str(self.project.data())
        return {"model": str(self.project.model), "data": data, "held_out": state.held_out}

    def _changed(self) -> None:
        """A new answer is there: all tabs look again."""
        self.project.change()

    async def compared(self, request: Request) -> Response:
        """The comparison of a question's rows."""
        path = self.project.compared(request.path_params["number"], "json")
        return _json_file(path, "these rows were not compared yet.")

    async def report(self, request: Request) -> Response:
        """The full report of a comparison."""
        return _report_file(self.project.compared(request.path_params["number"], "html"))

    # What if

    async def what_if(self, request: Request) -> Response:
        """Distributions before and after columns are set."""
        settings = interventions.read_settings(await read_json(request))
        gone = request.is_disconnected
        return JSONResponse(await self.lane.ask(lambda janus: interventions.worlds(janus, settings), gone=gone))

    async def counterfactual(self, request: Request) -> Response:
        """One row as it would have been."""
        body = await read_json(request)
        settings = interventions.read_settings(body)
        place = read_number(body, "row", low=1, high=MOST_ROWS)
        source = read_number(body, "question", low=0, high=MOST_ROWS)
        row, n_rows = await run_in_threadpool(self._row, source, place)
        found = await self.lane.ask(
            lambda janus: interventions.counterfactual(janus, row, settings), gone=request.is_disconnected
        )
        return JSONResponse({**(found or {}), "row": place, "n_rows": n_rows})

    def _row(self, question: int, place: int) -> tuple[Any, int]:
        """A row of the table, or of a question if its number is given."""
        if question == 0 and self.project.state.data is None:
            raise DataError("the project has no table. Choose a row of a question.")
        path = self.project.rows(question) if question else self.project.data()
        if not path.exists():
            raise HTTPException(404, f"there is no question {question}.")
        frame = self._read(path)
        if place > len(frame):
            raise DataError(f"there are {len(frame):,} rows. Choose one of them.")
        return frame.iloc[[place - 1]], len(frame)

    def _read(self, path: Path) -> Any:
        """Read a table, or take it from the last time."""
        from janus_synth.table.files import read_frame

        stamp = (path.name, path.stat().st_mtime_ns)
        if self._table is None or self._table[0] != stamp:
            self._table = (stamp, read_frame(path))
        return self._table[1]

    async def effect(self, request: Request) -> Response:
        """Estimate an average treatment effect."""
        body = await read_json(request)
        given = body.get("values", [])
        if not isinstance(given, list) or not all(isinstance(spec, dict) for spec in given):
            raise ValueError("'values' must be a list of objects.")
        if not self.project.model.exists():
            raise DataError("there is no model yet. Learn the table first.")
        task = {
            "task": "effect",
            **self._model_and_data(),
            "treatment": read_name(body, "treatment"),
            "outcome": read_name(body, "outcome"),
            "values": given,
            "answer": str(self.project.answer(EFFECT)),
        }
        self.jobs.start(task, self._changed, most_seconds=None)
        return JSONResponse({"started": True})

    async def estimated(self, request: Request) -> Response:
        """The effect that was estimated last."""
        return _json_file(self.project.answer(EFFECT), "no effect was estimated yet.")

    async def vouch(self, request: Request) -> Response:
        """A person vouches for the graph of the model, or no longer does."""
        body = await read_json(request)
        edges = await self.lane.ask(lambda janus: tuple(janus.dag_.edges))
        self.project.change(vouched=edges if body.get("vouched") is True else None)
        return JSONResponse({"vouched": self.project.state.vouched is not None})

    # Fairness

    async def paths(self, request: Request) -> Response:
        """Columns between a protected column and an outcome."""
        protected, outcome = (read_name(request.query_params, name) for name in ("protected", "outcome"))
        return JSONResponse(await self.lane.ask(lambda janus: planting.mediators(janus, protected, outcome)))

    async def plant(self, request: Request) -> Response:
        """Plant a bias, and audit algorithms against it."""
        bias = planting.read_bias(await read_json(request))
        edges = await self.lane.ask(lambda janus: tuple(janus.dag_.edges))
        task = {
            "task": "plant",
            "model": str(self.project.model),
            "trusted": self.project.state.vouched == edges,
            "bias": bias,
            "answer": str(self.project.answer(PLANTED)),
            "page": str(self.project.answer(CERTIFICATE)),
            "rows": str(self.project.answer(PLANTED_ROWS)),
        }
        self.jobs.start(task, self._changed, most_seconds=None)
        return JSONResponse({"started": True})

    async def planted(self, request: Request) -> Response:
        """The bias that was planted last, its certificate and the audits."""
        return _json_file(self.project.answer(PLANTED), "no bias was planted yet.")

    async def certificate(self, request: Request) -> Response:
        """The certificate as a page to print."""
        return _report_file(self.project.answer(CERTIFICATE))

    async def planted_rows(self, request: Request) -> Response:
        """The rows with the bias, and the columns without it."""
        path = self.project.answer(PLANTED_ROWS)
        if not path.exists():
            raise HTTPException(404, "no bias was planted yet.")
        return FileResponse(path, filename="planted.csv", media_type="text/csv; charset=utf-8")


def answers_there(project: Project) -> Mapping[str, Any]:
    """Which answers of these views the project holds, for the state of the page."""
    numbers = [one["number"] for one in project.state.requests]
    return {
        "compared": [number for number in numbers if project.compared(number, "json").exists()],
        "effect": project.answer(EFFECT).exists(),
        "planted": project.answer(PLANTED).exists(),
    }


def _json_file(path: Path, absent: str) -> Response:
    if not path.exists():
        raise HTTPException(404, absent)
    return JSONResponse(json.loads(path.read_text(encoding="utf-8")))


def _report_file(path: Path) -> Response:
    if not path.exists():
        raise HTTPException(404, "there is no such report.")
    return FileResponse(path, media_type="text/html; charset=utf-8", headers=REPORT_HEADERS)
