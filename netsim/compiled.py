"""Whether the compiled parts are used."""
from pathlib import Path

COMPILED = any(Path(__file__).parent.joinpath("engine").glob("calendar.*.so"))
