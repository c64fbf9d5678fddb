"""From a match to the edits that fix it, in the style of the file."""
