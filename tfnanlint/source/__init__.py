"""The source pass: a libcst module lowered to flow, without ever running it."""
