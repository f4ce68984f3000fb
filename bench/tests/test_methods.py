import numpy as np
import pandas as pd
import pytest

from janus_bench.methods import make_methods, parse_setting
from janus_bench.ours import JanusSynthesizer
from janus_bench.tables.drawn import SMOOTH
from janus_synth import Janus
from janus_synth.errors import DataError, NotFittedError


def test_defaults_are_janus_and_its_rivals():
    assert [method.name for method in make_methods()] == ["JANUS", "CART", "copula", "independent"]


def test_settings_become_arguments_of_janus():
    method = parse_setting("fine:n_bins=255,prior_strength=2.5,structure=chain,equal_mass=True")
    assert method.name == "fine"
    assert method.arguments == {"n_bins": 255, "prior_strength": 2.5, "structure": "chain", "equal_mass": True}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n_bins=255", "has no name"),
        ("fine:n_bins", "Write key=value"),
        ("fine:n_bin=255", "Did you mean 'n_bins'"),
        ("fine:random_state=3", "cannot set"),
    ],
)
def test_a_setting_that_makes_no_sense_says_why(text, message):
    with pytest.raises(DataError, match=message):
        parse_setting(text)


def test_unknown_and_repeated_methods_are_refused():
    with pytest.raises(DataError, match="Did you mean 'copula'"):
        make_methods(["copla"])
    with pytest.raises(DataError, match="two methods are called 'CART'"):
        make_methods(["CART"], ["CART:n_trees=1"])


def test_the_paper_is_the_papers_configuration():
    assert JanusSynthesizer.paper().arguments["lambda_unsup"] == Janus.paper().lambda_unsup == 0.5


def test_janus_in_the_benchmark_is_janus():
    frame = SMOOTH["ring"].table(200)
    rows = JanusSynthesizer(n_trees=1).fit(frame, seed=3).sample(50, seed=4)
    expected = Janus(n_trees=1, random_state=3).fit(frame).sample(50, random_state=4)
    pd.testing.assert_frame_equal(rows, expected)
    assert np.isfinite(rows.to_numpy()).all()


def test_sampling_before_fitting_is_an_error():
    with pytest.raises(NotFittedError, match="fine has not seen data"):
        JanusSynthesizer("fine").sample(5, seed=0)
