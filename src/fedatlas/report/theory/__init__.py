"""Computations behind the papers' statements, which need no run."""
