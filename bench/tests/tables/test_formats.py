import numpy as np
import pandas as pd
import pytest

from janus_bench.tables import formats
from janus_bench.tables.formats import COMMUNITIES, SPECTF
from tables.raw import STUDENT_HEADER, WINE_HEADER, packed

ADULT_TRAIN = """\
39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, 0, 40, \
United-States, <=50K
54, ?, 180211, Some-college, 10, Married-civ-spouse, ?, Husband, Asian-Pac-Islander, Male, 0, 0, 60, South, >50K

"""
ADULT_TEST = """\
|1x3 Cross validator
25, Private, 226802, 11th, 7, Never-married, Machine-op-inspct, Own-child, Black, Male, 0, 0, 40, United-States, <=50K.
44, Private, 160323, Some-college, 10, Married-civ-spouse, Machine-op-inspct, Husband, Black, Male, 7688, 0, \
40, ?, >50K.

"""
BANK = """\
"age";"job";"marital";"education";"default";"balance";"housing";"loan";"contact";"day";"month";"duration";"campaign";\
"pdays";"previous";"poutcome";"y"
58;"management";"married";"tertiary";"no";2143;"yes";"no";"unknown";5;"may";261;1;-1;0;"unknown";"no"
33;"admin.";"single";"secondary";"no";-882;"no";"no";"telephone";21;"oct";39;1;151;3;"failure";"yes"
"""
CREDIT = """\
LIMIT_BAL,SEX,EDUCATION,MARRIAGE,AGE,PAY_0,PAY_2,PAY_3,PAY_4,PAY_5,PAY_6,BILL_AMT1,BILL_AMT2,BILL_AMT3,BILL_AMT4,\
BILL_AMT5,BILL_AMT6,PAY_AMT1,PAY_AMT2,PAY_AMT3,PAY_AMT4,PAY_AMT5,PAY_AMT6,default payment\r
20000,2,2,1,24,2,2,-1,-1,-2,-2,3913,3102,689,0,0,0,0,689,0,0,0,0,1\r
150000,1,5,0,46,0,0,-1,0,0,-2,4463,3034,1170,1170,0,0,1013,1170,0,0,0,0,0\r
"""
RED = f"""\
{WINE_HEADER}
7.4;0.7;0;1.9;0.076;11;34;0.9978;3.51;0.56;9.4;5
5.3;0.47;0.11;2.2;0.048;16;89;0.99182;3.54;0.88;13.5666666666667;7
"""
WHITE = f"{WINE_HEADER}\n7;0.27;0.36;20.7;0.045;45;170;1.001;3;0.45;8.8;6\n"
STUDENT = f"""\
{STUDENT_HEADER}
"GP";"F";18;"U";"GT3";"A";4;4;"at_home";"teacher";"course";"mother";2;2;0;"yes";"no";"no";"no";"yes";"yes";"no";"no";4;3;4;1;1;3;4;"0";"11";11
"""
LAW = """\
decile1b,decile3,lsat,ugpa,zfygpa,zgpa,fulltime,fam_inc,male,tier,race,pass_bar
10.0,10.0,44.0,3.5,1.33,1.88,1.0,5.0,0.0,4.0,White,1.0
2.0,3.0,36.5,2.9,-1.06,-0.86,2.0,3.0,1.0,3.0,Non-White,0.0
"""


def kinds(frame):
    return ["text" if pd.api.types.is_string_dtype(dtype) else str(dtype) for dtype in frame.dtypes]


def test_parts_of_adult_are_stacked_without_dots_and_question_marks():
    frame = formats.parse_adult(packed({"Index": "", "adult.data": ADULT_TRAIN, "adult.test": ADULT_TEST}))
    assert frame.shape == (4, 15)
    assert frame["income"].tolist() == ["<=50K", ">50K", "<=50K", ">50K"]
    assert frame["age"].tolist() == [39, 54, 25, 44]
    assert frame["workclass"].isna().tolist() == [False, True, False, False]
    assert frame["native_country"].isna().tolist() == [False, False, False, True]
    assert frame.iloc[0, :4].tolist() == [39, "State-gov", 77516, "Bachelors"]
    assert kinds(frame[["age", "workclass", "capital_gain", "income"]]) == ["int64", "text", "int64", "text"]


def test_the_full_bank_table_is_found_in_the_archive_inside():
    inside = packed({"bank.csv": "a tenth of it", "bank-full.csv": BANK})
    frame = formats.parse_bank(packed({"bank-additional.zip": packed({"x.csv": ""}), "bank.zip": inside}))
    assert frame.columns.tolist()[-3:] == ["previous", "poutcome", "y"]
    assert frame["balance"].tolist() == [2143, -882]
    assert frame["job"].tolist() == ["management", "admin."]
    assert frame["poutcome"].tolist() == ["unknown", "failure"]
    assert frame["pdays"].dtype == np.int64


