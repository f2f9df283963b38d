"""Organizations: who calls, with which key, and what operators manage of it."""
