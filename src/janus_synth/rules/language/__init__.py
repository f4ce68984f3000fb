"""The rule language: text or ``col()`` in, rules bound to a schema out."""
