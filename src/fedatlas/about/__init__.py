"""What there is to say of an algorithm besides how it computes: for `fa.algorithms` and for its page."""
