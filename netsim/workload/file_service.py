"""Checks of a server for tests that use its files."""

from __future__ import annotations

from netsim.errors import ScenarioError
from netsim.machine import HostSpec


def check_threads(server: HostSpec, threads: int) -> None:
    """Check that `threads` threads leave memory for files, if the server has files. Raises ScenarioError."""
    if server.storage is None or server.system.files is None or server.memory.size is None:
        return
    try:
        server.system.files.room(server.memory.size, threads)
    except ScenarioError as error:
        raise error.at("server") from None


def check_files(server: HostSpec, nbytes: int, address: str) -> None:
    """Check that the server has disks, a system that supports files, and room for `nbytes`, which follow from the value
    at `address`. Raises ScenarioError."""
    if server.storage is None:
        raise ScenarioError("a file server needs disks; allowed: a host with storage", address="server.storage")
    if server.system.files is None:
        text = "the costs of file access are not known for this system; allowed: a table"
        raise ScenarioError(text, address="server.system.files")
    if nbytes > server.storage.size:
        text = f"{nbytes} bytes of files don't fit on the server's disks ({server.storage.size} bytes)"
        raise ScenarioError(text, address=address)
