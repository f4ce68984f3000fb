"""A real browser for tests of pages, and axe-core for their accessibility.

A module that imports this one is skipped where there is no browser. ``JANUS_BROWSER`` names one that is not on the
path, ``JANUS_PICTURES`` a folder for pictures of pages, ``JANUS_AXE`` a script of axe-core.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="the tests in a browser need playwright")
BROWSER = os.environ.get("JANUS_BROWSER") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
if BROWSER is None:
    pytest.skip("no browser: install chromium, or name one in JANUS_BROWSER", allow_module_level=True)
PICTURES = os.environ.get("JANUS_PICTURES")
WIDE, NARROW = {"width": 1400, "height": 900}, {"width": 390, "height": 844}


@contextmanager
def launched_browser():
    """Start the browser, and close it at the end."""
    with playwright.sync_playwright() as tools:
        opened = tools.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield opened
        opened.close()


def note_errors(page, errors):
    """Add to a list what the page reports on its console, and what its scripts raise."""
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)


def axe_script():
    """The script of axe-core, which a package of the extra dev brings along; None without it."""
    named, found = os.environ.get("JANUS_AXE"), find_spec("axe_playwright_python")
    path = Path(named) if named else Path(found.origin).with_name("axe.min.js") if found else None
    return None if path is None else path.read_text(encoding="utf-8")


AXE = axe_script()


def violations(page, options=None):
    """What axe finds; the browser's tools run its script, not the page. Nothing without axe: see `skip_without_axe`."""
    if AXE is None:
        return []
    page.evaluate(AXE + ";undefined")
    return page.evaluate("options => axe.run(document, options)", options or {})["violations"]


def skip_without_axe():
    """End a test of accessibility, after all else that it asserts, where axe is not installed."""
    if AXE is None:
        pytest.skip("axe-core is not installed, so accessibility was not checked: pip install axe-playwright-python")
