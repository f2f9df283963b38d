"""Records: kinds, references, links, lists of children, parts; documents and their reading."""
