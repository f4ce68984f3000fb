"""Published files to tables: bytes in, a pandas table with known columns and types out."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Layout:
    """Columns in order, and which of them are text or real numbers; the others are whole numbers."""

    names: tuple[str, ...]
    text: frozenset[str]
    real: frozenset[str]

    @classmethod
    def of(cls, names: str, *, text: str = "", real: str = "") -> Layout:
        """A layout from names separated by spaces."""
        return cls(tuple(names.split()), frozenset(text.split()), frozenset(real.split()))

    def typed(self, cells: pd.DataFrame) -> pd.DataFrame:
        """Select these columns of a table of text and convert each to its type."""
        import pandas as pd

        return pd.DataFrame({name: self._column(cells[name]) for name in self.names})

    def _column(self, cells: pd.Series[Any]) -> Any:
        if cells.name in self.text:
            return cells
        numbers = np.array([float(cell) for cell in cells])
        if cells.name in self.real:
            return numbers
        if not (numbers == np.rint(numbers)).all():  # a missing cell is not whole either
            raise ValueError(f"column {cells.name!r} holds more than whole numbers")
        return numbers.astype(np.int64)


ADULT = Layout.of(
    "age workclass fnlwgt education education_num marital_status occupation relationship race sex capital_gain "
    "capital_loss hours_per_week native_country income",
    text="workclass education marital_status occupation relationship race sex native_country income",
)
BANK = Layout.of(
    "age job marital education default balance housing loan contact day month duration campaign pdays previous "
    "poutcome y",
    text="job marital education default housing loan contact month poutcome y",
)
CREDIT = Layout.of(
    "limit_bal sex education marriage age pay_0 pay_2 pay_3 pay_4 pay_5 pay_6 bill_amt1 bill_amt2 bill_amt3 bill_amt4 "
    "bill_amt5 bill_amt6 pay_amt1 pay_amt2 pay_amt3 pay_amt4 pay_amt5 pay_amt6 default_payment_next_month",
    text="sex education marriage",
)
CREDIT_WORDS = {
    "sex": {"1": "male", "2": "female"},
    "education": {"1": "graduate_school", "2": "university", "3": "high_school", "4": "others"},
    "marriage": {"1": "married", "2": "single", "3": "others"},
}
"""Meaning of the codes according to UCI; some codes that occur are undocumented."""
WINE_NUMBERS = (
    "fixed_acidity volatile_acidity citric_acid residual_sugar chlorides free_sulfur_dioxide total_sulfur_dioxide "
    "density ph sulphates alcohol"
)
WINE = Layout.of(f"{WINE_NUMBERS} color quality", text="color", real=WINE_NUMBERS)
CAR_COLUMNS = "buying maint doors persons lug_boot safety class"
CAR = Layout.of(CAR_COLUMNS, text=CAR_COLUMNS)
SPECTF = Layout.of(" ".join(f"f{region}r f{region}s" for region in range(1, 23)) + " overall_diagnosis")
LAW = Layout.of(
    "decile1b decile3 lsat ugpa zfygpa zgpa fulltime fam_inc male tier race pass_bar",
    text="race",
    real="lsat ugpa zfygpa zgpa",
)
STUDENT = Layout.of(
    "school sex age address famsize pstatus medu fedu mjob fjob reason guardian traveltime studytime failures "
    "schoolsup famsup paid activities nursery higher internet romantic famrel freetime goout dalc walc health absences "
    "g1 g2 g3",
    text="school sex address famsize pstatus mjob fjob reason guardian schoolsup famsup paid activities nursery higher "
    "internet romantic",
)
COMMUNITIES_NUMBERS = """
    population householdsize racepctblack race_pct_white race_pct_asian race_pct_hisp age_pct12t21 age_pct12t29
    age_pct16t24 age_pct65up numb_urban pct_urban med_income pct_w_wage pct_w_farm_self pct_w_inv_inc pct_w_soc_sec
    pct_w_pub_asst pct_w_retire med_fam_inc per_cap_inc white_per_cap black_per_cap indian_per_cap asian_per_cap
    other_per_cap hisp_per_cap num_under_pov pct_pop_under_pov pct_less9th_grade pct_not_hs_grad pct_bs_or_more
    pct_unemployed pct_employ pct_empl_manu pct_empl_prof_serv pct_occup_manu pct_occup_mgmt_prof male_pct_divorce
    male_pct_nev_marr female_pct_div total_pct_div pers_per_fam pct_fam2_par pct_kids2_par pct_young_kids2_par
    pct_teen2_par pct_work_mom_young_kids pct_work_mom num_illeg pct_illeg num_immig pct_immig_recent pct_immig_rec5
    pct_immig_rec8 pct_immig_rec10 pct_recent_immig pct_rec_immig5 pct_rec_immig8 pct_rec_immig10 pct_speak_engl_only
    pct_not_speak_engl_well pct_larg_house_fam pct_larg_house_occup pers_per_occup_hous pers_per_own_occ_hous
    pers_per_rent_occ_hous pct_pers_own_occup pct_pers_dense_hous pct_hous_less3_br med_num_br hous_vacant
    pct_hous_occup pct_hous_own_occ pct_vacant_boarded pct_vac_more6_mos med_yr_hous_built pct_hous_no_phone
    pct_wo_full_plumb own_occ_low_quart own_occ_med_val own_occ_hi_quart rent_low_q rent_median rent_high_q med_rent
    med_rent_pct_hous_inc med_own_cost_pct_inc med_own_cost_pct_inc_no_mtg num_in_shelters num_street pct_foreign_born
    pct_born_same_state pct_same_house85 pct_same_city85 pct_same_state85 lemas_sworn_ft lemas_sw_ft_per_pop
    lemas_sw_ft_field_ops lemas_sw_ft_field_per_pop lemas_total_req lemas_tot_req_per_pop polic_req_per_offic
    polic_per_pop racial_match_comm_pol pct_polic_white pct_polic_black pct_polic_hisp pct_polic_asian pct_polic_minor
    offic_assgn_drug_units num_kinds_drugs_seiz polic_ave_ot_worked land_area pop_dens pct_use_pub_trans polic_cars
    polic_oper_budg lemas_pct_polic_on_patr lemas_gang_unit_deploy lemas_pct_offic_drug_un polic_budg_per_pop
    violent_crimes_per_pop