def test_codes_of_credit_become_words_and_undocumented_ones_stay_apart():
    frame = formats.parse_credit(CREDIT.encode())
    assert frame["sex"].tolist() == ["female", "male"]
    assert frame["education"].tolist() == ["university", "undocumented_5"]
    assert frame["marriage"].tolist() == ["married", "undocumented_0"]
    assert frame["default_payment_next_month"].tolist() == [1, 0]
    assert frame.columns[0] == "limit_bal"
    assert frame.shape == (2, 24)


def test_wines_of_both_colors_are_stacked_with_every_digit():
    frame = formats.parse_wine_quality(packed({"winequality-white.csv": WHITE, "winequality-red.csv": RED}))
    assert frame["color"].tolist() == ["red", "red", "white"]
    assert frame["alcohol"].tolist() == [9.4, 13.5666666666667, 8.8]
    assert frame["free_sulfur_dioxide"].dtype == float
    assert frame.columns.tolist()[-4:] == ["sulphates", "alcohol", "color", "quality"]
    assert kinds(frame[["ph", "color", "quality"]]) == ["float64", "text", "int64"]


def test_numbers_of_doors_are_words():
    frame = formats.parse_car(
        packed({"car.data": "vhigh,vhigh,2,2,small,low,unacc\nlow,low,5more,more,big,high,vgood\n"})
    )
    assert frame["doors"].tolist() == ["2", "5more"]
    assert set(kinds(frame)) == {"text"}
    assert frame.columns[-1] == "class"


def test_the_diagnosis_comes_last_and_the_middle_of_the_training_part_after_the_rest():
    train = "".join(f"{row % 2},{','.join([str(row)] * 44)}\n" for row in range(80))
    test = "".join(f"1,{','.join([str(row)] * 44)}\n" for row in range(80, 83))
    frame = formats.parse_spectf(packed({"SPECTF.train": train, "SPECTF.test": test}))
    assert tuple(frame.columns) == SPECTF.names
    assert frame.columns[:3].tolist() == ["f1r", "f1s", "f2r"]
    assert frame["f22s"].tolist() == [*range(30), *range(48, 80), *range(30, 48), 80, 81, 82]
    assert frame["overall_diagnosis"].tolist()[:4] == [0, 1, 0, 1]


def test_places_of_communities_are_text_and_unknown_ones_missing():
    numbers = ",".join(["0.19", "1", "?", *["0.5"] * 120])
    rows = f"8,?,?,Lakewoodcity,1,{numbers}\n25,17,72600,Walthamcity,10,{numbers}\n"
    frame = formats.parse_communities(packed({"communities.data": rows}))
    assert tuple(frame.columns) == COMMUNITIES.names
    assert frame["state"].tolist() == ["8", "25"]
    assert frame["community"].isna().tolist() == [True, False]
    assert frame["fold"].tolist() == [1, 10]
    assert frame["population"].tolist() == [0.19, 0.19]
    assert frame["racepctblack"].isna().all()
    assert len(frame.columns) == 128


def test_whole_numbers_of_law_students_lose_their_point():
    frame = formats.parse_law(LAW.encode())
    assert frame["decile1b"].tolist() == [10, 2]
    assert frame["lsat"].tolist() == [44.0, 36.5]
    assert frame["race"].tolist() == ["White", "Non-White"]
    assert kinds(frame[["tier", "zgpa", "race", "pass_bar"]]) == ["int64", "float64", "text", "int64"]


def test_quoted_grades_are_numbers_and_names_in_lower_case():
    inside = packed({"student-mat.csv": "another course", "student-por.csv": STUDENT})
    frame = formats.parse_student(packed({".student.zip_old": "no archive", "student.zip": inside}))
    assert frame.iloc[0][["g1", "g2", "g3", "pstatus", "dalc"]].tolist() == [0, 11, 11, "A", 1]
    assert frame["g1"].dtype == np.int64
    assert frame.shape == (1, 33)


def test_an_archive_without_the_file_says_which_is_missing():
    with pytest.raises(KeyError, match="no file car.data in the archive"):
        formats.parse_car(packed({"readme.txt": "", "inner.zip": packed({"other.data": ""})}))


def test_a_column_of_whole_numbers_takes_nothing_else():
    with pytest.raises(ValueError, match="'male' holds more than whole numbers"):
        formats.parse_law(LAW.replace(",0.0,4.0,White", ",0.5,4.0,White").encode())
    with pytest.raises(ValueError, match="'age' holds more than whole numbers"):
        formats.parse_adult(packed({"adult.data": ADULT_TRAIN.replace("39,", "?,"), "adult.test": ADULT_TEST}))
