"""What the text of a file rules out before parsing: rules, functions and imports that cannot matter."""
