from __future__ import annotations

import pytest

from janus_synth.errors import RuleError


@pytest.fixture
def failing(monkeypatch):
    """Make the next command fail with a given error."""

    def arrange(error):
        def fail(*args, **named):
            raise error

        monkeypatch.setattr("janus_synth.janus.Janus.load", fail)

    return arrange


def test_an_error_is_one_line_without_colour_off_a_terminal(janus):
    result = janus("inspect", "no.janus", fails=1)
    assert result.stderr == "error: there is no file no.janus.\n"
    assert result.stdout == ""


@pytest.mark.parametrize("args", [("--debug", "inspect", "no.janus"), ("inspect", "no.janus", "--debug")])
def test_debug_shows_the_traceback_wherever_it_stands(janus, args):
    error = janus(*args, fails=1).stderr
    assert "Traceback (most recent call last)" in error
    assert "ModelFileError" in error
    assert error.splitlines()[-1] == "error: there is no file no.janus."


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("first\n  second"), "error: first second\n"),
        (OSError(28, "No space left on device"), "error: No space left on device.\n"),
        (OSError(13, "Permission denied", "m.janus"), "error: Permission denied: m.janus.\n"),
        (ValueError(), "error: ValueError\n"),
    ],
)
def test_expected_errors_are_plain(janus, failing, error, message):
    failing(error)
    assert janus("inspect", "people.janus", fails=1).stderr == message


def test_a_bug_is_called_one(janus, failing):
    failing(TypeError("'int' object is not iterable"))
    error = janus("inspect", "people.janus", fails=1).stderr
    assert error.startswith("unexpected error: TypeError: 'int' object is not iterable.")
    assert "--debug" in error
    assert "Traceback" not in error


def test_ctrl_c_is_130_and_one_line(janus, failing):
    failing(KeyboardInterrupt())
    assert janus("inspect", "people.janus", fails=130).stderr == "interrupted: no half-written file is left.\n"


def test_a_reader_that_went_away_is_no_error(janus, failing):
    failing(BrokenPipeError(32, "Broken pipe"))
    assert janus("inspect", "people.janus").output == ""


def test_unknown_commands_and_options_are_usage_errors(janus):
    assert "No such command" in janus("fitt", fails=2).stderr
    assert "No such option" in janus("fit", "people.csv", "-o", "m", "--tree", "3", fails=2).stderr
    assert "--out" in janus("fit", "people.csv", fails=2).stderr


def test_a_condition_without_its_option_is_told_of_it(janus):
    for command in ("check", "probability", "sample"):
        error = janus(command, "model.janus", "age > 60", "--where", "sex == 'female'", fails=2).stderr
        assert "A condition needs its option" in error


def test_after_two_dashes_debug_is_a_name(janus):
    assert janus("inspect", "--", "--debug", fails=1).stderr == "error: there is no file --debug.\n"


def test_our_own_errors_keep_their_lines_and_point(janus, failing):
    failing(RuleError("== is meant.", rule="age = 3", position=4))
    error = janus("inspect", "people.janus", fails=1).stderr
    assert error == "error: == is meant.\n    age = 3\n        ^\n"
