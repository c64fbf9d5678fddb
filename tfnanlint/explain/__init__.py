"""Explanations: the finding of a match with evidence and trail, the dataflow around it, and an editor's hover."""
