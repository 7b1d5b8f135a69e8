"""The documentation: how the atlas is used as a library, a reference made from its docstrings, executed notebooks."""

from __future__ import annotations

import importlib
import importlib.resources
import inspect
import re
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

from markupsafe import Markup

import fedatlas
from fedatlas.files import write_text
from fedatlas.lazy import LazyModule
from fedatlas.project import project_root
from fedatlas.report.model.inputs import SiteInputs
from fedatlas.report.pages import highlighted, layout
from fedatlas.report.pages.notebook import read_notebook, write_notebook

pdoc: Any = LazyModule("pdoc")
markdown2: Any = LazyModule("markdown2")
DOCUMENT = Path("docs/library.md")
FOLDER = "reference"
MODULES = {  # what is documented, and what it is
    "fedatlas": "what `import fedatlas as fa` offers",
    "fedatlas.algorithms.base": "the roles of an algorithm, for one of your own",
}
LINK = re.compile(r'<a href="(?!https?:|#)(?:\.\./)*([^"]*?([^"/]+)\.(?:ipynb|md|py))">.*?</a>')


def write_library(inputs: SiteInputs) -> None:
    """Writes `library.html`, the reference and the pages of the executed notebooks.

    Raises:
        AtlasError: if the current folder is not in the project.
    """
    highlighted.write_style(inputs.out)
    guides = [_guide(inputs, guide) for guide in inputs.guides]
    body = layout.render(
        "library.html.j2",
        document=_document({guide.stem: href for guide, (_, href) in zip(inputs.guides, guides, strict=True)}),
        modules=[(name, _write_reference(inputs.out, name), Markup(_plain(words))) for name, words in MODULES.items()],
        guides=guides,
    )
    layout.write_page(inputs.out, "library.html", "The atlas as a library", body, inputs.navigation)


def _document(guides: dict[str, str]) -> Markup:
    """docs/library.md as HTML; links to files are their names, but for executed notebooks that are pages."""
    text = (project_root() / DOCUMENT).read_text(encoding="utf-8")
    extras = {"tables": None, "fenced-code-blocks": {"cssclass": "highlight"}}
    body = str(markdown2.markdown(text, extras=extras))
    body = LINK.sub(lambda found: _link(guides.get(found[2]), found[1]), body)
    table = '<div class="scroll" tabindex="0" role="region" aria-label="table"><table>'
    return Markup(body.replace("<table>", table).replace("</table>", "</table></div>"))


def _link(href: str | None, path: str) -> str:
    return f'<a href="{href}">{path}</a>' if href else f"<code>{path}</code>"


def _plain(words: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", words)


def _guide(inputs: SiteInputs, path: Path) -> tuple[str, str]:
    """The first heading of a notebook, and the page that it becomes."""
    title = read_notebook(path).cells[0].source.splitlines()[0].lstrip("# ")
    return title, write_notebook(path, inputs.out, f"notebooks/{path.stem}.html", title, inputs.navigation)


def _write_reference(out: Path, name: str) -> str:
    """Writes what pdoc makes of a module, and returns the page's name."""
    templates = importlib.resources.files("fedatlas.report.pages") / "templates" / FOLDER
    pdoc.render.configure(docformat="google", show_source=False, search=False, template_directory=Path(str(templates)))
    documented = {own: _documented(own) for own in MODULES}
    path = f"{FOLDER}/{name.replace('.', '/')}.html"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of types whose modules are not here, such as TensorFlow's
        write_text(out / path, pdoc.render.html_module(documented[name], all_modules=documented))
    return path


def _documented(name: str) -> Any:
    """A module as pdoc sees it; `fedatlas` with what it imports when it is asked for."""
    if name != "fedatlas":
        return pdoc.doc.Module(importlib.import_module(name))
    face, offered = ModuleType(name, fedatlas.__doc__), [one for one in fedatlas.__all__ if one[0] != "_"]
    face.__dict__.update({one: getattr(fedatlas, one) for one in offered}, __all__=offered)
    module = pdoc.doc.Module(face)
    for variable in module.variables:  # lists of what there is: their classes say what they are
        variable.docstring = inspect.getdoc(type(face.__dict__[variable.name]))
        variable.default_value = inspect.Parameter.empty
    return module
