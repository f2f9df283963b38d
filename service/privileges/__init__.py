"""Less than root for what root starts: its accounts, and what is opened for them meanwhile."""
