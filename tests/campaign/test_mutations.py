"""Hundreds of mistakes in the files of the configuration: each is told in one sentence before any work.

The mistakes are derived from the JSON schemas (see `mutator`). What is accepted all the same stands in ACCEPTED, with
the reason.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from campaign.accepted import ACCEPTED, TOLD_OTHERWISE
from campaign.configured import ROOT, Project, project
from campaign.mutator import NEW_NAME, Mutation, mutations

__all__ = ["project"]
LEAST = 500  # mutations in all
EVERY = int(os.environ.get("EVERY_MUTATION", "3"))  # of so many one is tried; 1 for all of them
FOREIGN = re.compile(
    r"input should|constrained|literal\[|function-|union|_type\b|valid tuple|pydantic|NoneType|<class|Traceback"
    r"|something else|\bdict\b|\bint\b|\bstr\b|\bfloat\b",
    re.IGNORECASE,
)
FILES = {
    "experiment": [
        "experiments/fco/lasso_II.yaml",
        "experiments/fedpd/unequal_steps.yaml",
        "experiments/fedem/unseen.yaml",
        "experiments/dualfl/mnist.yaml",
    ],
    "claims": [
        "claims/fco/figure_3.yaml",
        "claims/fedem/table_2.yaml",
        "claims/dualfl/figure_1_methods.yaml",
    ],
    "paper": ["papers/dualfl.yaml"],
    "assumptions": ["assumptions/fedpd.yaml"],
    "diagnoses": ["diagnoses/fedpd.yaml"],
    "configuration": ["quick.yaml"],
    "sources": ["../data/sources.yaml"],
}


def _mutations(kind: str, name: str) -> list[Mutation]:
    schema = json.loads((ROOT / f"config/schemas/{kind}.json").read_text(encoding="utf-8"))
    content = yaml.safe_load((ROOT / "config" / name).read_text(encoding="utf-8"))
    return list(mutations(schema, content))


def _faults(sentence: str, path: Path, mutation: Mutation) -> Iterator[str]:
    """What is wrong with a sentence about a mistake."""
    elsewhere = path.name not in sentence  # two files contradict each other, and the other one is named
    otherwise = mutation.id in TOLD_OTHERWISE
    if elsewhere and not (
        ".yaml" in sentence and (otherwise or any(word in sentence for word in (path.stem, NEW_NAME, *mutation.old)))
    ):
        yield "does not name the file"
    told = any(name in sentence for name in mutation.names)
    if not elsewhere and not told and not otherwise:
        yield f"does not name {' or '.join(mutation.names)}"
    if mutation.right and f"'{mutation.right}'" not in sentence:
        yield f"does not say that '{mutation.right}' was meant"
    if len(sentence) > 400 + len(str(path)) or "\n" in sentence:
        yield "is not one sentence"
    if sentence[-1] not in ".?)":
        yield "does not end"
    if foreign := FOREIGN.search(re.sub(r"'[^']*'", "", sentence.replace(str(path), ""))):
        yield f"speaks of '{foreign.group()}'"


def _reason(kind: str, mutation: Mutation) -> str | None:
    return next((p for p in ACCEPTED if fnmatch.fnmatchcase(f"{kind}: {mutation.id}", p)), None)


def _outcome(project: Project, kind: str, path: Path, mutation: Mutation) -> tuple[str, str]:
    """(`refused`, `accepted` or `wrong`, and about it)."""
    try:
        sentence = project.told(kind, path, mutation.make())
    except Exception as error:
        return "wrong", f"ends in {type(error).__name__}: {error}"
    pattern = _reason(kind, mutation)
    if sentence is None:
        return ("accepted", pattern) if pattern else ("wrong", "is accepted")
    faults = "; ".join(_faults(sentence, path, mutation))
    return ("wrong", f"{faults}: {sentence}") if faults else ("refused", sentence)


def _all_of(kind: str) -> list[tuple[str, Mutation]]:
    """The mutations of a kind of file, each at one place of the schema, with the file that it is of."""
    found: dict[str, tuple[str, Mutation]] = {}
    for name in FILES[kind]:
        for mutation in _mutations(kind, name):
            found.setdefault(mutation.id, (name, mutation))
    return list(found.values())


@pytest.mark.parametrize("kind", FILES)
def test_every_mistake_is_told_in_one_sentence_before_any_work(project, kind):
    chosen = _all_of(kind)[::EVERY]
    outcomes: Counter[str] = Counter()
    used, wrong = set(), []
    for name, mutation in chosen:
        outcome, about = _outcome(project, kind, (project.config / name).resolve(), mutation)
        outcomes[outcome] += 1
        used |= {about} if outcome == "accepted" else set()
        wrong += [f"{kind}: {mutation.id} ({name}) {about}"] if outcome == "wrong" else []
    print(kind, dict(outcomes))
    assert not wrong, f"{len(wrong)} of {len(chosen)}\n" + "\n".join(wrong)
    assert outcomes["refused"] > outcomes["accepted"]
    stale = {pattern for pattern in ACCEPTED if pattern.startswith(f"{kind}: ")} - used
    assert EVERY > 1 or not stale, f"these are no longer accepted: {stale}"


def test_there_are_hundreds_of_them():
    assert sum(len(_all_of(kind)[::EVERY]) for kind in FILES) >= LEAST


def test_the_configuration_is_right_without_a_mistake(project):
    """Else every mistake would be told, whatever is looked at."""
    for kind, names in FILES.items():
        project.checked(kind, (project.config / names[0]).resolve())
