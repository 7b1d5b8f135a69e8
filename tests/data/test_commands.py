"""The commands of `fedatlas data`."""

import json
import os
import shutil
from pathlib import Path

import pytest
import yaml

from fedatlas.cli import main
from fedatlas.data import catalogue
from fedatlas.data.sources import load_sources

ROOT = Path(__file__).parents[2]
LASSO = ["data", "build", "lasso", "--options", '{"variant": "III"}', "--out"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with the project's catalogue and one source more, that the mirror has."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FEDATLAS_MIRROR", raising=False)
    sources = yaml.safe_load((ROOT / "data" / "sources.yaml").read_text())
    facts = {"title": "Notes", "citation": "Nobody, 1999", "licence": "free", "homepage": "https://a.org"}
    plain = {"files": {"a.txt": {"size": 2}, "b.txt": {}}, "unchecked": "nobody knows a hash"}
    sources["notes"] = facts | {"layouts": {"plain": plain}}
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "sources.yaml").write_text(yaml.safe_dump(sources))
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "a.txt").write_text("aa")
    (tmp_path / "mirror" / "b.txt").write_text("b")
    return tmp_path


def test_fetch_writes_a_stamp_that_does_not_depend_on_the_mirror(folder, capsys):
    stamps = []
    for number in range(2):
        mirror = shutil.copytree("mirror", f"mirror {number}")
        shutil.rmtree("data/raw", ignore_errors=True)
        assert main(["data", "fetch", "notes", "--mirror", mirror, "--stamp", "stamp"]) == 0
        stamps.append(Path("stamp").read_text())
    assert stamps[0] == stamps[1]
    assert stamps[0].count("notes/") == 2
    assert "data/raw/notes: 2 files, 0.0 MB, layout plain, real" in capsys.readouterr().out


def test_the_environment_names_the_mirror(folder, monkeypatch):
    monkeypatch.setenv("FEDATLAS_MIRROR", "mirror")
    assert main(["data", "fetch", "notes", "--mirror", "/no/such/folder"]) == 0


@pytest.mark.parametrize(
    ("command", "name", "mend"),
    [("fetch", "note", "did you mean 'notes'?"), ("describe", "lassso", "did you mean 'lasso'?"),
     ("describe", "zzz", "`fedatlas data list` has all.")],
)  # fmt: skip
def test_an_unknown_name_is_told_with_the_nearest(command, name, mend, capsys):
    assert main(["data", command, name]) == 2
    message = capsys.readouterr().err
    assert f"there is no data set or source '{name}'; " in message and mend in message


def test_a_stand_in_is_made_up_and_marked(capsys):
    assert main(["data", "fetch", "shakespeare-stand-in", "--raw", "raw"]) == 0
    assert ", stand-in" in capsys.readouterr().out
    assert json.loads(Path("raw/shakespeare-stand-in/receipt.json").read_text())["kind"] == "stand-in"


