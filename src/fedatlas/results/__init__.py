"""What runs leave behind: manifests, metrics tables, and the results of experiments and of whole scales."""
