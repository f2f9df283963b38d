"""What people open in a browser: the front page, the guides, `/docs`; all made once, at start."""
