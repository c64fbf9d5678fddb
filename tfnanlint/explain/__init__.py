"""A match or a value explained: the finding with its evidence and trail, the dataflow around it, an editor's hover."""
