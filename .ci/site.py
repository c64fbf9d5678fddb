"""A hook of MkDocs that publishes the repository's top pages beside `docs/` and adapts the links between them.

The pages are written for readers of the repository, where `README.md` links to `docs/api.md`. On the site, `README.md`
is the home page, and a link to a file that the site does not contain leads to the repository.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TOP = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "AGENTS.md": "agents.md",
    "CHANGELOG.md": "changelog.md",
    "rules/REJECTED.md": "rejected.md",
}
"""Pages outside `docs/`, and what they are called on the site."""
_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages outside `docs/`."""
    from mkdocs.structure.files import File

    for path, name in TOP.items():
        files.append(File.generated(config, name, content=(ROOT / path).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Turn links between files of the repository into links between pages of the site."""
    return linked(markdown, page.file.src_uri, config["repo_url"])


def linked(markdown: str, name: str, repository: str) -> str:
    """The text of a page of the site, with the links that lead to the same places from there."""
    sources = {site: path for path, site in TOP.items()}
    source = sources.get(name, f"docs/{name}")

    def there(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link[1]))
        inside = path.removeprefix("docs/") if path.startswith("docs/") else TOP.get(path)
        if inside is None:
            return f"]({repository}/blob/main/{path}{link[2] or ''})"
        return f"]({posixpath.relpath(inside, posixpath.dirname(name) or '.')}{link[2] or ''})"

    return _LINK.sub(there, markdown)
