"""What would this very row have been, had x1 been another? Answers beside the truth of known structural models."""
