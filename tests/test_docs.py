"""Documentation pages: their examples run, their links lead somewhere, their commands print what they show."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
import time
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from janus_synth.cli.app import app
from page_writer import refreshed

ROOT = Path(__file__).parents[1]
WRITTEN_PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if page.parent.name != "results"]
"""All pages but those that the benchmarks generate."""
PAGES = [page for page in WRITTEN_PAGES if ">>>" in page.read_text(encoding="utf-8")]
REWRITE = bool(os.environ.get("JANUS_REWRITE_PAGES"))
"""Whether the pages shall show what their examples print now."""
FAIRNESS = ROOT / "docs" / "fairness.md"
TEXTS = [
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG", "SECURITY", "RELEASING")),
    *WRITTEN_PAGES,
]
FOLDERS = [ROOT, ROOT / "src" / "janus_synth", ROOT / "bench" / "src" / "janus_bench"]
"""Where the paths of a text begin."""
FILE = re.compile(r"`((?:[\w.-]+/)+[\w.-]*|[\w.-]+\.(?:py|pyi|md|toml))`")
"""A path in back-quotes: with a slash, or a source file by its name."""
WRITTEN = re.compile(r"bench-results/|janus-demo/|build/site|\.venv/|NAME\.|janus\.toml")
"""What commands write, what users write, and names that stand for any other."""
TIMES = re.compile(r"\(\d[\d.]* k?B, \d[\d.]* s\)")
"""Sizes and seconds, which differ from run to run."""


def page_name(page: Path) -> str:
    """Path of a page below the root."""
    return page.relative_to(ROOT).as_posix()


def test_the_page_on_conditions_has_examples():
    assert "conditions.md" in [page.name for page in PAGES]


@pytest.mark.parametrize("page", [*PAGES, *([ROOT / "README.md"] if REWRITE else [])], ids=page_name)
def test_examples_of_a_page_are_true(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if REWRITE:
        page.write_text(refreshed(page), encoding="utf-8")
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.REPORT_NDIFF
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=flags, encoding="utf-8")
    assert tried
    assert not failed


@pytest.mark.parametrize("page", TEXTS, ids=page_name)
def test_links_of_a_page_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", [page for page in TEXTS if page.name != "results.md"], ids=page_name)
def test_paths_in_a_text_exist(page):
    named = {path for path in FILE.findall(page.read_text(encoding="utf-8")) if not WRITTEN.match(path)}
    missing = [path for path in sorted(named) if not any((folder / path).exists() for folder in FOLDERS)]
    assert [path for path in missing if "/" in path or not is_file_name(path)] == []


def is_file_name(name: str) -> bool:
    """Whether some file of the sources has this name."""
    return any(True for folder in FOLDERS[1:] for _ in folder.rglob(name))


def test_the_modules_of_the_glossary_exist():
    terms = re.findall(
        r"^\| ([^|]+) \| [^|]+ \| `([\w.]+)` \|$", (ROOT / "docs" / "glossary.md").read_text("utf-8"), re.M
    )
    assert len(terms) >= 55
    assert [(term, name) for term, name in terms if find_spec(f"janus_synth.{name}") is None] == []


def test_every_row_of_the_glossary_has_a_meaning_and_a_module():
    rows = re.findall(r"^\|.*\|$", (ROOT / "docs" / "glossary.md").read_text("utf-8"), re.M)
    terms = [row for row in rows if not row.startswith(("| term |", "|---"))]
    assert [row for row in terms if not re.fullmatch(r"\| [^|]+ \| [A-Z][^|]+\. \| `[\w.]+` \|", row)] == []


def test_the_architecture_names_every_layer():
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"][0]
    layers = {name for layer in contract["layers"] for name in layer.split(" : ")}
    named = set(re.findall(r"`(\w+)`", (ROOT / "docs" / "architecture.md").read_text("utf-8")))
    assert layers - named == set()


def test_the_modules_of_the_architecture_exist():
    packages = {path.name for path in FOLDERS[1].iterdir() if (path / "__init__.py").exists()}
    named = set(re.findall(r"`(\w+\.[\w.]+)`", (ROOT / "docs" / "architecture.md").read_text("utf-8")))
    modules = {name for name in named if name.split(".")[0] in packages}
    assert len(modules) >= 10
    assert [name for name in sorted(modules) if find_spec(f"janus_synth.{name}") is None] == []


def fenced_blocks() -> list[tuple[str, str]]:
    """Language and text of the fenced blocks, in order."""
    return re.findall(r"^```(python|console)\n(.*?)^```", FAIRNESS.read_text(encoding="utf-8"), re.M | re.S)


def run_command(command: str) -> str:
    """What a command prints, on either stream."""
    result = CliRunner().invoke(app, shlex.split(command)[1:], env={"COLUMNS": "100"})
    assert result.exit_code == 0, result.output
    return result.output


def stable_lines(text: str) -> list[str]:
    """Lines that do not differ from run to run: without sizes, seconds, empty lines and trailing blanks."""
    return [TIMES.sub("(…)", line).rstrip() for line in text.strip().splitlines() if line.strip()]


def split_commands(block: str) -> list[tuple[str, str]]:
    """Commands of a block and what it shows of each."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.M)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def render_page() -> str:
    """The page with what the commands print now."""
    text = FAIRNESS.read_text(encoding="utf-8")
    for language, block in fenced_blocks():
        if language == "python":
            exec(block, {})
            continue
        lines = []
        for command, _ in split_commands(block):
            printed = TIMES.sub("(…)", run_command(command)).rstrip().splitlines()
            lines += [f"$ {command}", *(line.rstrip() for line in printed)]
        fresh = "".join(f"{line}\n" for line in lines)
        text = text.replace(f"```console\n{block}```", f"```console\n{fresh}```")
    return text


