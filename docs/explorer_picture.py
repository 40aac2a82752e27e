"""Draws the explorer's picture, in light and dark: `python docs/explorer_picture.py`. It needs Chromium."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser import Tab, chromium  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"
CLOCK = "receiver.processors.clock"


def explore(tab: Tab) -> None:
    """Give the receiver's processor another clock, and simulate."""
    tab.click("#search")
    tab.type("receiver processors clock")
    tab.wait(f"document.getElementById('n-{CLOCK}')")
    tab.run(f"document.getElementById('n-{CLOCK}').focus(), document.getElementById('n-{CLOCK}').select()")
    tab.type("300 MHz")
    tab.key("Enter")
    tab.wait("document.querySelector('.tile.what-if')")
    tab.click("#simulate")
    tab.wait("document.querySelector('#simulation table')")
    tab.run("document.querySelector('#simulation .wide').hidden = true, document.activeElement.blur(), scrollTo(0, 0)")


def main() -> None:
    """Start the program and the browser, and draw into docs/pictures."""
    command = [sys.executable, "-m", "netsim", "explore", "--no-browser", str(ROOT / "examples" / "p166.toml")]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    try:
        with tempfile.TemporaryDirectory() as folder, chromium(Path(folder)) as tab:
            tab.look(1280, 1060)
            tab.open(program.stdout.readline().strip())
            explore(tab)
            for ground in ("light", "dark"):
                tab.look(1280, 1060, dark=ground == "dark")
                tab.run("new Promise(then => setTimeout(then, 400))")
                tab.picture(PICTURES / f"explorer-{ground}.png", whole=False)
    finally:
        program.terminate()
        program.wait()


if __name__ == "__main__":
    main()
