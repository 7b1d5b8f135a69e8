"""A paper's statement as one declarative entry, checked by one function against the metrics tables.

    config/claims/<paper>/*.yaml --load_claims--> Claim --check_claim--> Verdict --> reports/claims/<paper>.json

A claim that fails is a result; a missing table is an error.
"""
