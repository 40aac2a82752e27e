"""Checks the links of the built documentation: `python docs/links.py build/docs`.

The target of every internal link, picture, style and script has to exist, and so does every `#place` on its page.
External links are counted but not followed, so that no build depends on other people's servers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

SCHEMES = ("http", "https", "mailto")


class Page(HTMLParser):
    """A page's links, the files it loads, and the places that links can lead to."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file = file
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places = {"", "top"}
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See HTMLParser."""
        has = {name: value for name, value in attrs if value is not None}
        self.places |= {has[name] for name in ("id", "name") if name in has}
        if tag == "a" and "href" in has:
            self.links.append(has["href"])
        elif tag == "link" and has.get("rel") not in ("index", "search", "next", "prev", "canonical"):
            self.loaded.append(has.get("href", ""))
        elif "src" in has:
            self.loaded.append(has["src"])


def broken(root: Path) -> Iterator[str]:
    """A line for each problem: links that lead nowhere, and anything that a page loads from elsewhere."""
    pages = {file: Page(file) for file in sorted(root.rglob("*.html"))}
    for file, page in pages.items():
        for link in [*page.links, *page.loaded]:
            if urlsplit(link).scheme == "data" or (is_external(link) and link in page.links):
                continue
            if is_external(link):
                yield f"{file.relative_to(root)} loads {link} from elsewhere"
            elif not _leads_somewhere(link, file, pages):
                yield f"{file.relative_to(root)} links to {link}, which is not there"


def is_external(link: str) -> bool:
    """Whether it leads outside the documentation."""
    return urlsplit(link).scheme in SCHEMES or link.startswith("//")


def external(root: Path) -> set[str]:
    """The links that lead outside the documentation."""
    return {link for file in root.rglob("*.html") for link in Page(file).links if is_external(link)}


def _leads_somewhere(link: str, file: Path, pages: dict[Path, Page]) -> bool:
    path, place = map(unquote, urldefrag(link))
    target = (file.parent / path.partition("?")[0]).resolve() if path else file
    return place in pages[target].places if target in pages else target.is_file() and not place


def main(root: Path) -> int:
    """The exit code: 0, or 1 if something is wrong."""
    found = list(broken(root.resolve()))
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    print(f"{len(list(root.rglob('*.html')))} pages, {len(external(root))} links elsewhere, which were not followed")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
