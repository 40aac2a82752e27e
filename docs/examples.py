"""Runs the examples of a Markdown page and compares what they print with what the page says they print.

A ```python block is run, a ```console block's `$ netsim ...` lines are run; the ```text block right behind a Python
block, and what follows a command in a console block, is the output. `python docs/examples.py --renew` writes it anew.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"```(python|console)\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)


def pages() -> list[Path]:
    """The pages with examples."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def renewed(page: Path) -> str:
    """The page's text, with the output that its examples have now."""
    names: dict[str, object] = {}

    def run(match: re.Match[str]) -> str:
        kind, source, output = match.groups()
        if kind == "console":
            return f"```console\n{_console(source)}```\n"
        printed = _python(source, names)
        assert output is not None or not printed, f"{page.name}: no text block for the output of\n{source}"
        return match.group(0) if output is None else f"```python\n{source}```\n\n```text\n{printed}```\n"

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # as sweeps leave files behind
        Path("examples").symlink_to(ROOT / "examples")
        return BLOCK.sub(run, page.read_text(encoding="utf-8"))


def _python(source: str, names: dict[str, object]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(source, "example", "exec"), names)
    return _trimmed(out.getvalue())


def _console(source: str) -> str:
    from netsim.cli import main

    text = ""
    for line in (line for line in source.splitlines() if line.startswith("$ ")):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            main(shlex.split(line.removeprefix("$ netsim ")))
        text += f"{line}\n{_trimmed(out.getvalue())}"
    return text


def _trimmed(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


if __name__ == "__main__" and "--renew" in sys.argv:
    for one in pages():
        one.write_text(renewed(one), encoding="utf-8")
