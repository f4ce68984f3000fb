"""The fairness testbed at work: bias of known size, algorithms that should find or mend it, and the paper's claims."""
