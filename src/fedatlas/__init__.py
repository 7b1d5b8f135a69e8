"""fedatlas: an atlas of federated optimisation that re-runs five papers and checks them."""

__version__ = "0.1.0"
