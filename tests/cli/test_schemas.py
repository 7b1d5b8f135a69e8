"""The schemas that editors read, and the files that they are of."""

import json
import os
from pathlib import Path

import jsonschema
import pytest
import yaml

from fedatlas.schemas import SCHEMAS, write_schemas

CONFIG = Path(__file__).parents[2] / "config"
FILES = {
    "experiment": sorted(CONFIG.glob("experiments/*/*.yaml")),
    "claims": sorted(CONFIG.glob("claims/*/*.yaml")),
    "paper": sorted(CONFIG.glob("papers/*.yaml")),
    "assumptions": sorted(CONFIG.glob("assumptions/*.yaml")),
    "diagnoses": sorted(CONFIG.glob("diagnoses/*.yaml")),
    "sources": [CONFIG.parent / "data/sources.yaml"],
    "configuration": [CONFIG / f"{scale}.yaml" for scale in ("quick", "medium", "paper")],
}


def validator(name):
    return jsonschema.Draft202012Validator(json.loads((CONFIG / "schemas" / f"{name}.json").read_text()))


def test_the_committed_schemas_are_those_of_the_models(tmp_path):
    for path in write_schemas(tmp_path):
        assert path.read_text() == (CONFIG / "schemas" / path.name).read_text(), "run `fedatlas schema`"


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_committed_file_is_valid_and_names_its_schema(name):
    check = validator(name)
    for path in FILES[name]:
        schema = os.path.relpath(CONFIG / "schemas" / f"{name}.json", path.parent)
        assert path.read_text().startswith(f"# yaml-language-server: $schema={schema}\n"), path
        errors = [
            f"{'.'.join(map(str, error.path))}: {error.message[:200]}" for error in check.iter_errors(_read(path))
        ]
        assert not errors, f"{path}: {errors}"


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("experiment", {"trianing": {}}),
        ("experiment", {"quick": {"training": {"round": 3}}}),
        ("experiment", {"dataset": {"name": "laso"}}),
        ("claims", {"claims": [{"id": "a", "chek": {}}]}),
        ("paper", {"figurs": []}),
        ("configuration", {"scale": "tiny"}),
    ],
)
def test_a_mistake_is_marked(name, change):
    content = _read(FILES[name][0]) | change
    assert list(validator(name).iter_errors(content))


def test_keys_are_explained():
    keys = json.loads((CONFIG / "schemas" / "experiment.json").read_text())["properties"]
    assert keys["reference"]["description"].startswith("the entry whose last model is the optimum")


def _read(path):
    return yaml.safe_load(path.read_text())
