"""A run over files: discovery, workers, rounds of fixes, and the cache for the next run."""
