"""Findings that are not reported: ignore comments, baselines, and findings of an old revision."""