def test_check_names_what_is_damaged_and_goes_on(folder, capsys):
    main(["data", "fetch", "notes", "--mirror", "mirror"])
    for store in ("one", "two"):
        assert main([*LASSO, f"data/clients/{store}"]) == 0
    assert main(["data", "check"]) == 0
    os.truncate("data/raw/notes/a.txt", 1)
    file = folder / "data" / "clients" / "one" / "train" / "000003.bin"
    file.write_bytes(file.read_bytes()[::-1])
    capsys.readouterr()
    assert main(["data", "check"]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines() == ["data/clients/two: intact"]
    assert "data/clients/one/train/000003.bin is damaged" in err
    assert "data/raw/notes/a.txt is missing or damaged: run `fedatlas data fetch notes" in err


def test_check_leaves_published_results_alone(folder, capsys):
    published = Path("reports/published/fco/lasso_I/manifest.json")
    published.parent.mkdir(parents=True)
    published.write_text('{"experiment": {}, "runs": []}')
    assert main([*LASSO, "data/clients/one"]) == 0
    capsys.readouterr()
    assert main(["data", "check", "."]) == 0
    assert capsys.readouterr().out.splitlines() == ["data/clients/one: intact"]


def test_check_says_when_there_is_nothing(capsys):
    assert main(["data", "check", "nowhere"]) == 2
    assert "nowhere is not a folder" in capsys.readouterr().err


def test_list_says_what_has_been_fetched(capsys, monkeypatch):
    main(["data", "fetch", "shakespeare-stand-in"])
    Path("data/raw/shakespeare-stand-in").rename("data/raw/shakespeare")
    capsys.readouterr()
    assert main(["data", "list"]) == 0
    lines = dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
    assert list(lines) == catalogue.names()
    assert lines["shakespeare"].endswith("(fetched, extracted)")
    assert lines["mnist_writers"].count("(not fetched)") == 2


@pytest.mark.parametrize("name", catalogue.names())
def test_every_data_set_is_described_with_all_its_options(name, capsys):
    assert main(["data", "describe", name]) == 0
    out = capsys.readouterr().out
    dataset = catalogue.datasets[name]
    assert all(f"\n    {option}: " in out for option in dataset.model_fields)
    assert "anything" not in out
    sources = getattr(dataset, "sources", ())
    assert all(load_sources()[source].licence in out for source in sources)


def test_a_store_is_described_by_its_numbers(capsys):
    main([*LASSO, "store"])
    capsys.readouterr()
    assert main(["data", "describe", "store"]) == 0
    out = capsys.readouterr().out
    assert "lasso (synthetic as in the paper), seed 0, options {'variant': 'III'}" in out
    assert "train: 64 clients, 8192 examples (128 to 128 a client, median 128)" in out
    assert "x float32[1024], y float32[]" in out


def test_published_results_are_no_store(capsys, tmp_path):
    (tmp_path / "manifest.json").write_text('{"experiment": {}, "runs": []}')
    assert main(["data", "describe", str(tmp_path)]) == 2
    assert "holds published results, and no client store" in capsys.readouterr().err


def test_a_store_takes_no_other_files_along(capsys, tmp_path):
    kept = tmp_path / "precious" / "sub" / "thesis.txt"
    kept.parent.mkdir(parents=True)
    kept.write_text("years of work")
    assert main([*LASSO, str(tmp_path / "precious")]) == 2
    assert "holds other files (sub/thesis.txt) that would be lost" in capsys.readouterr().err
    assert main([*LASSO, str(kept)]) == 2
    assert "--out names a file" in capsys.readouterr().err
    assert kept.read_text() == "years of work"
    model = tmp_path / "models" / "model.bin"
    model.parent.mkdir()
    model.write_text("weeks of training")
    assert main([*LASSO, str(model.parent)]) == 2
    assert "holds other files (model.bin) that would be lost" in capsys.readouterr().err
    secret = tmp_path / "mine" / ".env"
    secret.parent.mkdir()
    secret.write_text("a key")
    (secret.parent / "manifest.json").write_text("{}")
    assert main([*LASSO, str(secret.parent)]) == 2
    assert "holds other files (.env) that would be lost" in capsys.readouterr().err
    for _ in range(2):  # an earlier store is made again
        assert main([*LASSO, str(tmp_path / "store")]) == 0
    (tmp_path / "store/manifest.json").unlink()  # as Snakemake does before it makes an incomplete one again
    assert main([*LASSO, str(tmp_path / "store")]) == 0


def test_options_that_are_not_json_are_named(capsys):
    assert main(["data", "build", "lasso", "--options", "variant=I", "--out", "store"]) == 2
    assert "--options is not JSON: variant=I" in capsys.readouterr().err
    assert main(["data", "build", "lasso", "--options", "[1]", "--out", "store"]) == 2
    assert "--options must be a JSON object of names and values, but is [1]." in capsys.readouterr().err
