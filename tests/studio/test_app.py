"""The addresses of the studio, asked over HTTP as the page does."""

from __future__ import annotations

import io
import json
import re
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest

from janus_synth import Janus, datasets
from janus_synth.table.files import read_frame

NASTY = "<script>alert(1)</script>"


def table(n=150, **columns):
    return datasets.hiring(n, random_state=0).assign(**columns).to_csv(index=False).encode()


def upload(client, body, name="people.csv"):
    return client.ask("PUT", f"/api/data?name={name}", body)


def test_the_story_from_file_to_download(client, server):
    """Data, model, question, download; the shell line and the Python line draw the same rows."""
    assert upload(client, table()).status == 200
    assert client.wait()["state"] == "done"
    overview = client.get("/api/data").json
    assert overview["n_rows"] == 150
    rule = next(one["rule"] for one in overview["relations"] if one["rule"] and not one["exceptions"])
    assert client.post("/api/rules", rules=[rule]).json == {"kept": [rule]}
    assert client.post("/api/fit", seed=5).status == 200
    assert client.wait() == {**client.wait(), "state": "done", "error": ""}
    assert client.get("/api/model").json["rules"] == [rule]
    asked = client.post("/api/sample", where=["age > 40"], n=30, seed=2).json
    assert (asked["number"], len(asked["rows"])) == (1, 30)
    assert len(client.get("/api/rows/1/support?column=age").json) == 30
    assert client.get("/api/rows/1/support?column=none").status == 400
    assert client.get("/api/rows/1/support").status == 400
    assert client.get("/api/rows/2/support?column=age").status == 404
    csv = client.get("/api/rows/1.csv")
    assert csv.headers["content-disposition"] == 'attachment; filename="rows-1.csv"'
    parquet = client.get("/api/rows/1.parquet")
    found = pd.read_csv(io.BytesIO(csv.body))
    assert (found["age"] > 40).all()
    assert pd.read_parquet(io.BytesIO(parquet.body))["age"].tolist() == found["age"].tolist()
    again = Janus.load(server.studio.project.model).sample(30, where=["age > 40"], random_state=2)
    assert again["age"].tolist() == found["age"].tolist()
    assert again["applicant_id"].tolist() == found["applicant_id"].tolist()


def test_the_shell_line_draws_the_same_file(fitted, monkeypatch, tmp_path):
    import shlex

    from typer.testing import CliRunner

    from janus_synth.cli import app

    asked = fitted.client.post("/api/sample", where=["age > 40", "sex == 'male'"], n=40, seed=9).json
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.janus").write_bytes(fitted.studio.project.model.read_bytes())
    done = CliRunner().invoke(app, shlex.split(asked["shell"])[1:])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "rows.csv").read_bytes() == fitted.client.get(f"/api/rows/{asked['number']}.csv").body


def test_closing_loses_nothing(tmp_path, model_file, serve_folder):
    (tmp_path / "model.janus").write_bytes(model_file.read_bytes())
    with serve_folder(tmp_path) as first:
        first.client.post("/api/sample", where=["age > 40"], n=20, seed=1)
        before = first.client.get("/api/rows/1.csv").body
        rules = first.client.get("/api/state").json["requests"]
    with serve_folder(tmp_path) as second:
        assert second.client.get("/api/state").json["requests"] == rules
        assert second.client.get("/api/rows/1.csv").body == before
        assert second.client.get("/api/rows/1").json["rows"]


def test_a_corrected_column_is_learnt_as_corrected(client, server):
    upload(client, table())
    client.wait()
    assert client.post("/api/schema", columns={"age": {"kind": "numeric", "low": 0, "high": 120}}).status == 200
    assert client.wait()["state"] == "done"
    client.post("/api/fit", seed=0)
    assert client.wait()["state"] == "done"
    assert Janus.load(server.studio.project.model).schema_["age"].high == 120


