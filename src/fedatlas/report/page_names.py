"""The pages that are about all papers, besides one for each."""

OVER_ALL = ("index", "library", "algorithms", "claims", "assumptions", "data", "speed")
BARE = ("library", "speed")  # those of them that show no results
JUDGED = ("index", "claims")  # those of them that show verdicts on what this machine has run
