from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from janus_synth import __version__
from janus_synth.cli.options import FormatName
from janus_synth.cli.plugins import plugin_names
from janus_synth.table.files import FORMATS

COMMANDS = [
    *(
        "split",
        "profile",
        "fit",
        "sample",
        "check",
        "probability",
        "complete",
        "inspect",
        "evaluate",
        "demo",
        "discover",
        "falsify",
    ),
    *("uncertainty", "anomalies", "apply", "do", "effect", "counterfactual", "fairness plant", "fairness audit"),
    *("update", "merge", "predict", "studio"),
]
HEAVY = ("numpy", "pandas", "pyarrow", "scipy", "sklearn")
SHELL = {"|", ">"}
COMMAND = [sys.executable, "-m", "janus_synth"]


def shown_examples(janus, command):
    """Examples in the help of a command, each with the lines that go on after a backslash."""
    lines = [line.strip() for line in janus(*command.split(), "--help").output.splitlines()]
    found, lines = [], iter(lines[lines.index("Examples") :])
    for line in lines:
        if line.startswith("$ "):
            found.append([line[2:]])
            while found[-1][-1].endswith("\\"):
                found[-1].append(next(lines))
    return found


def documented(janus, command=""):
    """Examples in the help of a command, each in one line."""
    return [" ".join(line.removesuffix("\\") for line in lines) for lines in shown_examples(janus, command)]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_documents_examples_that_fit_a_narrow_terminal(janus, command):
    examples = shown_examples(janus, command)
    assert examples
    assert all(f"janus {command}" in lines[0] for lines in examples)
    assert all(len(line) <= 74 for lines in examples for line in lines)


def test_every_command_is_seen_to(janus):
    def commands(group):
        box = janus(*group.split(), "--help").output.partition("Commands")[2].partition("Examples")[0]
        return {line.split()[1] for line in box.splitlines() if line.startswith("│ ") and line[2] != " "}

    inner = {f"fairness {command}" for command in commands("fairness")}
    ours = commands("") - {"fairness"} - set(plugin_names())  # those of other packages have tests of their own
    assert ours | inner == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_documented_examples_work(janus, desk, monkeypatch, command):
    (desk / "parts").mkdir()
    shutil.copy(desk / "people.parquet", desk / "parts" / "0.parquet")
    monkeypatch.setitem(sys.modules, "janus_synth.demo", SimpleNamespace(run_demo=lambda *a, **k: None))
    monkeypatch.setattr("janus_synth.studio.server.serve", lambda *a, **k: None)  # which never ends by itself
    monkeypatch.setattr("janus_synth.cli.sample.BATCH_ROWS", 4096)
    monkeypatch.setattr("janus_synth.cli.audit.DEFAULT_ALGORITHMS", ("logistic",))  # the others take their time
    for line in documented(janus, command):
        words = shlex.split(line)
        if not SHELL & set(words):
            args = ["4000" if arg == "1000000" else arg for arg in words[1:]]
            told = janus(*args).stderr.splitlines()  # only a graph that nobody gave is doubted
            assert not [line for line in told if not line.startswith("warning: this graph was learnt")]


@pytest.mark.slow
def test_documented_pipes_work(janus, desk):
    """By day `test_head_may_close_the_pipe` has a process; other tests read and write standard streams in this one."""
    lines = [line for command in COMMANDS for line in documented(janus, command) if SHELL & set(shlex.split(line))]
    assert len(lines) == 8
    script = "\n".join([f'janus() {{ "{sys.executable}" -m janus_synth "$@"; }}', "set -e", *lines])
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    told = done.stdout.splitlines()
    header = next(at for at, line in enumerate(told) if line.startswith("applicant_id,age,sex"))
    profile, rows, rules = told[:header], told[header : header + 3], told[header + 3 :]
    assert profile[0].split() == ["rows", "300"]
    assert [line.count(",") for line in rows] == [8, 8, 8]
    assert "implies(not hired, bonus == 0)" in rules
    assert (desk / "full.csv").read_text().startswith("applicant_id,age,sex")
    assert (desk / "rows.arrow").read_bytes().startswith(b"ARROW1")
    assert '"frame": "pandas"' in (desk / "schema.json").read_text()


