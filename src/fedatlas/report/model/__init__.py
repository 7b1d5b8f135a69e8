"""What papers, their figures and tables say of themselves, and what a site is made from."""
