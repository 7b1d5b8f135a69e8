"""Data sets, one per file. The folder is the registry."""
