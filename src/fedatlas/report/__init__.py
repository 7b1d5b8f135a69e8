"""From metrics tables and verdicts to figures, tables and pages.

    evidence, verdicts, papers, assumptions --site.build--> reports/*.html, reports/figures, reports/assets

Nothing here loads anything from the network, and no page needs a server.
"""
