"""Real tables that can be downloaded: address, parser, checksum and citation of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from janus_bench.tables import formats

if TYPE_CHECKING:
    import pandas as pd

UCI = "https://archive.ics.uci.edu/static/public"
LE_QUY = "https://raw.githubusercontent.com/tailequy/fairness_dataset"


@dataclass(frozen=True, slots=True)
class Source:
    """A published table.

    Attributes
    ----------
    name, target : str
        Its name here, and the target column, which utility metrics predict.
    host, address : str
        Who publishes it, and where.
    parse : callable
        Takes the bytes of the file and returns the table.
    checksum : str
        `content_checksum` of the table.
    cite : str
        Who to cite, and the licence.
    ordered : bool
        Whether the order of rows counts for the checksum.
    """

    name: str
    target: str
    host: str
    address: str
    parse: Callable[[bytes], pd.DataFrame]
    checksum: str
    cite: str
    ordered: bool = True


SOURCES = {
    source.name: source
    for source in (
        Source(
            "adult",
            "income",
            "UCI",
            f"{UCI}/2/adult.zip",
            formats.parse_adult,
            "a31b5b4d9d561add522aba5392e05fdd3e4fed872f7b973873d56a2fff79f066",
            "Becker and Kohavi 1996, Adult, doi:10.24432/C5XW20, CC BY 4.0",
        ),
        Source(
            "bank",
            "y",
            "UCI",
            f"{UCI}/222/bank+marketing.zip",
            formats.parse_bank,
            "1edda2b860ee61abbe4b6e11bb8e814a47ec02e5ef1c057a771d623f83b218cb",
            "Moro, Rita and Cortez 2012, Bank Marketing, doi:10.24432/C5K306, CC BY 4.0",
        ),
        # UCI's own file is an Excel sheet; this copy has the same rows as plain text.
        Source(
            "credit",
            "default_payment_next_month",
            "GitHub",
            f"{LE_QUY}/f8726608fe1e7a77a3d3f14d7244e6b46e77aebd/experiments/data/credit-card-clients.csv",
            formats.parse_credit,
            "432e6e8c89402823ef25caed594f4165f617e24fabc47697b997198f0091f12f",
            "Yeh 2009, Default of Credit Card Clients, doi:10.24432/C55S3H, CC BY 4.0; copy of Le Quy et al. 2022",
        ),
        Source(
            "wine_quality",
            "quality",
            "UCI",
            f"{UCI}/186/wine+quality.zip",
            formats.parse_wine_quality,
            "5cfd6ac3f539ede2c877f2dc38cd43ca66720e4bbfb2776ac7b674802f6573ee",
            "Cortez, Cerdeira, Almeida, Matos and Reis 2009, Wine Quality, doi:10.24432/C56S3T, CC BY 4.0",
        ),
        Source(
            "car",
            "class",
            "UCI",
            f"{UCI}/19/car+evaluation.zip",
            formats.parse_car,
            "811bf763c923bc26fd445b12a187c205be9c757a58e52f476f3a616b663ff43e",
            "Bohanec 1988, Car Evaluation, doi:10.24432/C5JP48, CC BY 4.0",
        ),
        Source(
            "spectf",
            "overall_diagnosis",
            "UCI",
            f"{UCI}/96/spectf+heart.zip",
            formats.parse_spectf,
            "16c33c7c33d1cc5fedb3d4c71492d85d88e6106dfd8e346850528eda7159c1ee",
            "Cios, Kurgan and Goodenday 2001, SPECTF Heart, doi:10.24432/C5N015, CC BY 4.0",
            ordered=False,  # copies differ in the order of the training part
        ),
        Source(
            "communities_crime",
            "violent_crimes_per_pop",
            "UCI",
            f"{UCI}/183/communities+and+crime.zip",
            formats.parse_communities,
            "53a2b710244119461a70f3b6ca3ad665a6b9969f8fd545ddeb0c22e030d869e2",
            "Redmond 2002, Communities and Crime, doi:10.24432/C53W3X, CC BY 4.0",
        ),
        Source(
            "law_students",
            "pass_bar",
            "GitHub",
            f"{LE_QUY}/main/experiments/data/law_school_clean.csv",
            formats.parse_law,
            "058159554e9e13495fb1eab2eca3c2f99a4acc2b25e76e8cba419ddb8a8ba65e",
            "Wightman 1998, LSAC National Longitudinal Bar Passage Study, as cleaned by Le Quy et al. 2022; "
            "published without a licence",
        ),
        Source(
            "student_performance",
            "g3",
            "UCI",
            f"{UCI}/320/student+performance.zip",
            formats.parse_student,
            "40336bf3139cf15b96b6ac046c71c169d5b9645aba6e4442f99f2dd7eee85f1c",
            "Cortez 2014, Student Performance, doi:10.24432/C5TG7T, CC BY 4.0",
        ),
    )
}
"""Tables that can be downloaded, by name."""
