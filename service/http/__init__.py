"""HTTP: what surrounds every request and answer."""
