"""Assortment: colors, SKUs, barcodes and files of styles."""
