"""Formats: what texts look like, without any of them; and texts that look like it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from janus_synth.identities.formats import Weighted, draw_texts, hexadecimal_formats, learn_formats, parse_format

RANDOM = np.random.default_rng(0).integers(2**64 - 1, size=(3_000, 16), dtype=np.uint64)


def drawn(*formats: str, n: int = 2_000, seed: int = 0) -> list[str]:
    return draw_texts([Weighted(text, 1) for text in formats], np.arange(n), RANDOM[:n], seed=seed)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("{A1}{a2-7} {A1}{a3}", r"[A-Z][a-z]{2,7} [A-Z][a-z]{3}"),
        ("+49 {9:3}-{9:7}", r"\+49 \d{3}-\d{7}"),
        ("{1:1}{9:8}", r"[1-9]\d{8}"),
        ("{{{*6}}}", r"\{[a-z0-9]{6}\}"),
        ("{9:0-2}x{A9}", r"\d{0,2}x[A-Z]{9}"),
    ],
)
def test_texts_have_their_format_and_are_distinct(text, pattern):
    texts = drawn(text)
    assert all(re.fullmatch(pattern, each) for each in texts)
    assert len(set(texts)) == len(texts)


def test_texts_stay_distinct_when_there_are_too_few():
    assert len(set(drawn("{9:2}", n=250))) == 250


def test_lengths_and_formats_vary():
    texts = drawn("{a2-9}", "{9:4}")
    assert {len(text) for text in texts if text.isalpha()} == set(range(2, 10))
    assert 0.4 < np.mean([text.isdigit() for text in texts]) < 0.6


def test_formats_are_drawn_by_their_weight():
    texts = draw_texts([Weighted("{a9}", 9), Weighted("{9:9}", 1)], np.arange(3_000), RANDOM, seed=0)
    assert 0.08 < np.mean([text.isdigit() for text in texts]) < 0.12  # false alarms: 3e-4 at most


def test_a_text_depends_on_its_number_alone():
    formats = [Weighted("{A2-5}{9:8}", 1)]
    whole = draw_texts(formats, np.arange(100), RANDOM[:100], seed=3)
    assert draw_texts(formats, np.arange(40, 60), RANDOM[40:60], seed=3) == whole[40:60]


def test_learnt_formats_hold_no_text():
    rng = np.random.default_rng(1)
    texts = ["".join(rng.choice(list("abcdefgh"), 8)).capitalize() + f"-{rng.integers(1000, 9999)}" for _ in range(200)]
    assert learn_formats(texts, least=5) == (Weighted("{A1}{a7}-{9:4}", 200),)


def test_rare_formats_are_left_out():
    texts = [f"{i:04d}" for i in range(100)] + ["secret/agent"]
    assert learn_formats(texts, least=5) == (Weighted("{9:4}", 100),)


def test_lengths_of_single_texts_are_left_out():
    texts = ["a" * 4] * 30 + ["b" * 6] * 30 + ["c" * 90]
    assert learn_formats(texts, least=5) == (Weighted("{a4-6}", 61),)


def test_numbers_of_digits_may_vary_if_no_length_is_frequent():
    texts = ["1" * n + "x" for n in range(1, 40)]
    assert len(learn_formats(texts, least=5)) == 1


def test_texts_without_a_common_format_get_a_vague_one():
    texts = [f"{'a' * i}{'-' * (i % 7)}{'B' * (i % 5)}!{i}"[: 5 + i % 9] for i in range(12)]
    ((format_, weight),) = learn_formats(texts, least=12)
    assert re.fullmatch(r"\{\*\d+-\d+\}", format_)
    assert weight == 12


def test_the_start_that_is_kept_belongs_to_the_format():
    texts = [f"+49 {i:07d}" for i in range(50)] + [f"+1 {i:07d}" for i in range(50)]
    found = {each.text for each in learn_formats(texts, least=5, keep=re.compile(r"\+\d{1,3}(?=\D)"))}
    assert found == {"+49 {9:7}", "+1 {9:7}"}


@pytest.mark.parametrize("text", [None, 3, "", "plain", "{", "}", "{q3}", "{a9-2}", "{a999}", "{a}"])
def test_what_is_no_format_is_told(text):
    assert isinstance(parse_format(text), str)


def test_braces_in_texts_survive():
    learnt = learn_formats(["{x} 12", "{y} 34"] * 3, least=5)
    assert re.fullmatch(r"\{[a-z]\} \d\d", drawn(learnt[0].text, n=1)[0])


def test_the_shape_of_one_text_that_repeats_is_not_kept():
    texts = ["Zoe-77/X (old)"] * 9 + [f"AB-{n}" for n in range(10, 99)]
    assert [each.text for each in learn_formats(texts, least=5)] == ["{A2}-{9:2}"]


def test_characters_of_all_texts_of_a_format_are_kept_where_that_is_wanted():
    paces = [f"{n // 60}:{n % 60:02d} /km" for n in range(180, 480)]
    assert [each.text for each in learn_formats(paces, least=5, shared=True)] == ["{9:1}:{9:2} /km"]
    assert [each.text for each in learn_formats(paces, least=5)] == ["{9:1}:{9:2} /{a2}"]
    keys = [f"{n:018d}" for n in range(1000, 9000, 7)]
    assert [each.text for each in learn_formats(keys, least=5, shared=True)] == ["00000000000000{9:4}"]


def test_characters_of_few_texts_are_not_kept():
    keys = [f"Miller{n:02d}" for n in range(19)] * 3
    assert [each.text for each in learn_formats(keys, least=5, shared=True)] == ["{A1}{a5}{9:2}"]


def test_devices_stay_hexadecimal():
    texts = [f"{n:02x}:{255 - n:02x}" for n in range(200)]
    assert hexadecimal_formats(texts, least=5) == (Weighted("{x2}:{x2}", 200),)
    assert all(re.fullmatch("[0-9a-f]{2}:[0-9a-f]{2}", text) for text in drawn("{x2}:{x2}", n=50))


def test_words_of_many_rows_that_are_not_in_nearly_all_are_not_kept():
    """Twenty texts with the name of one landlord among others: the shape of the name is kept, the name is not."""
    texts = [f"Rent Zoe Miller {n}" for n in range(10, 60)] + [f"CARD {n}" for n in range(1000, 9000, 80)]
    assert {each.text for each in learn_formats(texts, least=5, shared=True)} == {
        "{A1}{a3} {A1}{a2} {A1}{a5} {9:2}",
        "{A4} {9:4}",
    }
