"""Rules against a flow: where a pattern fits, and whether the facts make it a hazard."""
