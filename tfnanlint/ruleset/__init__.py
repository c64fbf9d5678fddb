"""The rules: where their files are, how they are read and compiled, and the cache of compiled rules."""
