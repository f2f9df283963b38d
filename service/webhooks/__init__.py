"""Webhooks: subscriptions to the change feed, and the senders that deliver to their receivers."""