def takes_long(command: str) -> bool:
    """Whether a command audits an algorithm that is trained dozens of times for each split."""
    return " audit " in command and ("--algorithm" not in command or "exponentiated-gradient" in command)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_commands_print_what_the_page_shows(tmp_path, monkeypatch, every):
    """By day all commands but two audits, which take as long as the rest together."""
    monkeypatch.chdir(tmp_path)
    if REWRITE:
        FAIRNESS.write_text(render_page(), encoding="utf-8")
        return
    n_commands = 0
    for language, block in fenced_blocks():
        if language == "python":
            exec(block, {})
            continue
        for command, printed in split_commands(block):
            if every or not takes_long(command):
                assert stable_lines(run_command(command)) == stable_lines(printed), command
                n_commands += 1
    assert n_commands == (9 if every else 7)


def test_the_commands_of_the_page_on_disclosure_run(tmp_path, monkeypatch):
    from janus_synth import datasets

    text = (ROOT / "docs" / "disclosure.md").read_text(encoding="utf-8")
    commands = [line for line in text.splitlines() if line.startswith("janus ")]
    assert len(commands) == 4
    monkeypatch.chdir(tmp_path)
    datasets.hiring(600, random_state=0).to_csv("people.csv", index=False)
    for command in commands:
        run_command(command.replace("-n 5000", "-n 400"))
    assert "Disclosure risk" in Path("report.html").read_text(encoding="utf-8")


def test_a_refreshed_page_shows_what_its_examples_print(tmp_path):
    page, kept = tmp_path / "page.md", ">>> 0.25\n0.2...\n\n```\nafter\n"
    page.write_text(f"```python\n>>> 1 + 1\n3\n>>> print('a', 'b', sep='\\n\\n')\nold\n{kept}", encoding="utf-8")
    assert refreshed(page).endswith(f">>> 1 + 1\n2\n>>> print('a', 'b', sep='\\n\\n')\na\n<BLANKLINE>\nb\n{kept}")


def shell_block(page: Path) -> str:
    """The commands of the first shell block of a page."""
    return re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)[0]


