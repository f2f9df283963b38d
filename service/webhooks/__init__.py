"""Webhooks: subscriptions to the change feed, and senders that deliver to their receivers."""
