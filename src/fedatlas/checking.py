"""The whole configuration at once, before any work: whatever can be wrong with it is found here.

What was found right is remembered by the content of all its files, so that an unchanged configuration costs nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import fedatlas
from fedatlas.claims.diagnoses import Diagnosis, placed_diagnoses
from fedatlas.claims.fitting import check_claims
from fedatlas.claims.readings import subjects
from fedatlas.claims.renaming import RenamedFile
from fedatlas.claims.schema import Claim, placed_claims
from fedatlas.config import Place, read_yaml, validate
from fedatlas.config.ids import check_stem
from fedatlas.data import catalogue
from fedatlas.data.datasets.base import Fetched
from fedatlas.data.sources import load_sources
from fedatlas.errors import AtlasError, Keys
from fedatlas.experiments.extending import place_at
from fedatlas.experiments.recorded import Entries
from fedatlas.experiments.scales import Scale
from fedatlas.experiments.spec import Known, load_experiments
from fedatlas.files import write_text
from fedatlas.names import instead
from fedatlas.pipeline import Configuration
from fedatlas.report.model.assumptions import Assumption, placed_assumptions
from fedatlas.report.model.fitting import check_paper
from fedatlas.report.model.paper_results import PaperResults
from fedatlas.report.model.papers import Paper, check_figures, validated

STAMP = Path(".snakemake/fedatlas-checked")


def check_once(root: Path = Path()) -> None:
    """Checks the configuration of a project, unless it was found right as it is.

    Raises:
        AtlasError: as `check_configuration`.
    """
    stamp, digest = root / STAMP, _digest(root)
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == digest:
        return
    check_configuration(root)
    with contextlib.suppress(AtlasError):  # where nothing can be written, it is checked again
        write_text(stamp, digest)


@dataclass(frozen=True)
class Parts:
    """The files of a configuration, each right by itself.

    Attributes:
        experiments: at each scale.
        claims, papers, register: each with the place where it stands.
        diagnoses: by paper and claim, with their places.
        printed: the numbers of the papers' tables.
    """

    config: Path
    experiments: Known
    claims: list[tuple[Claim, Place]]
    papers: dict[str, tuple[Paper, Place]]
    register: list[tuple[Assumption, Place]]
    diagnoses: Mapping[tuple[str, str], tuple[Diagnosis, Place]]
    printed: PaperResults


def check_configuration(root: Path = Path()) -> None:
    """Checks all files of config/, each by itself and against the others, and data/sources.yaml.

    Raises:
        AtlasError: names the file, the line, the key, the value and what is allowed, or the nearest right name.
    """
    config = root / "config"
    check_single_files(root)
    parts = read_parts(config)
    for paper in sorted({*_papers_of(parts), *parts.papers}):
        check_together(parts, paper)


def read_parts(config: Path) -> Parts:
    """Reads what refers to each other in the folder of the configuration.

    Raises:
        AtlasError: if a file is wrong by itself.
    """
    return Parts(
        config,
        {scale: load_experiments(config / "experiments", scale) for scale in (Scale.PAPER, Scale.MEDIUM, Scale.QUICK)},
        placed_claims(config / "claims"),
        read_papers(config / "papers"),
        placed_assumptions(config / "assumptions"),
        placed_diagnoses(config / "diagnoses"),
        PaperResults(config / "paper_results"),
    )


def check_single_files(root: Path) -> None:
    """Checks the files that no other refers to.

    Raises:
        AtlasError: as `check_configuration`.
    """
    config = root / "config"
    _check_places(config)
    for path in (config / f"{scale}.yaml" for scale in Scale):
        if path.is_file():
            validate(read_yaml(path), Configuration, path)
    for path in sorted((config / "paper_results").glob("*.yaml")):
        check_stem(path)
        read_yaml(path)
    if (config / "renamed.yaml").is_file():
        validate(read_yaml(config / "renamed.yaml"), RenamedFile, config / "renamed.yaml")
    if (root / "data/sources.yaml").is_file():
        _check_sources(root / "data/sources.yaml")


def _check_places(config: Path) -> None:
    """Checks that every file stands where it is read."""
    for path in sorted(config.rglob("*.yml")):
        raise AtlasError(f"{path} is not read: name it {path.with_suffix('.yaml').name}.")
    for room in (config / "experiments", config / "claims"):
        for path in sorted(room.rglob("*.yaml")):
            if path.parent.parent != room:
                raise AtlasError(f"{path} is not read: put it into the folder of its paper, such as {room / 'fco'}.")


def _check_sources(path: Path) -> None:
    """Checks the catalogue of sources, and that it has those of all data sets."""
    known = load_sources(path)
    for name, dataset in catalogue.datasets.items():
        for source in dataset.sources if issubclass(dataset, Fetched) else ():
            if source not in known:
                hint = instead(source, known)
                raise AtlasError(f"{path}: there is no source '{source}', of which the data set {name} is made; {hint}")


def read_papers(folder: Path) -> dict[str, tuple[Paper, Place]]:
    """The papers by id, each with its place.

    Raises:
        AtlasError: names the file, the key and the value if one is wrong.
    """
    return {path.stem: (validated(path), Place(path)) for path in sorted(folder.glob("*.yaml"))}


def check_together(parts: Parts, paper: str) -> None:
    """Checks the files about one paper against each other.

    Raises:
        AtlasError: as `check_configuration`.
    """
    if paper not in parts.papers:
        there = instead(paper, sorted(parts.papers))
        raise AtlasError(f"{parts.config}/papers has no {paper}.yaml, but there are files about this paper; {there}")
    claims = [(claim, place) for claim, place in parts.claims if claim.paper == paper]
    entries = Entries()
    check_claims(claims, parts.experiments, entries)
    verdicts = _verdicts([claim for claim, _ in claims], parts.experiments)
    found, place = parts.papers[paper]
    for known in parts.experiments.values():
        check_figures([found], [one for one in known.values() if one.paper == paper], parts.config / "papers")
    check_paper(found, place, parts.experiments, entries, verdicts, parts.printed)
    _check_register(parts, found)
    _check_diagnoses(parts, paper, verdicts)


def _papers_of(parts: Parts) -> set[str]:
    """The papers that experiments, claims, assumptions and diagnoses are about."""
    named = {claim.paper for claim, _ in parts.claims} | {one.paper for one, _ in parts.register}
    experiments = {one.paper for one in parts.experiments[Scale.PAPER].values()}
    return named | experiments | {paper for paper, _ in parts.diagnoses}


def _verdicts(claims: Iterable[Claim], experiments: Known) -> set[str]:
    """The ids of all verdicts that there can be at any scale: some algorithms of a reading may be at one alone."""
    return {one.id for claim in claims for known in experiments.values() for one in subjects(claim, known)}


def _check_register(parts: Parts, paper: Paper) -> None:
    """Checks what the register of assumptions and the experiments of a paper say about each other."""
    figures = {name for figure in paper.figures for name in (figure.id, *figure.sources)}
    for assumption, place in parts.register:
        for number, name in enumerate(assumption.figures) if assumption.paper == paper.id else ():
            _check_name(name, "figure", figures, place, ("figures", number))
    ids = {assumption.id for assumption, _ in parts.register}
    mine = {one.id: one for one in parts.experiments[Scale.PAPER].values() if one.paper == paper.id}
    for experiment in mine.values():
        place = place_at(parts.config / "experiments" / f"{experiment.key}.yaml", "paper")
        for number, name in enumerate(experiment.assumptions):
            _check_name(name, "assumption", ids, place, ("assumptions", number))
        if experiment.rates_from:
            _check_name(experiment.rates_from, "experiment", mine, place, ("rates_from",))
        if reading := experiment.reading:
            _check_name(reading.of, "experiment", mine.keys() - {experiment.id}, place, ("reading", "of"))
            _check_name(reading.assumption, "assumption", ids, place, ("reading", "assumption"))


def _check_diagnoses(parts: Parts, paper: str, verdicts: Collection[str]) -> None:
    mine = {one.id for one in parts.experiments[Scale.PAPER].values() if one.paper == paper}
    for (of, claim), (diagnosis, place) in parts.diagnoses.items():
        if of != paper:
            continue
        _check_name(claim, "claim", verdicts, place, ("claims", diagnosis.claims.index(claim)))
        if diagnosis.shown_by:
            _check_name(diagnosis.shown_by, "experiment", mine, place, ("shown_by",))


def _check_name(name: str, what: str, there: Collection[str], place: Place, key: Keys) -> None:
    if name not in there:
        sentence = (
            f"'{'.'.join(map(str, key))}' names the {what} '{name}', which does not exist; "
            f"{instead(name, sorted(there))}"
        )
        raise place.error(AtlasError(sentence, key))


def _digest(root: Path) -> str:
    """A digest of the configuration's files and, by size and time, of the library's."""
    digest = hashlib.sha256()
    for path in sorted([*(root / "config").rglob("*.y*ml"), root / "data/sources.yaml"]):
        digest.update(str(path.relative_to(root)).encode() + b"\0")
        digest.update(path.read_bytes() if path.is_file() else b"")
    for path in sorted(Path(fedatlas.__file__).parent.rglob("*.py")):
        digest.update(f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}".encode())
    return digest.hexdigest()