def test_a_correction_that_the_table_refuses_is_not_kept(client):
    upload(client, table())
    client.wait()
    before = client.get("/api/data").body
    client.post("/api/schema", columns={"sex": {"kind": "numeric"}})
    ended = client.wait()
    assert ended["state"] == "failed"
    assert "sex" in ended["error"]
    assert client.get("/api/state").json["schema"] == {}
    assert client.get("/api/data").body == before


def test_a_new_table_replaces_the_old_one_and_its_rules(client, server):
    upload(client, table())
    client.wait()
    client.post("/api/rules", rules=["age > 10"])
    upload(client, b"x,y\n" + b"1,2\n3,4\n" * 30, "other.csv")
    assert client.wait()["state"] == "done"
    state = client.get("/api/state").json
    assert (state["title"], state["rules"], state["fitted"]) == ("other.csv", [], False)
    assert [path.name for path in server.studio.project.folder.glob("data-*")] == ["data-2.csv"]


def test_a_table_that_cannot_be_read_leaves_the_old_one(client, server):
    upload(client, table())
    client.wait()
    upload(client, b"PAR1 nothing", "broken.parquet")
    assert client.wait()["state"] == "failed"
    state = client.get("/api/state").json
    assert (state["title"], state["has_data"]) == ("people.csv", True)
    assert client.get("/api/data").json["n_rows"] == 150
    assert [path.name for path in server.studio.project.folder.glob("data-*")] == ["data-1.csv"]


def test_a_cancelled_fit_leaves_the_old_model(client, server, model_file):
    server.studio.project.model.write_bytes(model_file.read_bytes())
    upload(client, table(3000))
    client.wait()
    client.post("/api/fit", seed=0)
    assert client.post("/api/fit", seed=0).status == 400  # one at a time
    assert client.post("/api/cancel").status == 200
    assert client.wait()["state"] == "cancelled"
    assert server.studio.project.model.read_bytes() == model_file.read_bytes()
    assert client.get("/api/state").json["fitted"] is False


# Uploads


def leftovers(server):
    return [path.name for path in server.studio.project.folder.iterdir() if path.name.startswith(".")]


@pytest.fixture
def small(tmp_path, serve_folder):
    with serve_folder(tmp_path / "small", max_bytes=2000) as running:
        yield running


def test_an_upload_that_is_too_large_is_refused_before_it_is_sent(small):
    found = small.client.ask("PUT", "/api/data?name=a.csv", None, Content_Length="999999999")
    assert found.status == 413
    assert leftovers(small) == []


def test_an_upload_without_a_length_is_cut_at_the_limit(small):
    body = b"".join(b"3e8\r\n" + b"x" * 1000 + b"\r\n" for _ in range(5)) + b"0\r\n\r\n"
    found = small.client.ask("PUT", "/api/data?name=a.csv", body, Content_Length=None, Transfer_Encoding="chunked")
    assert found.status == 413
    assert leftovers(small) == []


@pytest.mark.parametrize("name", ["a.exe", "a", "", "a.janus", "a.csv/", "a.csv%00.exe"])
def test_other_types_are_refused(client, server, name):
    assert upload(client, b"x", name).status == 400
    assert leftovers(server) == []


@pytest.mark.parametrize(
    "name",
    [
        *("%2e%2e%2f%2e%2e%2fevil.csv", "..%5c..%5cevil.csv"),
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("../../evil.csv", "/tmp/evil.csv")),
    ],
)
def test_a_name_from_the_browser_reaches_no_file(client, server, name, tmp_path):
    upload(client, b"x,y\n" + b"1,2\n3,4\n" * 30, name)
    client.wait()
    assert client.get("/api/state").json["title"] == "evil.csv"
    assert list(tmp_path.rglob("evil*")) == []
    assert (server.studio.project.folder / "data-1.csv").exists()


@pytest.mark.parametrize(
    "path",
    [
        *("/assets/../app.py", "/assets/%2e%2e%2fbase.html.j2", "/assets/base.html.j2", "/assets//etc/passwd"),
        *("/api/rows/..%2fmodel.janus", "/api/rows/1.janus", "/api/rows/-1.csv", "/api/rows/1.csv/../../studio.json"),
        *("/studio.json", "/..%2f..%2fetc/passwd", "/api/rows/999.csv", "/api/rows/99999999999999999999999.csv"),
    ],
)
def test_paths_lead_nowhere_else(fitted, path):
    fitted.client.post("/api/sample", n=2, seed=0, where=[])
    assert fitted.client.get(path).status == 404


