"""Runs the examples of README and documentation and compares their output with the output shown on the page.

```python blocks are run, and so are the `$ netsim ...` lines of ```console blocks. A ```toml block that begins with a
file's name, `# own.toml`, is written into that file for later examples. The expected output is the ```text block
directly after a Python block, or the lines after a command in a console block.
`python docs/examples.py --renew [PAGE ...]` renews it.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"```(python|console|toml)\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)
NAMED = re.compile(r"# ([\w/-]+\.toml)\n")
COLUMNS = "100"  # width of the terminal for which help is formatted


def pages() -> list[Path]:
    """The pages with examples."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def renewed(page: Path) -> str:
    """The page's text with the current output of its examples."""
    names: dict[str, object] = {}

    def run(match: re.Match[str]) -> str:
        kind, source, output = match.groups()
        if kind == "toml":
            _written(source)
            return match.group(0)
        if kind == "console":
            return f"```console\n{_console(source)}```\n"
        printed = _python(source, names)
        assert output is not None or not printed, f"{page.name}: no text block for the output of\n{source}"
        return match.group(0) if output is None else f"```python\n{source}```\n\n```text\n{printed}```\n"

    terminal = patch.dict(os.environ, COLUMNS=COLUMNS)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), terminal:  # sweeps leave files behind
        Path("examples").symlink_to(ROOT / "examples")
        return BLOCK.sub(run, page.read_text(encoding="utf-8"))


def _written(source: str) -> None:
    if named := NAMED.match(source):
        Path(named[1]).parent.mkdir(parents=True, exist_ok=True)
        Path(named[1]).write_text(source, encoding="utf-8")


def _python(source: str, names: dict[str, object]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(source, "example", "exec", dont_inherit=True), names)  # as if typed into a new session
    return _trimmed(out.getvalue())


def _console(source: str) -> str:
    from netsim.cli import main

    text = ""
    for line in (line for line in source.splitlines() if line.startswith("$ ")):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), contextlib.suppress(SystemExit):
            main(shlex.split(line.removeprefix("$ netsim ")))
        text += f"{line}\n{_trimmed(out.getvalue())}"
    return text


def _trimmed(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def main(arguments: Sequence[str]) -> None:
    """Renew the output of every example, on the named pages or on all."""
    for one in map(Path, arguments) if arguments else pages():
        one.write_text(renewed(one.resolve()), encoding="utf-8")


if __name__ == "__main__" and sys.argv[1:2] == ["--renew"]:
    main(sys.argv[2:])
