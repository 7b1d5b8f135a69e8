"""From metrics tables and verdicts to figures, tables and pages.

    results, verdicts, papers, assumptions --site.build--> reports/*.html, reports/figures, reports/assets

Nothing here loads anything from the network, and no page needs a server.
"""

import sys

# jsonschema imports this to check IRIs, which no chart and no notebook has; compiling its grammar takes seconds.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # None is how a module is kept out
