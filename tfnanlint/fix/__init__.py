"""From a match to the edits that repair it, in the file's own style."""
