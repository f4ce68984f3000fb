"""What the graph is worth: structures learnt in every way there is, judged by arrows, rows and interventions."""
