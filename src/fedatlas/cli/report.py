"""`fedatlas claims`, `report`, `publish` and their like: verdicts, pages and what is kept in git."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from fedatlas.cli.judge import judge_again, known_where_kept, list_anew
from fedatlas.errors import AtlasError
from fedatlas.experiments.scales import SCALES, Scale
from fedatlas.files import write_text
from fedatlas.report.page_names import BARE, JUDGED, OVER_ALL

if TYPE_CHECKING:
    from fedatlas.experiments.spec import Known

VERDICTS = Path("reports/claims")


def add_commands(subparsers: argparse._SubParsersAction) -> None:
    claims = _command(subparsers, "claims", "check the papers' claims against the runs", _claims)
    claims.add_argument("--papers", nargs="*", help="only those of these papers; of all if not given")
    claims.add_argument("--out", type=Path, default=VERDICTS, help="folder of the verdicts, PAPER.json each")
    claims.add_argument(
        "--published", type=Path, default=Path("reports/published"), help="folder of the published results"
    )
    report = _command(subparsers, "report", "write the pages of the atlas", _report)
    report.add_argument("--claims", type=Path, default=VERDICTS, help="folder of the verdicts to show")
    report.add_argument("--out", type=Path, default=Path("reports"), help="folder of the pages")
    report.add_argument("--published", type=Path, help="folder of the published results; OUT/published if not given")
    report.add_argument("--published-only", action="store_true", help="show nothing that this machine has run")
    report.add_argument("--page", help="only this page: a paper's id, or one about all, such as index")
    report.add_argument("--papers", nargs="*", help="papers in the navigation, if written separately")
    report.add_argument("--guides", nargs="*", type=Path, default=[], help="executed notebooks about the library")
    report.add_argument("--clients", type=Path, default=Path("data/clients"), help="folder of the client stores")
    show = _command(subparsers, "show", "write the page of one experiment that was run here", _show, False)
    show.add_argument("experiment", metavar="PAPER/ID")
    show.add_argument("--scale", default="quick", choices=[*SCALES])
    show.add_argument("--out", type=Path, required=True, help="folder of the page")
    publish = _command(subparsers, "publish", "copy complete results to reports/published", _publish, False)
    publish.add_argument("--out", type=Path, default=Path("reports/published"), help="folder of the results")
    publish.add_argument("--clients", type=Path, default=Path("data/clients"), help="folder of the client stores")
    redraw = _command(subparsers, "redraw", "redraw the pictures of the published results", _redraw, False, runs=False)
    redraw.add_argument("--out", type=Path, default=Path("reports/published"), help="folder of the results")
    seal = subparsers.add_parser("seal", help="accept the files in reports/published as they are, after a git merge")
    seal.set_defaults(run=_seal)
    seal.add_argument("--out", type=Path, default=Path("reports/published"), help="folder of the results")
    picture = _command(subparsers, "picture", "draw one panel of a figure, on white", _picture, False)
    picture.add_argument("experiment", metavar="PAPER/ID")
    picture.add_argument("--panel", type=int, default=1, help="its number; the first if not given")
    picture.add_argument("--scale", choices=[*SCALES], help="of this machine's runs; what is published if not given")
    picture.add_argument("--published", type=Path, default=Path("reports/published"), help="folder of the results")
    picture.add_argument("--out", type=Path, required=True, help="the SVG file to write")


def _command(subparsers, name: str, help: str, run, scaled: bool = True, runs: bool = True) -> argparse.ArgumentParser:
    parser = subparsers.add_parser(name, help=help)
    if scaled:
        parser.add_argument("--scale", default="quick", choices=[*SCALES])
        parser.add_argument("--experiments", nargs="*", metavar="PAPER/ID", help="only these; all if not given")
    if runs:
        parser.add_argument("--runs", type=Path, default=Path("data/runs"), help="folder of the runs")
    parser.add_argument("--config", type=Path, default=Path("config"), help="folder of the configuration")
    parser.set_defaults(run=run)
    return parser


def _claims(options: argparse.Namespace) -> None:
    from fedatlas.claims.evaluate import evaluate_all
    from fedatlas.claims.schema import load_claims
    from fedatlas.results.published import check, read_verdicts

    check(options.published)
    for paper in _papers(options):
        files = sorted(options.published.glob(f"{paper}/*/claims.json"))
        published = [verdict for path in files for verdict in read_verdicts(path)]
        claims, out = load_claims(options.config / "claims", paper), options.out / f"{paper}.json"
        verdicts = evaluate_all(claims, _results(options, paper), out, published)
        counts = Counter(verdict.status for verdict in verdicts)
        print(f"{out}: {', '.join(f'{count} {status}' for status, count in counts.items())}")


def _papers(options: argparse.Namespace) -> list[str]:
    """The chosen papers; all if none is."""
    known = sorted(path.stem for path in (options.config / "papers").glob("*.yaml"))
    for paper in options.papers or ():
        if paper not in known:
            raise AtlasError(f"--papers: unknown paper '{paper}'; there are: {', '.join(known)}.")
    return options.papers or known


def _report(options: argparse.Namespace) -> None:
    from fedatlas.claims.diagnoses import load_diagnoses
    from fedatlas.claims.registered import read_registered
    from fedatlas.claims.schema import load_claims
    from fedatlas.data.sources import CATALOGUE, load_sources
    from fedatlas.report.model.assumptions import load_assumptions
    from fedatlas.report.model.inputs import SiteInputs
    from fedatlas.report.model.paper_results import PaperResults
    from fedatlas.report.model.papers import load_papers, short_names
    from fedatlas.report.model.speed import load_speed
    from fedatlas.report.pages.site import build
    from fedatlas.results.collection import Results
    from fedatlas.results.published import load_published, read_verdicts

    paper = "*" if options.page in (None, *OVER_ALL) else options.page
    if paper != "*" and not (options.config / "papers" / f"{paper}.yaml").is_file():
        raise AtlasError(f"there is no page '{paper}': {options.config / 'papers'} has no {paper}.yaml.")
    bare = options.page in BARE and options.papers is not None
    results = Results(Scale(options.scale), {}) if bare else _results(options, paper)
    kept = {} if bare else known_where_kept(options.config, paper)
    inputs = SiteInputs(
        out=options.out,
        stores=options.clients,
        results=results,
        claims=load_claims(options.config / "claims", paper),
        verdicts=_verdicts_of_scale(options, read_verdicts),
        published=load_published(options.published or options.out / "published", kept, paper) if kept else {},
        papers=load_papers(options.config / "papers", results.known, paper),
        assumptions=load_assumptions(options.config / "assumptions"),
        paper_results=PaperResults(options.config / "paper_results"),
        short_names=short_names(options.config / "papers"),
        diagnoses=load_diagnoses(options.config / "diagnoses", paper),
        registered=read_registered(options.published or options.out / "published"),
        guides=options.guides,
        sources=load_sources(options.config.parent / CATALOGUE) if options.page in (None, "data") else {},
        speed=load_speed((options.published or options.out / "published") / "speed.json"),
    )
    print("\n".join(str(options.out / name) for name in build(inputs, options.page, options.papers)))


def _verdicts_of_scale(options: argparse.Namespace, read):
    """The verdicts on what this machine has run, as far as the page shows them."""
    from fedatlas.claims.evaluate import PUBLISHED

    if options.published_only or (options.page in OVER_ALL and options.page not in JUDGED):
        return []
    papers = _papers(options) if options.page in (None, *OVER_ALL) else [options.page]
    every = (verdict for paper in papers for verdict in read(options.claims / f"{paper}.json"))
    verdicts = [verdict for verdict in every if verdict.get("origin") != PUBLISHED]
    other = {verdict["scale"] for verdict in verdicts} - {options.scale}
    if other:
        raise AtlasError(f"{options.claims} is of {other.pop()} scale: run `fedatlas claims --scale {options.scale}`.")
    return verdicts


def _show(options: argparse.Namespace) -> None:
    from fedatlas.report.model.papers import load_papers
    from fedatlas.report.pages.study import write_study
    from fedatlas.results.collection import read_results

    key, paper = options.experiment, options.experiment.split("/")[0]
    known = _known(options, options.scale, paper)
    results = read_results(options.runs, known, Scale(options.scale), [key], None)[key]
    figure = load_papers(options.config / "papers", known, paper)[0].showing(results.experiment)[0]
    print(write_study(options.out, results, (), figure.measures))


def _publish(options: argparse.Namespace) -> None:
    from fedatlas.results.freshness import complete
    from fedatlas.results.published import edited, load_published

    kept, chosen = known_where_kept(options.config), dict[Scale, list[str]]()
    larger = {key for key, one in load_published(options.out, kept).items() if one.scale == Scale.PAPER}
    for scale, known in kept.items():
        whole = _unchanged(complete(options.runs, known), options)
        chosen[scale] = [key for key in whole if scale == Scale.PAPER or key not in larger]
        larger |= set(chosen[scale])
    if not any(chosen.values()):
        raise AtlasError(f"{options.runs} holds no complete experiment of {' or '.join(kept)} scale: run one first.")
    changes, new = list[str](), [f"{key} " for keys in chosen.values() for key in keys]
    with edited(options.out) as copy:
        for scale, keys in chosen.items():
            if keys:
                changes += _publish_runs(options, kept, scale, keys, copy)
        changes += judge_again(copy, options.config, kept)
    for change in changes:
        if not change.startswith((*new,)):
            print(change)


def _publish_runs(options: argparse.Namespace, known: Known, scale: Scale, keys: list[str], out: Path) -> list[str]:
    """Publishes the runs of some experiments at one scale; returns the verdicts that change of others."""
    from fedatlas.claims.rejudge import exchange_verdicts, judge_new
    from fedatlas.claims.schema import load_claims
    from fedatlas.report.model.papers import load_papers
    from fedatlas.report.publish import publish
    from fedatlas.results.collection import read_results
    from fedatlas.results.published import load_published, seal

    results = read_results(options.runs, known[scale], scale, keys, options.clients)
    kept = {key: one.results for key, one in load_published(out, known).items() if one.scale == scale}
    verdicts = judge_new(load_claims(options.config / "claims"), results, kept)
    publish(results, verdicts, load_papers(options.config / "papers", known[scale]), out)
    changes = []
    for key in {one.subject.key for one in verdicts} - set(keys):
        changes += exchange_verdicts(out / key, (one for one in verdicts if one.subject.key == key))
    seal(out)
    print(*(options.out / key for key in keys), sep="\n")
    return changes


def _redraw(options: argparse.Namespace) -> None:
    from fedatlas.report.model.papers import load_papers
    from fedatlas.report.publish import redraw
    from fedatlas.results.published import edited, load_published

    kept = known_where_kept(options.config)
    published, papers = load_published(options.out, kept), load_papers(options.config / "papers", kept[Scale.PAPER])
    with edited(options.out) as copy:
        redraw(published, papers, copy)
        list_anew(copy, options.config, kept)
    print(*(options.out / key for key in published), sep="\n")


def _seal(options: argparse.Namespace) -> None:
    from fedatlas.results.published import seal

    changed = seal(options.out)
    print("\n".join(str(options.out / name) for name in changed) or "Nothing has changed.")


def _picture(options: argparse.Namespace) -> None:
    from fedatlas.report.model.papers import load_papers
    from fedatlas.report.standalone import standalone
    from fedatlas.results.collection import read_results
    from fedatlas.results.published import load_published

    key, paper = options.experiment, options.experiment.split("/")[0]
    known = _known(options, options.scale or Scale.PAPER, paper)
    if options.scale:
        folder, there = options.runs, read_results(options.runs, known, Scale(options.scale), [key], None).experiments
    else:
        folder, kept = options.published, known_where_kept(options.config, paper)
        there = {key: one.results for key, one in load_published(folder, kept, paper).items()}
    if key not in there:
        raise AtlasError(f"{key} is not in {folder}; there is {', '.join(there) or 'nothing of that paper'}.")
    write_text(
        options.out, standalone(there[key], load_papers(options.config / "papers", known, paper)[0], options.panel)
    )


def _unchanged(whole: Mapping[str, list[Path]], options: argparse.Namespace) -> list[str]:
    """The experiments whose runs were made as their files are now; says which were not."""
    for key, changed in whole.items():
        if changed:
            path = options.config / "experiments" / f"{key}.yaml"
            print(f"{key} is left out: {changed[0]} was run before {path} was changed; run it again.", file=sys.stderr)
    return [key for key, changed in whole.items() if not changed]


def _known(options: argparse.Namespace, scale: str, paper: str = "*"):
    from fedatlas.experiments.spec import load_experiments

    return load_experiments(options.config / "experiments", scale, paper)


def _results(options: argparse.Namespace, paper: str = "*"):
    """The runs of the chosen experiments, of one paper if it is given."""
    from fedatlas.results.collection import read_results

    chosen = [] if getattr(options, "published_only", False) else options.experiments
    if chosen and paper != "*":
        chosen = [key for key in chosen if key.split("/")[0] == paper]
    stores = getattr(options, "clients", None)
    return read_results(options.runs, _known(options, options.scale, paper), Scale(options.scale), chosen, stores)
