"""Which codes leave a cell empty, and which columns may be null."""

from __future__ import annotations

import numpy as np

from janus_synth.sampling.nulls import NonNullTwist, codes_left_empty, open_columns
from janus_synth.sampling.particles import no_twist
from janus_synth.sampling.request import make_request
from sampling.linked_models import fitted_case
from sampling.small_models import small_model


def test_null_leaves_a_cell_empty_unless_the_column_is_open():
    model = small_model("dense").model_
    request = make_request(model, (), also=range(6))
    column = request.columns.index("d")
    assert codes_left_empty(request, column) == [request.codec(column).n_codes - 1]
    assert codes_left_empty(request, column, open_columns(request, ["d"])) == []


def test_an_open_column_opens_its_hidden_ones():
    model = fitted_case("gap").model_
    request = make_request(model, (), also=range(len(model.codec.names)))
    names = request.columns.names
    assert {names[i] for i in open_columns(request, ["end"])} == {"end", "end - start"}
    assert {names[i] for i in open_columns(request, ["start"])} == {"start"}


def test_the_source_of_a_copy_has_a_level_that_leaves_the_cell_empty():
    model = fitted_case("copy").model_
    request = make_request(model, (), also=range(len(model.codec.names)))
    (link,) = request.links.values()
    source, own = (request.columns.index(name) for name in (link.source, link.own))
    assert len(codes_left_empty(request, source)) == 2
    assert codes_left_empty(request, own) == []


def test_a_twist_excludes_codes_only_where_others_are_possible():
    score = np.array([[0.2, 0.3, 0.5], [0.0, 0.0, 1.0]])
    twist = NonNullTwist(no_twist, [2])
    twist(score, np.zeros(2))
    np.testing.assert_array_equal(score, [[0.2, 0.3, 0.0], [0.0, 0.0, 1.0]])
    np.testing.assert_array_equal(twist.log_factor(np.array([0, 2])), [0.0, 0.0])
    assert twist.log_factor(np.array([2, 2]))[0] == -np.inf
