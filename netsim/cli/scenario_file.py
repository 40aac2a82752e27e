"""The scenario of a command: a file, with the changes of --set."""

from __future__ import annotations

import argparse

import netsim as ns
from netsim.errors import ScenarioError, show
from netsim.units import bare


def add_to(command: argparse.ArgumentParser) -> None:
    """Add the arguments that say which scenario it is."""
    command.add_argument("scenario", metavar="SCENARIO.toml",
                         help='with tool = "netperf", "netpipe", "chariot", "perform3", "serverbench", "netbench", '
                              '"saturation", "flows", "dma", "pktgen", "packets", "requests" or "iperf3" and '
                              "its parameters")
    add_changes_to(command)


def add_changes_to(command: argparse.ArgumentParser) -> None:
    """Add --set."""
    command.add_argument("--set", action="append", default=[], metavar="ADDRESS=VALUE",
                         help='such as receiver.nics.0.driver.rx_ring=64 or link.propagation="1 us"; can be repeated')


def load(options: argparse.Namespace) -> ns.Scenario:
    """The scenario that the arguments describe. Raises ScenarioError."""
    return changed(ns.load(options.scenario), options)


def changed(scenario: ns.Scenario, options: argparse.Namespace) -> ns.Scenario:
    """The scenario with the changes of --set. Raises ScenarioError."""
    changes = dict(_assignment(text) for text in options.set)
    return scenario.replace(changes) if changes else scenario


def _assignment(text: str) -> tuple[str, object]:
    address, equals, value = text.partition("=")
    if not equals or not address.strip():
        raise ScenarioError(f"--set {show(text)} is not allowed; allowed: ADDRESS=VALUE")
    return address.strip(), _value(value.strip())


def _value(text: str) -> object:
    """A number, true or false, or else text, which may have a unit."""
    return text == "true" if text in ("true", "false") else bare(text)
