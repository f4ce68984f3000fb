"""Tables written as their sources publish them: what the parsers have to undo."""

import io
import zipfile

import pandas as pd

CREDIT_CODES = {
    "sex": {"male": 1, "female": 2},
    "education": {
        "graduate_school": 1,
        "university": 2,
        "high_school": 3,
        "others": 4,
        "undocumented_0": 0,
        "undocumented_5": 5,
        "undocumented_6": 6,
    },
    "marriage": {"married": 1, "single": 2, "others": 3, "undocumented_0": 0},
}
WINE_HEADER = (
    '"fixed acidity";"volatile acidity";"citric acid";"residual sugar";"chlorides";"free sulfur dioxide";'
    '"total sulfur dioxide";"density";"pH";"sulphates";"alcohol";"quality"'
)
STUDENT_HEADER = (
    "school;sex;age;address;famsize;Pstatus;Medu;Fedu;Mjob;Fjob;reason;guardian;traveltime;studytime;failures;schoolsup;"
    "famsup;paid;activities;nursery;higher;internet;romantic;famrel;freetime;goout;Dalc;Walc;health;absences;G1;G2;G3"
)


def packed(files):
    """A zip archive of texts, or of archives, by name."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return whole.getvalue()


def adult(frame):
    rows = frame.to_csv(index=False, header=False, na_rep="?").replace(",", ", ").splitlines()
    test = "|1x3 Cross validator\n" + "".join(f"{row}.\n" for row in rows[32_561:]) + "\n"
    return packed({"Index": "", "adult.data": "".join(f"{row}\n" for row in rows[:32_561]) + "\n", "adult.test": test})


def bank(frame):
    quoted = frame.to_csv(index=False, sep=";", quoting=2)  # whatever is no number
    inside = packed({"bank.csv": "a tenth of it", "bank-full.csv": quoted, "bank-names.txt": "about it"})
    return packed({"bank.zip": inside, "bank-additional.zip": packed({"bank-additional/bank-additional.csv": ""})})


def credit(frame):
    coded = frame.assign(**{name: frame[name].map(codes) for name, codes in CREDIT_CODES.items()})
    coded.columns = [*(name.upper() for name in frame.columns[:-1]), "default payment"]
    return coded.to_csv(index=False, lineterminator="\r\n").encode()


def wine_quality(frame):
    def part(color):
        rows = frame[frame["color"] == color].drop(columns="color")
        return WINE_HEADER + "\n" + "".join(f"{line}\n" for line in lines(rows, sep=";"))

    return packed({f"winequality-{color}.csv": part(color) for color in ("red", "white")} | {"winequality.names": "?"})


def car(frame):
    return packed({"car.data": "".join(f"{line}\n" for line in lines(frame)), "car.names": "about it"})


def spectf(frame):
    rows = [f"{line}\n" for line in lines(frame[["overall_diagnosis", *frame.columns[:-1]]])]
    train = rows[:30] + rows[62:80] + rows[30:62]
    return packed({"SPECTF.train": "".join(train), "SPECTF.test": "".join(rows[80:]), "SPECTF.names": "about it"})


def communities_crime(frame):
    return packed({"communities.data": "".join(f"{line}\n" for line in lines(frame)), "communities.names": "about it"})


def law_students(frame):
    numbers = frame.columns.drop("race")
    return frame.astype(dict.fromkeys(numbers, float)).to_csv(index=False).encode()


def student_performance(frame):
    as_text = frame.astype({"g1": str, "g2": str})  # quoted by the source, too
    rows = as_text.to_csv(index=False, header=False, sep=";", quoting=2)
    inside = packed({"student-mat.csv": "another course", "student-por.csv": f"{STUDENT_HEADER}\n{rows}"})
    return packed({".student.zip_old": "no archive", "student.zip": inside})


def lines(frame, sep=","):
    """Rows as text: whole numbers without a point, missing cells as a question mark."""
    return [sep.join(map(cell, row)) for row in frame.itertuples(index=False)]


def cell(value):
    if pd.isna(value):
        return "?"
    return value if isinstance(value, str) else f"{value:.15g}"


WRITERS = {
    writer.__name__: writer
    for writer in (adult, bank, credit, wine_quality, car, spectf, communities_crime, law_students, student_performance)
}
