"""What a call, a run and a batch cost, as ratios of things measured in one run: `python -m tests.bench`."""