def run_in_shell(commands: str, folder: Path) -> str:
    """Paste commands into a shell; return what they print."""
    script = f'set -e\njanus() {{ "{sys.executable}" -m janus_synth "$@"; }}\n{commands}'
    done = subprocess.run(["sh", "-c", script], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("pasted", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_shell_block_of_the_readme_works(tmp_path, monkeypatch, pasted):
    """By day command by command in this process, by night pasted into a shell."""
    commands = shell_block(ROOT / "README.md")
    lines = commands.splitlines()
    assert len(lines) == 5
    if pasted:
        printed = run_in_shell(commands, tmp_path)
    else:
        monkeypatch.chdir(tmp_path)
        printed = "".join(run_command(line.partition("  #")[0]) for line in lines)
    assert "Disclosure risk" in printed
    rows = pd.read_csv(tmp_path / "synthetic.csv")
    assert len(rows) == 2_000
    assert bool((rows["experience"] <= rows["age"] - 18).all())
    assert "Quality of a synthetic table" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_stranger_gets_from_their_own_file_to_rows_under_rules_with_a_report(tmp_path):
    """The page to start from, with a file that a spreadsheet could have written in place of the example table."""
    first, *commands = shell_block(ROOT / "docs" / "index.md").splitlines()
    assert first.startswith("janus demo --data people.csv")
    lines = [f"{1 + i % 28:02}/0{1 + i % 9}/2024,${1_000 + 37 * i % 900}.50,{i % 40},{18 + i % 50}" for i in range(600)]
    (tmp_path / "people.csv").write_text("\n".join(["joined,paid,experience,age", *lines]), encoding="utf-8")
    assert len(commands) == 5
    start = time.monotonic()
    run_in_shell("\n".join(commands), tmp_path)
    assert time.monotonic() - start < 600, "ten minutes; 80 s on two busy cores"
    rows = pd.read_csv(tmp_path / "synthetic.csv")
    assert rows["paid"].str.fullmatch(r"\$\d+\.50").all()
    assert bool((rows["experience"] <= rows["age"] - 18).all())
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "people.train.csv · people.test.csv · synthetic.csv" in page
    assert "Overall: " in page


SENTENCE_WORDS = 45
"""A sentence with more words is two."""


def sentences(text: str) -> list[str]:
    """Sentences of the running text: without code, tables, headings and links' addresses."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    lines = [line for line in text.splitlines() if not line.lstrip().startswith(("|", "#", "!", ":::", "[["))]
    text = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "code", "\n".join(lines)))
    blocks = re.split(r"\n\s*\n|^\s*(?:[-*]|\d+\.)\s", text, flags=re.M)
    return [
        one.strip() for block in blocks for one in re.split(r"(?<=[.!?:;])\s+", " ".join(block.split())) if one.strip()
    ]


def test_sentences_are_found():
    text = "# Head\n\nOne `a. b` two. Three [four](x.md)!\n\n- item one\n- item two\n\n| a | b |\n"
    assert sentences(text) == ["One code two.", "Three [four]!", "item one", "item two"]


@pytest.mark.parametrize("page", [ROOT / "README.md", *WRITTEN_PAGES], ids=page_name)
def test_sentences_are_short(page):
    if page.name in ("results.md", "results-at-a-glance.md"):
        pytest.skip("written by the benchmarks")
    long = [one for one in sentences(page.read_text(encoding="utf-8")) if len(one.split()) > SENTENCE_WORDS]
    assert long == []


def test_every_page_is_on_the_site():
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    named = set(re.findall(r"[\w/-]+\.md", config[config.index("nav:\n  - Get") :]))
    assert named == {page.relative_to(ROOT / "docs").as_posix() for page in WRITTEN_PAGES}


@pytest.mark.slow
def test_the_site_builds_without_warnings(tmp_path):
    pytest.importorskip("mkdocstrings")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    )
    assert (done.returncode, done.stderr) == (0, "")
    reference = (tmp_path / "reference" / "cli.html").read_text(encoding="utf-8")
    assert "janus fairness audit" in reference
    assert "--on-violation" in reference
