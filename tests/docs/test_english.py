"""Phrases that read like a translation stay out of everything that users and developers read."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PHRASES = {
    r"in the way": "limits, the bottleneck",
    r"so many (?!that|times as)": "this many, n",
    r"\bdear(er|est)?\b": "expensive",
    r"\bnobody\b": "no station, nothing, none",
    r"\bwhoever\b": "any that",
    r"taken for\b": "read as, assumed to be",
    r"how manieth": "which",
    r"if nothing is said": "default",
    r"does not come to": "never gets to",
    r"\b(buses|wires?) hardly\b": "nearly idle",
    r"th(e|is) very run": "this run",
    r"\b(farther|further) off\b": "outside its tolerance, a larger error",
    r"without their signs": "absolute",
    r"\b(within|beyond) it</": "within tolerance, outside",
    r"\bmust be given\b": "required",
    r"everything that is known, as": "the full result as",
    r"also do again": "retry",
    r"pasted into python": "paste ... to get the output shown",
    r"stand behind their address": "named after each address",
    r"cause of what is off": "cause of the difference",
    r"whether rows come in the order": "the order of rows",
    r"\bwhich is</": "worst row",
    r"\berror allowed|allowed for it\b": "tolerance",
    r"in however many": "(leave it out)",
    r"\bto that comes\b": "... is added",
    r"\bfalls silent\b": "becomes idle",
    r"\bwants the bus\b": "requests the bus",
    r"interrupts? tells? of": "an interrupt covers n frames, announces a frame",
    r"at (its|their) cheapest": "at its lowest cost",
    r"not to be had": "not available",
    r"price of (each|a) (frame|packet|byte)": "per-frame cost, per-byte cost",
    r"far too dark": "too pessimistic",
    r"(rows|a row|it|them) in view\b|in view of (it|them|its rows|the row)": "with knowledge of",
    r"\*To go on:|to go on with stand": "going further, further questions",
    r"the story of the next": "(say what it shows)",
    r"that is what limits": "... is the bottleneck",
    r"known as well as": "known as precisely as",
    r"\bdearly\b": "expensive",
    r"never rests": "saturated",
    r"(?<!there )is no (store|folder|category|port|name|number;)": "is not a ...",
    r"how near (it|a simulation|it all) comes": "how close",
    r"(it was )?left as it (is|was)\b": "left unchanged",
    r"\bat the (most|least)\b": "at most, at least",
    r"\bfor ever\b": "forever",
    r"\bseldom\b": "rarely",
    r"\bin vain\b": "without effect, finds nothing",
    r"\bnow and then\b": "occasionally",
    r"\bbut for\b": "except",
    r"\bwork(s|ed)? out\b": "compute",
    r"\btells? of (each|a|the|all|frames?)\b": "report, announce",
    r"(not|was|is|are|were) at hand\b": "available, current",
    r"\btaken to (be|have|hold|read|lie)\b": "assumed to be",
    r"\bthe way back\b": "the return",
    r"has seen to\b|\bsees to\b": "handles, ensures",
    r"\bwakes? (up )?who\b": "wakes the waiting process",
    r"is no matter of\b": "does not matter",
    r"\bstands? (in|at) (its|their|models|the address)\b": "is in",
    r"\bkeeps? quiet\b": "sends nothing, raises no interrupt",
    r"\b(the )?least there is\b": "the minimum",
    r"\bcomes? out nearer\b": "agree better",
    r"everything to (it|them)sel(f|ves)": "lone, without other traffic",
    r"one behind the other": "consecutive, contiguous, back to back",
    r"(hosts?|servers?|machines?|drivers?) of today\b": "current",
    r"\bof one's own\b": "user-defined, of your own",
    r"\b(hears?|heard) of\b": "learn of, be notified of",
    r"\blets? go of\b": "release, free",
    r"\bthrough with\b": "has finished",
    r"\bwithout names:": "positional arguments",
    r"\b(again and again|over and over)\b": "repeatedly",
    r"\b(went|goes) missing\b": "is missing",
    r"\bsums? up to\b|\bsummed up\b": "add up to, compute the checksum of",
    r"\bfor nothing\b": "without effect, needlessly",
    r"\bmade up\b": "invented",
    r"\bwaked\b": "woken",
    r"\bworked off\b": "emptied, processed",
    r"\bhow far (it|the run) is\b": "progress",
    r"(one|what) that has (it|them|the socket) to itself": "owns, exclusively",
    r"as near as (it|they)\b": "within tolerance",
    r"\brows? that speaks?\b": "calibration rows",
    r"\b(is|are|lets?) (it )?let through again|lets? (it|the line) through again": "unmasked, enabled",
    r"\bso far apart\b": "at this distance",
}
SUFFIXES = {".md", ".py", ".toml", ".html", ".ipynb"}
ROOMS = ("benchmarks", "docs", "examples", "experiments", "models", "netsim", "notebooks", "tests")


PICTURE = re.compile(r"[\w+/=]{1000,}")  # in base64: most of a notebook


@cache
def _texts() -> list[tuple[Path, str]]:
    """Each file's text in lower case, without pictures: a search that ignores case takes several times as long."""
    found = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*")) if path.suffix in SUFFIXES]
    paths = [*ROOT.glob("*.md"), *(path for path in found if "_build" not in path.parts)]
    texts = [(path, path.read_text(encoding="utf-8")) for path in paths if path != Path(__file__).resolve()]
    return [(path, PICTURE.sub("", text).lower()) for path, text in texts]


@pytest.mark.parametrize("phrase", PHRASES)
def test_phrases_do_not_come_back(phrase: str) -> None:
    """Each with a better wording."""
    wanted = re.compile(phrase.lower())
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()[:100]}"
        for path, text in _texts()
        if wanted.search(text)
        for line in text.splitlines()
        if wanted.search(line)
    ]
    assert not found, f"better: {PHRASES[phrase]}\n" + "\n".join(found)
