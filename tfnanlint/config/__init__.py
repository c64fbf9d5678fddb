"""The user's settings: all keys, and the settings that apply to a file."""