def test_the_examples_of_the_whole_are_in_order(janus, monkeypatch):
    monkeypatch.setitem(sys.modules, "janus_synth.demo", SimpleNamespace(run_demo=lambda *a, **k: None))
    for line in documented(janus):
        janus(*shlex.split(line)[1:])


@pytest.mark.parametrize("group", ["", "fairness"])
def test_a_group_alone_prints_its_help(janus, group):
    words = group.split()
    assert janus(*words).output == janus(*words, "--help").output
    assert f"Usage: janus {group}".strip() in janus(*words).output.replace("root", "janus")


def test_the_examples_of_a_group_are_in_order(janus, monkeypatch):
    monkeypatch.setattr("janus_synth.cli.audit.DEFAULT_ALGORITHMS", ("logistic",))
    for line in documented(janus, "fairness"):
        janus(*shlex.split(line)[1:], "-q")


@pytest.mark.parametrize("command", ["", "fit", "sample", "predict", "fairness plant"])
def test_flags_are_shown_without_a_type(janus, command):
    assert "<bool>" not in janus(*command.split(), "--help").output


def complete(line):
    """What a shell offers at the end of a line."""
    words = line.split()
    at = len(words) if line.endswith(" ") else len(words) - 1
    settings = {"_JANUS_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(at)}
    done = subprocess.run(COMMAND, env={**os.environ, **settings}, capture_output=True, text=True, timeout=60)
    return done.stdout.split()


def test_shells_complete_commands_options_and_choices(desk):
    assert complete("janus upd") == ["update"]
    assert "--forget" in complete("janus update --fo")
    assert complete("janus fit --leaves ") == ["auto", "histogram", "trend"]


@pytest.mark.skipif("bench" not in plugin_names(), reason="janus-bench is not installed")
def test_shells_complete_the_commands_of_other_packages(desk):
    assert complete("janus ben") == ["bench"]
    assert {"fidelity", "speed"} <= set(complete("janus bench "))
    assert complete("janus bench fidel") == ["fidelity"]


def test_the_version_is_that_of_the_package(janus):
    assert janus("--version").output == f"janus-synth {__version__}\n"


def test_help_imports_nothing_heavy_and_is_quick():
    code = (
        "import sys, janus_synth.cli as cli\n"
        "try: cli.main()\n"
        f"finally: print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True)
    seconds = time.perf_counter() - start
    assert done.returncode == 0
    assert done.stderr.strip() == "[]"
    assert seconds < 5, "0.3 s on an idle machine; this one is busy, or something heavy came in"


def test_format_names_are_those_of_the_files():
    assert tuple(FormatName) == FORMATS


def run(*args, **named):
    return subprocess.run([*COMMAND, *map(str, args)], capture_output=True, **named)


def test_head_may_close_the_pipe(desk):
    with subprocess.Popen(
        [*COMMAND, "sample", "people.janus", "-n", "3000000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout.readline().startswith(b"applicant_id,")
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(60) == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_process_leaves_no_file(desk, number, code):
    before = sorted(os.listdir(desk))
    command = [*COMMAND, "sample", "people.janus", "-n", "50000000", "-o", "rows.parquet"]
    heeded = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # background jobs of a shell ignore it, and their children
    try:
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    finally:
        signal.signal(signal.SIGINT, heeded)
    with running:
        deadline = time.monotonic() + 60
        while not [name for name in os.listdir(desk) if name.endswith(".part")]:
            assert time.monotonic() < deadline
            assert running.poll() is None
            time.sleep(0.05)
        running.send_signal(number)
        out, error = running.communicate(timeout=60)
    assert running.returncode == code
    assert out == ""
    assert len(error.splitlines()) == (1 if number == signal.SIGINT else 0)
    assert sorted(os.listdir(desk)) == before


def test_errors_leave_standard_output_empty(desk):
    failed = run("sample", "no.janus")
    assert (failed.returncode, failed.stdout) == (1, b"")
    assert failed.stderr == b"error: there is no file no.janus.\n"
