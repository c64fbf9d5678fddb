"""What is not reported: ignore comments, what was known before, what an old revision had already."""
