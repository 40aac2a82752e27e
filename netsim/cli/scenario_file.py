"""The scenario of a command: a file, with the changes of --set."""

from __future__ import annotations

import argparse

import netsim as ns
from netsim.catalog.toml_file import parse_toml
from netsim.errors import ScenarioError, show
from netsim.units import bare


def add_to(command: argparse.ArgumentParser) -> None:
    """Add the arguments that say which scenario it is."""
    command.add_argument("scenario", metavar="SCENARIO.toml",
                         help='a file with tool = "netperf", "netpipe", "chariot", "perform3", "serverbench", '
                              '"netbench", "saturation", "flows", "dma", "pktgen", "packets", "requests" or "iperf3", '
                              "and the tool's parameters")
    add_changes_to(command)


def add_changes_to(command: argparse.ArgumentParser) -> None:
    """Add --set."""
    command.add_argument("--set", action="append", default=[], metavar="ADDRESS=VALUE",
                         help="value to change, such as receiver.nics.0.driver.rx_ring=64; can be repeated")


def load(options: argparse.Namespace) -> ns.Scenario:
    """The scenario that the arguments describe. Raises ScenarioError."""
    return changed(ns.load(options.scenario), options)


def changed(scenario: ns.Scenario, options: argparse.Namespace) -> ns.Scenario:
    """The scenario with the changes of --set. Raises ScenarioError."""
    return scenario.replace(changes(options))


def changes(options: argparse.Namespace) -> dict[str, object]:
    """The values of --set, by address. Raises ScenarioError."""
    return dict(_assignment(text) for text in options.set)


def _assignment(text: str) -> tuple[str, object]:
    address, equals, value = text.partition("=")
    if not equals or not address.strip():
        raise ScenarioError(f"--set {show(text)} is not allowed; allowed: ADDRESS=VALUE")
    return address.strip(), _value(address.strip(), value.strip())


def _value(address: str, text: str) -> object:
    """A list, a table or quoted text as in a file; a number, true or false; or else text, which may have a unit."""
    if text.startswith(("[", "{", '"', "'")):
        return _as_in_a_file(address, text)
    return text == "true" if text in ("true", "false") else bare(text)


def _as_in_a_file(address: str, text: str) -> object:
    """The value of TOML. Raises ScenarioError."""
    try:
        (value,) = parse_toml(f"value = {text}").values()
    except ValueError as error:  # no TOML, or more than one value
        why = f": {error.problem.partition(': ')[2].partition(' (at')[0]}" if isinstance(error, ScenarioError) else ""
        form = 'as in a file, such as [1, 2], { policy = "none" } or "text"'
        raise ScenarioError(f"{show(text)} is not a valid value{why}; allowed: {form}", address=address) from None
    return value
