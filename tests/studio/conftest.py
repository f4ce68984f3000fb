"""A studio that runs on a port of this computer, and a client that speaks to it as a browser does."""

from __future__ import annotations

import http.client
import json
import shutil
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from janus_synth import Janus, datasets
from janus_synth.studio.app import Studio
from janus_synth.studio.project import Project
from janus_synth.studio.server import listen, make_server
from janus_synth.studio.worker import run

TOKEN = "a token of the tests 0123456789"


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Client:
    """Requests with the headers of a browser on our page; ``headers`` replaces some, None leaves one out."""

    port: int
    cookie: str = ""
    host: str = field(init=False)

    def __post_init__(self):
        self.host = f"127.0.0.1:{self.port}"

    def ask(self, method, path, body=None, **headers) -> Answer:
        sent = {"Host": self.host, "Origin": f"http://{self.host}", "Cookie": self.cookie}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, value)
            if body is not None and "Content_Length" not in headers:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders()
            if body:
                connection.send(body)
            found = connection.getresponse()
            return Answer(found.status, {k.lower(): v for k, v in found.getheaders()}, found.read())
        finally:
            connection.close()

    def get(self, path, **headers) -> Answer:
        return self.ask("GET", path, **headers)

    def post(self, path, /, **values) -> Answer:
        return self.ask("POST", path, json.dumps(values).encode())

    def log_in(self, token=TOKEN) -> Answer:
        found = self.get(f"/?token={token.replace(' ', '+')}", Cookie=None)
        self.cookie = found.headers.get("set-cookie", "").split(";")[0]
        return found

    def wait(self, seconds=60) -> dict[str, Any]:
        """State of the task once it has ended."""
        end = time.monotonic() + seconds
        while (job := self.get("/api/state").json["job"])["state"] == "running":
            assert time.monotonic() < end, job
            time.sleep(0.05)
        return job


@dataclass
class Running:
    studio: Studio
    client: Client
    token: str = TOKEN

    @property
    def address(self) -> str:
        return f"http://{self.client.host}/?token={self.token.replace(' ', '+')}"


class Server:
    """A studio of a folder, served from a thread."""

    def __init__(self, folder, **options):
        self.studio = Studio(Project(folder), **options)
        listener = listen("127.0.0.1", 0)
        self.server = make_server(self.studio, listener, host="127.0.0.1", token=TOKEN)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listener]}, daemon=True)
        self.port = listener.getsockname()[1]

    def __enter__(self) -> Running:
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)
        client = Client(self.port)
        client.log_in()
        return Running(self.studio, client)

    def __exit__(self, *_):
        self.server.should_exit = True
        self.thread.join(20)
        self.studio.jobs.close()


@pytest.fixture
def server(tmp_path):
    with Server(tmp_path / "project") as running:
        yield running


@pytest.fixture
def client(server):
    return server.client


@pytest.fixture(scope="session")
def model_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.janus"
    Janus(n_trees=2, n_jobs=1, random_state=0).fit(datasets.hiring(400, random_state=0)).save(path)
    return path


@pytest.fixture(scope="session")
def fitted(tmp_path_factory, model_file):
    """A studio of a fitted model; tests that share it only ask questions."""
    folder = tmp_path_factory.mktemp("fitted")
    (folder / "model.janus").write_bytes(model_file.read_bytes())
    with Server(folder) as running:
        yield running


@pytest.fixture(scope="session")
def serve_folder():
    """Start a studio of a folder inside a test."""
    return Server


@pytest.fixture(scope="session")
def judged_folder(tmp_path_factory):
    """A project in which everything was done once: learnt, asked, compared, an effect estimated, a bias planted."""
    from janus_synth.studio.comparison import divide_rows

    folder, held_out = tmp_path_factory.mktemp("judged"), {"share": 0.2, "seed": 0}
    table = datasets.hiring(500, random_state=0)
    table.to_csv(folder / "data-1.csv", index=False)
    model = Janus(n_trees=2, n_jobs=1, random_state=0).fit(divide_rows(table, held_out)[0])
    model.save(folder / "model.janus")
    model.sample(300, random_state=1).to_parquet(folder / "rows-1.parquet")
    run_tasks(folder, held_out, model.schema_)
    asked = {"number": 1, "n": 300, "where": [], "seed": 1, "fit": 1}
    state = {"data": "data-1.csv", "title": "people.csv", "fitted": True, "fits": 1, "held_out": held_out}
    Project(folder).change(**state, requests=(asked,))
    return folder


def run_tasks(folder, held_out, schema):
    """Run the tasks of the views in this process, with fewer rows than they usually take."""
    files = {"model": "model.janus", "data": "data-1.csv", "rows": "rows-1.parquet", "overview": "overview.json"}
    files |= {"page": "compared-1.html", "answer": "compared-1.json"}
    own = {name: str(folder / path) for name, path in files.items()} | {"held_out": held_out}
    places = [schema["education"].levels.index(level) for level in ("school", "phd")]
    effect = {"treatment": "education", "outcome": "requested_salary", "values": [{"level": place} for place in places]}
    bias = {"protected": "sex", "privileged": {"level": 1}, "outcome": "hired", "favourable": {"level": 1}}
    planted = {
        name: str(folder / f"planted.{end}") for name, end in (("answer", "json"), ("page", "html"), ("rows", "csv"))
    }
    tasks = [
        {**own, "task": "look", "schema": {}},
        {**own, "task": "compare", "where": [], "target": "hired", "title": "Quality of question 1"},
        {**own, "task": "effect", **effect, "answer": str(folder / "effect.json")},
        {**own, "task": "plant", "trusted": False, "bias": {**bias, "magnitude": 0.2, "path": "direct"}, **planted},
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("janus_synth.studio.planting.N_ROWS", 800)
        patch.setattr("janus_synth.studio.planting.N_SPLITS", 3)
        for task in tasks:
            messages = []
            run(task, messages.append)
            assert messages[-1] == {"done": True}, messages[-1]


@pytest.fixture
def judged(judged_folder, tmp_path):
    """A studio on a copy of that project."""
    shutil.copytree(judged_folder, tmp_path / "people-studio")
    with Server(tmp_path / "people-studio") as running:
        yield running
