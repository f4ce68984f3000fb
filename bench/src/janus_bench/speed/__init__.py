"""How long fits, samples and first calls take beside familiar yardsticks, and how much memory."""
