"""Whether any row can keep a set of rules: bound rules in, a witness row or the rules that clash out."""
