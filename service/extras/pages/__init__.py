"""Web pages: the front page, the guides, `/docs`, and the API catalog for programs."""
