"""The rules: where their files lie, how they are read and compiled, and the cache of what was compiled."""
