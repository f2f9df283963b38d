"""Privilege separation: accounts that work for root, and the file access granted to them."""
