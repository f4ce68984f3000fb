"""Time and memory of one task in a new Python process: a task name and its arguments in, measurements out.

``python -m janus_bench.fresh fit table.parquet model.janus`` prints one line of JSON; `ask` starts such a process and
reads that line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from janus_synth import Janus

Answer = dict[str, float]


def ask(question: str, *arguments: object) -> Answer:
    """Run one of `QUESTIONS` in a new process and return its measurements."""
    return _run(["-m", __name__, question, *map(str, arguments)])


def ask_import(statement: str) -> Answer:
    """Time an import in a new process.

    Examples
    --------
    >>> ask_import("import janus_synth")["seconds"] < 5
    True
    """
    code = (
        "from time import perf_counter; start = perf_counter(); "
        f"{statement}; stop = perf_counter(); import json; print(json.dumps({{'seconds': stop - start}}))"
    )
    return _run(["-c", code])


def first_call() -> Answer:
    """Fit and sample a small table twice; the first time loads the compiled kernels."""
    from janus_synth import Janus
    from janus_synth.datasets import hiring

    frame = hiring(500)
    times = []
    for _ in range(2):
        start = perf_counter()
        Janus(random_state=0).fit(frame, progress=False).sample(500, random_state=0, progress=False)
        times.append(perf_counter() - start)
    return {"seconds": times[0], "again_seconds": times[1]}


def fit(table: str, model: str) -> Answer:
    """Fit a parquet table and save the model."""
    import pandas as pd

    from janus_synth import Janus

    frame = pd.read_parquet(table)
    _warm_up()
    before = resident_mib()
    start = perf_counter()
    fitted = Janus(random_state=0).fit(frame, progress=False)
    answer = {"seconds": perf_counter() - start, "before_mib": before, "peak_mib": max(before, peak_mib())}
    fitted.save(model)
    return answer


def sample(model: str, n: str) -> Answer:
    """Load a model and draw rows, all at once."""
    return _draw_answer(model, lambda fitted: fitted.sample(int(n), random_state=1, progress=False))


def sample_batches(model: str, n: str) -> Answer:
    """Load a model and draw rows in batches, without keeping them."""
    return _draw_answer(
        model, lambda fitted: sum(map(len, fitted.sample_batches(int(n), random_state=1, progress=False)))
    )


def _draw_answer(model: str, draw: Callable[[Janus], object]) -> Answer:
    from janus_synth import Janus

    fitted = Janus.load(model)
    _warm_up()
    before = resident_mib()
    start = perf_counter()
    draw(fitted)
    return {"seconds": perf_counter() - start, "before_mib": before, "peak_mib": max(before, peak_mib())}


def _run(arguments: list[str]) -> Answer:
    """Start Python and parse the last line of its output; modules are compiled once, as in an installed package."""
    command = [sys.executable, *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise RuntimeError(f"the process that measures {arguments} failed:\n{done.stderr}")
    answer: Answer = json.loads(done.stdout.splitlines()[-1])
    return answer


def _warm_up() -> None:
    """Load compiled kernels before anything is timed."""
    from janus_synth import Janus
    from janus_synth.datasets import hiring

    Janus(random_state=0).fit(hiring(200), progress=False).sample(100, random_state=0, progress=False)


def peak_mib() -> float:
    """Largest resident memory of this process so far.

    On Linux ``ru_maxrss`` survives ``exec``, so a large parent process would count; the process's own high-water mark
    (``VmHWM``) is read instead. Other systems use ``ru_maxrss``.
    """
    mark = _high_water_mark()
    if mark is not None:
        return max(mark, resident_mib())  # the kernel updates both only approximately
    import resource

    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def resident_mib() -> float:
    """Resident memory of this process now."""
    import psutil

    return float(psutil.Process().memory_info().rss) / 2**20


def _high_water_mark() -> float | None:
    """Linux's own record of the largest resident memory of this program, which psutil does not report."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    found = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
    return int(found[0]) / 1024 if found else None


QUESTIONS: Mapping[str, Callable[..., Answer]] = {
    "first-call": first_call,
    "fit": fit,
    "sample": sample,
    "sample-batches": sample_batches,
}

if __name__ == "__main__":
    print(json.dumps(QUESTIONS[sys.argv[1]](*sys.argv[2:])))
