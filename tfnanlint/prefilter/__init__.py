"""What a file's text rules out before anything is parsed: rules, functions and imports that cannot matter in it."""