# Texts of tables


def test_scripts_in_names_and_levels_stay_texts(client):
    rows = pd.DataFrame({NASTY: ["<img src=x onerror=alert(2)>", "b</td>"] * 60, "x": range(120)})
    upload(client, rows.to_csv(index=False).encode(), "%3Cscript%3Ealert(3)%3C%2Fscript%3E.csv")
    assert client.wait()["state"] == "done"
    client.post("/api/fit", seed=0)
    assert client.wait()["state"] == "done"
    for path in ("/api/state", "/api/data", "/api/model"):
        found = client.get(path)
        assert found.headers["content-type"] == "application/json"
        json.loads(found.body)
    assert b"alert(" not in client.get("/").body
    column = client.get("/api/model").json["columns"][0]
    assert (
        client.post("/api/check", where=[f"{column['written']} == {column['levels'][0]}"]).json["verdict"] == "possible"
    )


def test_the_script_never_makes_html_of_texts(fitted):
    page = fitted.client.get("/").body.decode()
    names = re.findall(r'<script src="(/assets/[a-z-]+\.js)" defer>', page)
    assert len(names) == 4
    script = "\n".join(fitted.client.get(name).body.decode() for name in names)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", script)


def test_the_page_has_no_inline_script_or_style(fitted):
    page = fitted.client.get("/").body.decode()
    assert all(
        re.fullmatch(r'<script src="/assets/[a-z-]+\.js" defer>', one) for one in re.findall(r"<script[^>]*>", page)
    )
    assert "<style" not in page
    assert not re.search(r"\son\w+=|\sstyle=|https?://", page)


# Errors


@pytest.mark.parametrize("n", [0, -1, 1.5, "9", 10**9, None, True])
def test_a_number_of_rows_that_cannot_be_is_refused(fitted, n):
    assert fitted.client.post("/api/sample", n=n, where=[], seed=0).status == 400


def test_errors_are_in_words(fitted, client):
    assert "agee" in fitted.client.post("/api/sample", n=1, where=["agee > 3"], seed=0).json["error"]
    assert "nothing" in fitted.client.get("/api/explain?column=nothing").json["error"]
    assert "Learn the table first" in client.post("/api/check", where=[]).json["error"]
    assert "no table yet" in client.post("/api/fit").json["error"]
    assert "no table yet" in client.get("/api/data").json["error"]


def test_many_clients_at_once_get_their_own_answers(fitted):
    def ask(i):
        if i % 5 == 0:
            found = fitted.client.post("/api/sample", n=10 + i, where=[f"age > {20 + i % 20}"], seed=i).json
            ages = [row[found["columns"].index("age")] for row in found["rows"]]
            return found["number"], len(ages) == 10 + i and min(ages) > 20 + i % 20
        low = 30 + i % 10  # inside the domain
        clash = fitted.client.post("/api/check", where=[f"age > {low}", f"age < {low - 5}"]).json
        return None, [one["rule"] for one in clash["conflict"]] == [f"age > {low}", f"age < {low - 5}"]

    with ThreadPoolExecutor(25) as pool:
        numbers, right = zip(*pool.map(ask, range(50)), strict=True)
    assert all(right)
    drawn = [number for number in numbers if number]
    assert len(set(drawn)) == len(drawn) == 10


def test_the_page_answers_while_a_table_is_learnt(client):
    upload(client, table(3000))
    client.wait()
    client.post("/api/fit", seed=0)
    states = [client.get("/api/state").json["job"]["state"] for _ in range(10)]
    assert states[0] == "running"
    client.post("/api/cancel")
    client.wait()


def test_the_table_of_a_project_is_readable_by_the_library(client, server):
    client.post("/api/demo")
    assert client.wait()["state"] == "done"
    assert len(read_frame(server.studio.project.data())) == 2000
