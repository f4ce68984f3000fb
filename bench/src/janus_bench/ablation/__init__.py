"""JANUS with one part taken away at a time, on structural models whose truth is known."""
