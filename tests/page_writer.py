"""A page with examples in; the page with what they print now out. Examples that are still true stay as they are."""

from __future__ import annotations

import doctest
import io
from contextlib import redirect_stdout
from pathlib import Path

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


class Recorder(doctest.DocTestRunner):
    """Runs examples, and remembers what each one that is not true printed."""

    def __init__(self) -> None:
        super().__init__(optionflags=FLAGS, verbose=False)
        self.printed: dict[int, str] = {}

    def report_failure(self, out, test, example, got):  # the signature is doctest's
        self.printed[test.examples.index(example)] = got

    def report_unexpected_exception(self, out, test, example, exc_info):
        raise exc_info[1]


def refreshed(page: Path) -> str:
    """Return the text of a page in which every example shows what it prints."""
    text = page.read_text(encoding="utf-8")
    test = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, page.name, str(page), 0)
    recorder = Recorder()
    with redirect_stdout(io.StringIO()):
        recorder.run(test, clear_globs=False)
    lines = text.splitlines(keepends=True)
    for i, got in sorted(recorder.printed.items(), reverse=True):
        example = test.examples[i]
        first = example.lineno + example.source.count("\n")
        lines[first : first + example.want.count("\n")] = _shown(got)
    return "".join(lines)


def _shown(got: str) -> list[str]:
    return [line if line.strip() else "<BLANKLINE>\n" for line in got.splitlines(keepends=True)]
