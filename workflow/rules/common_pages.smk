# What the pages are made from, and no rules.

from fedatlas.report.page_names import JUDGED, OVER_ALL

SCALE = PIPELINE.configuration.scale
RUNS = expand("data/runs/{run}/{file}", run=PIPELINE.runs, file=["metrics.parquet", "run.json"])
# Papers of which something is published, or run too, have a page.
PUBLISHED = sorted({Path(kept).parts[2] for kept in files("reports/published/*/*/claims.json")})
PAPERS = sorted({*PIPELINE.papers, *PUBLISHED})
PAGES = [*OVER_ALL, *PAPERS]
FEW = ["library", "algorithms", "speed"]  # pages that show nothing of what this machine has run
# Notebooks about the library, with their kernels; they are run with everything, and not for a part of it.
GUIDES = {"your_own": "fedatlas-tff", "tff_process": "fedatlas-tff", "explore": "python3"}
EXECUTED = [f"data/runs/guides/{name}.ipynb" for name in GUIDES if PIPELINE.configuration.experiments == "all"]


def explored():
    """What `explore` reads: the published results, and the files that name and describe them."""
    kept = ["manifest.json", "claims.json", "*.csv"]
    config = files("config/papers/*.yaml", "config/experiments/*/*.yaml")
    return files(*(f"reports/published/*/*/{name}" for name in kept)) + config


def notebooks_of(page):
    """The executed notebooks that a page shows."""
    if page == "library":
        return EXECUTED
    figures = [f"data/runs/{SCALE}/{page}/{page}.ipynb"] if page in PIPELINE.papers else []
    return [*figures, *runs_of_paper(page, "train.ipynb")]


def keys_of(page):
    """The chosen experiments that a page shows: a paper's page its own, one about all every one."""
    return [key for key, one in PIPELINE.experiments.items() if page in (one.paper, *OVER_ALL)]


def stores_of(page):
    """The client stores that a page draws: the data page all, a paper's page those of its runs."""
    runs = PIPELINE.runs.values()
    chosen = {run.dataset_id for run in runs if page in ("data", run.experiment.paper)}
    return [f"data/clients/{dataset}/manifest.json" for dataset in sorted(chosen)]


def runs_of_page(page):
    """The runs that a page is made from: a paper's page its own, the others all, if they show any."""
    if page in PAPERS:
        return runs_and_manifests(page)
    return [] if page in FEW else RUNS


def runs_and_manifests(paper):
    """The curves of a paper's runs, and what was run."""
    return [path for name in ("metrics.parquet", "run.json") for path in runs_of_paper(paper, name)]


def verdicts_of(page):
    """The verdicts on this machine's runs that a page shows: a paper's page its own, two others all."""
    papers = [page] if page in PAPERS else PAPERS if page in JUDGED else []
    return [f"reports/claims/{paper}.json" for paper in papers]


def words_of(page):
    """What a page is written from besides runs: a paper's page from what is its own."""
    own = {
        "index": ["config/papers/*", "config/experiments/*/*", "config/claims/*/*", "reports/published/*/*/*"],
        "claims": ["config/papers/*", "config/experiments/*/*", "config/claims/*/*", "reports/published/*/*/*"],
        "assumptions": [
            "config/papers/*",
            "config/experiments/*/*",
            "config/assumptions/*",
            "reports/published/*/*/claims.json",
        ],
        "data": [
            "config/papers/*",
            "config/experiments/*/*",
            "reports/published/*/*/manifest.json",
            "data/sources.yaml",
            "src/fedatlas/data/datasets/*.py",
        ],
        "speed": ["reports/published/speed.json"],
        "library": ["docs/library.md", "src/fedatlas/library/*.py"],
        "algorithms": [
            "src/fedatlas/algorithms/*.py",
            "config/papers/*",
            "config/experiments/*/*",
            "reports/published/*/*/*",
        ],
    }
    of_paper = [
        f"config/papers/{page}.yaml",
        f"config/paper_results/{page}*.yaml",
        f"config/experiments/{page}/*",
        f"config/claims/{page}/*",
        f"config/diagnoses/{page}.yaml",
        "config/assumptions/*",
        f"reports/published/{page}/*/*",
        "reports/published/registered.json",
    ]
    folder = "src/fedatlas/report/pages"
    looks = [f"{folder}/{path}" for path in ("templates/*.j2", "templates/reference/*", "assets/*")]
    return files(*own.get(page, of_paper), *looks)
