"""Safe retries: first answers, kept by the ``Idempotency-Key`` of their requests."""
