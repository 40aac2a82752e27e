"""A sweep of 500 points that is killed 200 times: its parent, a worker or all processes."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.validation
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the workers by /proc")
def test_200_kills(tmp_path):
    command = [sys.executable, "-m", "tests.killed_sweep", str(tmp_path), "500", "200", "11"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("200 kills, ")
