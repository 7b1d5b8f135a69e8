"""`fedatlas rejudge`, `register` and `audit`: verdicts on what is published, and whether they keep the rules."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from fedatlas.files import write_text

if TYPE_CHECKING:
    from fedatlas.experiments.scales import Scale
    from fedatlas.experiments.spec import Experiment, Known


def add_commands(subparsers: argparse._SubParsersAction) -> None:
    _command(subparsers, "rejudge", "judge the published results again, by the current claims", _rejudge)
    _command(subparsers, "register", "read from git which claims were written before their runs", _register)
    _command(subparsers, "audit", "print every published verdict that breaks a rule of judgement", _audit)


def _command(subparsers, name: str, help: str, run) -> None:
    parser = subparsers.add_parser(name, help=help)
    parser.add_argument("--config", type=Path, default=Path("config"), help="folder of the configuration")
    parser.add_argument("--out", type=Path, default=Path("reports/published"), help="folder of the published results")
    parser.set_defaults(run=run)


def _rejudge(options: argparse.Namespace) -> None:
    from fedatlas.results.published import edited

    with edited(options.out) as copy:
        changes = judge_again(copy, options.config, known_where_kept(options.config))
    print("\n".join(changes) or "No verdict changes.")


def judge_again(out: Path, config: Path, known: Known) -> list[str]:
    """Judges all that `out`, a copy of what is published, holds by today's claims; returns what has changed.

    A claim may compare with another experiment, so whatever is published can change the verdicts on what was.
    """
    from fedatlas.claims.rejudge import rejudge_all
    from fedatlas.claims.schema import load_claims
    from fedatlas.results.published import load_published, seal

    seal(out)
    changes = rejudge_all(load_claims(config / "claims"), load_published(out, known), known, out)
    list_anew(out, config, known)
    return changes


def list_anew(out: Path, config: Path, known: Known) -> None:
    """Lists what is published in `out`, a copy of it that has been changed."""
    from fedatlas.experiments.scales import Scale
    from fedatlas.report.model.papers import load_papers
    from fedatlas.report.published_table import write_list
    from fedatlas.results.published import load_published, seal

    seal(out)
    write_list(out, load_published(out, known), load_papers(config / "papers", known[Scale.PAPER]))


def _register(options: argparse.Namespace) -> None:
    from fedatlas.claims.registered import FILE
    from fedatlas.claims.registration import registered
    from fedatlas.results.published import edited

    found = registered(options.config.parent)
    with edited(options.out) as copy:
        write_text(copy / FILE, json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    counts = Counter(one["state"] for one in found.values())
    print(f"{options.out / FILE}: {', '.join(f'{count} {state}' for state, count in counts.items())}")


def _audit(options: argparse.Namespace) -> int:
    from fedatlas.claims.audit import audit
    from fedatlas.claims.diagnoses import load_diagnoses
    from fedatlas.claims.registered import read_registered
    from fedatlas.claims.schema import load_claims
    from fedatlas.results.published import load_published

    claims, diagnoses = load_claims(options.config / "claims"), load_diagnoses(options.config / "diagnoses")
    known = known_where_kept(options.config)
    published = load_published(options.out, known)
    breaches = audit(published, known, claims, diagnoses, read_registered(options.out))
    judged = sum(len(one.verdicts) for one in published.values())
    for key, one in published.items():
        if one.changed:
            print(f"{key} is published as it was run; its file has changed since ({', '.join(one.changed)}).")
    print("\n".join(breaches) or f"{judged} published verdicts keep the rules of judgement.")
    return 1 if breaches else 0


def known_where_kept(config: Path, paper: str = "*") -> dict[Scale, Mapping[str, Experiment]]:
    """The experiments at each of the scales whose results are kept, of one paper if it is given."""
    from fedatlas.experiments.spec import load_experiments
    from fedatlas.results.published.read import KEPT_SCALES

    return {scale: load_experiments(config / "experiments", scale, paper) for scale in KEPT_SCALES}
