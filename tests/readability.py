"""A text in; how easy it is to read out: Flesch reading ease, and the words that take most from it."""

from __future__ import annotations

import re
from collections import Counter

WORD = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")
VOWELS = re.compile(r"[aeiouy]+")
SILENT = re.compile(r"(?:(?<=[aeiouy]l)e|(?<=[^laeiouy])e|(?<=[^tdaeiouy])ed|(?<=[^sxzcgaeiouy])(?<!sh)(?<!ch)es)$")
FENCED = re.compile(r"^```.*?^```", re.M | re.S)
SKIPPED = ("|", "#", "!", ":::", "[[", "<", ">>>", "...")


def syllables(word: str) -> int:
    """Count the syllables of an English word: groups of vowels, without a silent e at the end."""
    word = word.lower()
    if len(word) > 3:
        word = SILENT.sub("", word)
    return max(1, len(VOWELS.findall(word)))


def sentences(text: str) -> list[str]:
    """Sentences of running text: without code, tables, headings and the addresses of links."""
    lines = [line for line in FENCED.sub("", text).splitlines() if not line.lstrip().startswith(SKIPPED)]
    text = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "code", "\n".join(lines)))
    blocks = re.split(r"\n\s*\n|^\s*(?:[-*]|\d+\.)\s", text, flags=re.M)
    return [
        one.strip() for block in blocks for one in re.split(r"(?<=[.!?])\s+", " ".join(block.split())) if one.strip()
    ]


def reading_ease(found: list[str]) -> float:
    """Flesch reading ease of sentences: 60 to 70 is plain English, below 30 is for graduates."""
    words = [WORD.findall(one) for one in found]
    words = [one for one in words if one]
    n_words = sum(map(len, words))
    n_syllables = sum(syllables(word) for one in words for word in one)
    return 206.835 - 1.015 * n_words / len(words) - 84.6 * n_syllables / n_words


def heavy_words(found: list[str], most: int = 8) -> list[tuple[str, int]]:
    """Words of four syllables and more, the most frequent first."""
    counts = Counter(word.lower() for one in found for word in WORD.findall(one) if syllables(word) >= 4)
    return counts.most_common(most)
