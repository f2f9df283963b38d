"""Assortment: colors, SKUs, barcodes, files, items and care labels of styles."""