"""
COMMUNITIES = Layout.of(
    f"state county community communityname fold {COMMUNITIES_NUMBERS}",
    text="state county community communityname",
    real=COMMUNITIES_NUMBERS,
)


def parse_adult(content: bytes) -> pd.DataFrame:
    """Training part, then test part, whose labels end in a dot and whose first line is a comment."""
    cells = _stacked([_cells(_member(content, name), ADULT.names) for name in ("adult.data", "adult.test")])
    return ADULT.typed(cells.assign(income=cells["income"].str.rstrip(".")))


def parse_bank(content: bytes) -> pd.DataFrame:
    """The full table, from an archive inside the archive."""
    return BANK.typed(_cells(_member(content, "bank-full.csv"), sep=";"))


def parse_credit(content: bytes) -> pd.DataFrame:
    """The table, with codes replaced by words."""
    cells = _cells(content).rename(columns={"default_payment": "default_payment_next_month"})
    for name, words in CREDIT_WORDS.items():
        cells[name] = [words.get(code, f"undocumented_{code}") for code in cells[name]]
    return CREDIT.typed(cells)


def parse_wine_quality(content: bytes) -> pd.DataFrame:
    """Red wines, then white ones."""
    parts = [
        _cells(_member(content, f"winequality-{color}.csv"), sep=";").assign(color=color) for color in ("red", "white")
    ]
    return WINE.typed(_stacked(parts))


def parse_car(content: bytes) -> pd.DataFrame:
    """The table; its numbers of doors and persons are words such as ``5more``."""
    return CAR.typed(_cells(_member(content, "car.data"), CAR.names))


def parse_spectf(content: bytes) -> pd.DataFrame:
    """Training part, then test part, the diagnosis last instead of first.

    Rows 31 to 48 of the training part are moved to its end, as in the table that earlier results were measured on.
    """
    names = (SPECTF.names[-1], *SPECTF.names[:-1])
    train, test = (_cells(_member(content, f"SPECTF.{part}"), names) for part in ("train", "test"))
    return SPECTF.typed(_stacked([train[:30], train[48:], train[30:48], test]))


def parse_communities(content: bytes) -> pd.DataFrame:
    """The table; its file has no header."""
    return COMMUNITIES.typed(_cells(_member(content, "communities.data"), COMMUNITIES.names))


def parse_law(content: bytes) -> pd.DataFrame:
    """The table; its file writes whole numbers with a decimal point."""
    return LAW.typed(_cells(content))


def parse_student(content: bytes) -> pd.DataFrame:
    """The Portuguese course, from an archive inside the archive."""
    return STUDENT.typed(_cells(_member(content, "student-por.csv"), sep=";"))


def _member(content: bytes, name: str) -> bytes:
    """Content of the file ``name`` in an archive or in an archive inside it, in any folder."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = archive.namelist()
        for entry in entries:
            if PurePosixPath(entry).name.lower() == name.lower():
                return archive.read(entry)
        for entry in entries:
            if entry.lower().endswith(".zip"):
                try:
                    return _member(archive.read(entry), name)
                except KeyError:
                    continue
    raise KeyError(f"no file {name} in the archive")


def _cells(content: bytes, names: tuple[str, ...] | None = None, *, sep: str = ",") -> pd.DataFrame:
    """All cells as text, ``?`` as missing; columns are called ``names``, by default the header line in lower case."""
    import pandas as pd

    cells = pd.read_csv(
        io.BytesIO(content),
        sep=sep,
        header=0 if names is None else None,
        names=names,
        index_col=False,
        dtype=str,
        na_values=["?"],
        keep_default_na=False,
        skipinitialspace=True,
        comment="|",  # the comment in the test part of Adult
        encoding="utf-8-sig",
    )
    return cells.rename(columns=lambda name: str(name).strip().lower().replace(" ", "_"))


def _stacked(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    import pandas as pd

    return pd.concat(parts, ignore_index=True)
