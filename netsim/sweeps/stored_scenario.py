"""The scenario below a sweep's axes as a short text, stored with the sweep: it tells sweeps of a store apart."""

from __future__ import annotations

import base64
import json
import zlib

from netsim.results.plain_scenario import from_plain, to_plain
from netsim.scenario import Scenario


def packed(scenario: Scenario) -> str:
    """The text."""
    return base64.b64encode(zlib.compress(json.dumps(to_plain(scenario)).encode())).decode()


def unpacked(text: str) -> Scenario:
    """The scenario of the text. Raises ScenarioError if this version of netsim, or this process, doesn't know it."""
    return from_plain(json.loads(zlib.decompress(base64.b64decode(text))))
