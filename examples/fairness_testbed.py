"""Plant bias of known size in a hiring table, and see which algorithms reproduce it.

Run: python examples/fairness_testbed.py [FOLDER]

Needs the extras fairness and plots. Writes the planted table, its certificate, the audits and two pictures to FOLDER
(fairness-testbed by default), and takes about a minute.
"""

from __future__ import annotations

import sys
from pathlib import Path

from janus_synth import Janus, datasets
from janus_synth.fairness import Bias, algorithm, audit, audit_suite, equal_treatment, plant
from janus_synth.plots import detection_curve, to_svg, zone_picture


def main(folder: Path, n_rows: int = 4_000) -> None:
    """Run the six steps, and write tables, certificates and pictures to the folder."""
    folder.mkdir(parents=True, exist_ok=True)

    print("1. A model of applicants, with its causal graph")
    rows = datasets.hiring(n_rows, random_state=0)
    model = Janus(structure=datasets.hiring_graph(), rules="experience <= age - 18", random_state=0).fit(rows)

    print("\n2. A fifth of the women who would have been hired are not")
    planted = plant(model, Bias("sex", "male", "hired", True, 0.2), n=n_rows)
    print(planted.certificate)
    planted.to_frame().to_csv(folder / "planted.csv", index=False)
    (folder / "certificate.json").write_text(planted.certificate.to_json(), encoding="utf-8")
    (folder / "certificate.html").write_text(planted.certificate.to_html(), encoding="utf-8")

    print("\n3. Which algorithms reproduce it?")
    for name in ("logistic", "threshold-optimizer"):
        print(audit(algorithm(name), planted, name=name))

    print("\n4. From which size on do they, and along which path?")
    kinds = {
        "direct": Bias("sex", "male", "hired", True, 0),
        "through the test score": Bias("sex", "male", "hired", True, 0, path="test_score"),
        "women aged 45 or more": Bias("sex", "male", "hired", True, 0, subgroup="age >= 45"),
    }
    suite = audit_suite(model, ["logistic", "threshold-optimizer"], kinds, [0, 0.1, 0.2, 0.4], n=n_rows, n_splits=5)
    print(suite.to_frame()[["bias", "magnitude", "algorithm", "planted", "excess", "found"]].to_string(index=False))
    suite.to_frame().to_csv(folder / "suite.csv", index=False)
    (folder / "detection-curve.svg").write_text(to_svg(detection_curve(suite)), encoding="utf-8")

    print("\n5. Small biases add up: 15 % at each of three stages")
    stages = [
        Bias("sex", "male", "test_score", (65, 100), 0.15),
        Bias("sex", "male", "hired", True, 0.15),
        Bias("sex", "male", "offered_salary", (50_000, 10_000_000), 0.15),
    ]
    pipeline, last = (plant(model, biases, n=n_rows).certificate for biases in (stages, stages[-1:]))
    whole, alone = (certificate.effect_of("offered_salary").planted() for certificate in (pipeline, last))
    print(f"planted in offers of 50,000 and more: {alone:.3f} by the last stage, {whole:.3f} by all three")

    print("\n6. Equal treatment within rows")
    pay = "offered_salary >= requested_salary"
    print(equal_treatment(model, rows, pay, "sex", "male", n=n_rows))
    fair_rows = model.sample(n_rows, where=pay, random_state=1)
    picture = zone_picture(rows, fair_rows, x="requested_salary", y="offered_salary")
    (folder / "equal-pay.svg").write_text(to_svg(picture), encoding="utf-8")
    print(f"\nWrote {', '.join(sorted(path.name for path in folder.iterdir()))} to {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "fairness-testbed"))
