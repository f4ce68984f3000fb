"""Evaluate a synthetic table against rows that its generator has not seen, and write the report as one page.

Run: python examples/quality_report.py [FOLDER]
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from janus_synth import Janus, datasets


def main(folder: Path, *, n_rows: int = 3_000) -> Path:
    """Learn one half of a table, draw as many rows, and compare them with the other half."""
    folder.mkdir(parents=True, exist_ok=True)
    people = datasets.hiring(2 * n_rows, random_state=0)
    train, test = people.head(n_rows), people.tail(n_rows)
    rows = Janus(rules="experience <= age - 18", random_state=0).fit(train).sample(n_rows, random_state=1)
    files = {"train": train, "test": test, "synthetic": rows}
    for name, frame in files.items():
        frame.to_parquet(folder / f"{name}.parquet")
    page = folder / "report.html"
    # The same as: janus evaluate train.parquet test.parquet synthetic.parquet --target … --html report.html
    command = [sys.executable, "-m", "janus_synth", "evaluate", *(str(folder / f"{name}.parquet") for name in files)]
    subprocess.run([*command, "--target", "requested_salary", "--html", str(page)], check=True)
    return page


if __name__ == "__main__":
    print(main(Path(sys.argv[1] if len(sys.argv) > 1 else "quality-report")))
