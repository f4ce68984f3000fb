"""How like held-out rows the rows of each method are: whole rows, and column by column."""
