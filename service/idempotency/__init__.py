"""Idempotency: stored responses by ``Idempotency-Key``, for safe retries."""
