"""A run over files: which ones, one by one or by workers, their repairs in rounds, what is kept for the next run."""
