"""Web pages: the front page, the guides and `/docs`, rendered once at start."""
