"""How sure a method says it is, against what is known: noise put into labels, and more or fewer rows to learn from."""
