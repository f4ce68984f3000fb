"""Whether a rare class keeps its share, run after run, and classifiers still learn it."""
