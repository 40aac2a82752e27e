"""The progress of a sweep: a bar with the time left on a terminal, nothing anywhere else."""

from __future__ import annotations

import sys
from typing import Any


class Progress:
    """Counts runs. Stored ones don't count for the speed, so the time left is that of computing."""

    def __init__(self, total: int, shown: bool) -> None:
        self._bar: Any = None
        self._failed = 0
        if shown and sys.stderr.isatty():
            from tqdm import tqdm  # here, as it is needed on terminals only

            self._bar = tqdm(total=total, unit="run", smoothing=0, dynamic_ncols=True)

    def stored(self) -> None:
        """A run that is in the store already."""
        if self._bar is not None:
            self._bar.initial += 1
            self._bar.update()

    def done(self, failed: bool) -> None:
        """A run that was computed."""
        if self._bar is not None:
            self._failed += failed
            if failed:
                self._bar.set_postfix(failed=self._failed, refresh=False)
            self._bar.update()

    def close(self) -> None:
        """Leave the bar as it is."""
        if self._bar is not None:
            self._bar.close()
