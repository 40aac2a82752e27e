"""Notebook views of scenarios, specs, bounds and results: well-formed, escaped, with bars as long as shares."""

import html
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

import pytest

import netsim as ns
from netsim.catalog import Provenance
from netsim.show.occupancy import occupancies
from netsim.show.result_view import limited_by, rate
from tests.named import by_resource, resource
from tests.packet_tools import packets

PC = ns.host("piii-600", system="linux-2.2.16", nics=["3c905b/3c59x"])
TEST = ns.Netperf(test="TCP_STREAM", sender=PC, receiver=PC.replace("processors.clock", "300 MHz"))
VOID = {"meta", "br", "hr", "img", "input", "link"}


class Page(HTMLParser):
    """The text of each cell, and the widths of each bar's pieces; rejects tags that are not closed or not allowed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.rows, self.bars, self.tags = [], [], [], set()
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        assert tag not in VOID
        self.open.append(tag)
        self.tags.add(tag)
        attributes = dict(attrs)
        assert not {name for name in attributes if name.startswith("on") or name in ("src", "href", "class", "id")}
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        elif attributes.get("role") == "img":
            self.bars.append([])
        elif tag == "div" and (width := re.search(r"(?<!-)width: ([\d.]+)%", attributes.get("style", ""))):
            self.bars[-1].append((attributes["title"], float(width[1])))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if {"td", "th"} & {*self.open}:
            self.rows[-1][-1] += data

    @property
    def named(self):
        """Rows by their first cell."""
        return {row[0].strip(): [cell.strip() for cell in row[1:]] for row in self.rows if row}


@pytest.fixture(scope="module")
def result():
    return ns.simulate(TEST, precision=0.02)


@pytest.fixture(scope="module")
def page(result):
    return Page(result._repr_html_())


def test_bars_of_a_result_are_as_long_as_its_shares(result, page):
    shown = [line for line in occupancies(result) if line.share >= 0.005]
    assert len(page.bars) == len(shown)
    for line, bar in zip(shown, page.bars, strict=True):
        assert sum(width for _, width in bar) == pytest.approx(100 * line.share, abs=0.05)
    work = dict(zip(result.processors["sender processor 0"], page.bars[0], strict=True))
    for name, share in result.processors["sender processor 0"].items():
        assert work[name] == (f"{name} {100 * share:.1f} %", pytest.approx(100 * share, abs=0.006))


def test_what_limits_is_marked_by_a_word(result, page):
    marked = [name for name in page.named if "limits" in name]
    assert marked == [f"{result.bottleneck} ◀ limits"]
    assert page.named[marked[0]][0] == f"{100 * result.bottleneck_share:.0f} %"


def test_a_result_says_what_it_is_of(result):
    text = result._repr_html_()
    assert html.escape(rate(result), quote=False) in text
    assert html.escape(limited_by(result), quote=False) in text
    assert result.scenario_hash in text


def test_many_clients_share_a_line(result):
    cpu = {"server": 0.5} | {f"client{number}": number / 100 for number in range(1, 7)}
    processors = {f"{name} processor 0": {"copy": share} for name, share in cpu.items()}
    busy = {f"{name} processor 0": share for name, share in cpu.items()} | {"client1 bus": 0.1}
    busy |= {f"wire client{number} to switch": number / 50 for number in range(1, 7)} | {"wire server to switch": 1.0}
    scenario = SimpleNamespace(client_names=[*cpu][1:])
    made = replace(
        result,
        cpu=cpu,
        processors=by_resource(processors),
        utilisation=by_resource(busy),
        bottleneck=resource("wire server to switch"),
        scenario=scenario,
    )
    lines = {line.name: line for line in occupancies(made)}
    assert [*lines] == ["server processor 0", "6 clients", "wire server to switch", "6 wires of clients"]
    assert lines["6 clients"].work == {"copy": pytest.approx(0.035)}
    assert lines["6 wires of clients"].shares == pytest.approx([number / 50 for number in range(1, 7)])
    assert [name for name, line in lines.items() if line.limits] == ["wire server to switch"]
    apart = {line.name for line in occupancies(replace(made, bottleneck=resource("client1 bus"))) if line.limits}
    assert apart == {"client1 bus"}


# ---- scenarios, printed ----


def test_a_scenario_is_printed_in_few_lines():
    first, *machines, wire = str(TEST).splitlines()
    assert first.split("   ")[0].strip() == "Netperf TCP_STREAM"
    assert first.endswith("mtu 1500 B, test TCP_STREAM, duration 60 s")
    assert [line.split("   ")[0].strip() for line in machines] == ["sender", "receiver"]
    assert "Pentium III 600 MHz, 440BX; Linux 2.2.16; 3Com 3C905B" in machines[0]
    assert machines[1].endswith("; processors.clock = 300 MHz")
    assert wire.split() == ["link", "100BASE-TX,", "full", "duplex"]


def test_like_machines_are_printed_once():
    lines = str(ns.load("examples/chariot.toml")).splitlines()
    names = [line.split("   ")[0].strip() for line in lines]
    assert names == ["Chariot FILESNDL", "server, clients.0 to 2", "clients.3", "switch"]
    assert lines[-1].endswith("Alteon ACEswitch 180; link 100BASE-TX, full duplex")


@pytest.mark.parametrize("path", sorted(Path("examples").glob("*.toml")), ids=lambda path: path.stem)
def test_every_example_is_printed_in_few_lines(path):
    assert 2 <= len(str(ns.load(path)).splitlines()) <= 5


@pytest.mark.parametrize("spec", [TEST, PC, PC.nics[0]], ids=lambda spec: type(spec).__name__)
def test_a_long_list_of_every_value(spec):
    lines = [line.split(None, 1) for line in spec.describe().splitlines()]
    assert {address for address, _ in lines} >= {at for at, one in spec.addresses().items() if isinstance(one, float)}
    assert all(said.split()[-1] in ("here", *get_args(Provenance.model_fields["kind"].annotation)) for _, said in lines)
    if spec is TEST:
        assert dict(lines)["receiver.processors.clock"].split() == ["300", "MHz", "set", "here"]
        assert dict(lines)["sender.processors.clock"].split()[-1] == "documented"


def test_text_is_escaped(result):
    shares = {"sender processor 0": {"<b>copy</b>": 0.5}}
    text = replace(result, label="<script>alert(1)</script>", processors=shares)._repr_html_()
    assert "<script" not in text
    assert "<b>" not in text
    assert "&lt;b&gt;copy" in text


@pytest.mark.parametrize("shown", ["result", "scenario", "bounds", "host", "nic", "link"])
def test_views_are_plain(result, shown):
    """Nothing runs, nothing is fetched, and all colours are the page's own."""
    things = {"result": result, "scenario": TEST, "bounds": TEST.bounds(), "host": PC, "nic": PC.nics[0],
              "link": TEST.link}  # fmt: skip
    text = things[shown]._repr_html_()
    assert not Page(text).tags & {"script", "style", "link", "img", "iframe", "svg"}
    assert not re.search(r"#[0-9a-f]{3}|rgb|url\(|https?:|\bcolor: (?!inherit)", text)
    assert {*re.findall(r"background: (\w+)", text)} <= {"currentColor", "none"}


def test_a_scenario_says_what_its_machines_are():
    page = Page(TEST._repr_html_())
    assert page.named["machine"] == ["Pentium III 600 MHz, 440BX"] * 2
    assert page.named["processors"] == ["1 x 600 MHz", "1 x 300 MHz"]
    assert page.named["bus"] == ["PCI, 32 bit, 33.33 MHz"] * 2
    assert page.named["adapters"] == ["3Com 3C905B, 100 Mbit/s; driver 3c59x.c of Linux 2.2.17"] * 2
    assert page.named["system"] == ["Linux 2.2.16"] * 2
    assert page.named["set here"] == ["", "processors.clock = 300 MHz"]
    assert page.named["link"] == ["100BASE-TX, full duplex"]
    assert "duration 60 s" in page.named["settings"][0]
    assert "details" in page.tags


def test_a_scenario_has_all_its_addresses():
    text = TEST._repr_html_()
    listed = dict(re.findall(r"^(\S+) +(.*?)  +[a-z ]+$", text[text.index("<pre") :], re.MULTILINE))
    assert {re.sub(r"\.\d+$", "", address) for address in TEST.addresses()} == {*listed}
    assert listed["sender.nics.0.driver.rx_ring"] == "32"
    assert listed["receiver.processors.clock"] == "300 MHz"
    assert listed["link.rate"] == "100 Mbit/s"
    assert listed["sender.bus.latency_timer"] == "64 clocks"


def test_like_machines_share_a_column():
    clients = [PC, PC, PC.replace("processors.clock", "1 GHz")]
    test = ns.Chariot(flow="download", server=PC, clients=clients, switch="aceswitch-180", link="100base-tx")
    page = Page(test._repr_html_())
    assert page.rows[0] == ["", "server", "clients.0 to 1", "clients.2"]
    assert page.named["switch"] == ["Alteon ACEswitch 180"]


def test_bounds_show_what_limits():
    bounds = TEST.bounds()
    page = Page(bounds._repr_html_())
    allowed, _ = page.named[f"{bounds.bottleneck} ◀ limits"]
    assert allowed == f"{bounds.limit / 1e6:.2f} Mbit/s"
    assert len(page.bars) == len([one for one in bounds.demand.values() if one])
    longest = [bar[0][1] for bar in page.bars]
    assert longest == sorted(longest, reverse=True)
    assert longest[0] == 100


def test_a_grid_shows_what_limits_at_how_many_points():
    grid = ns.bounds(TEST, ns.zipped({"mtu": [576, 1500, 9000], "link": ["100base-tx"] * 3}))
    page = Page(grid._repr_html_())
    low, high = (TEST.replace("mtu", mtu).bounds().limit / 1e6 for mtu in (576, 1500))
    assert page.named["wire to receiver"][:2] == [f"{low:.2f} to {high:.2f} Mbit/s", "2"]
    assert page.bars == [[("wire to receiver 66.7 %", 66.67)]]
    assert html.escape(str(grid.failures[0])) in grid._repr_html_()
    assert repr(grid) == "<BoundsGrid: TCP_STREAM at 3 points>"
    assert str(ns.bounds(TEST, {"mtu": [1500]})).startswith("TCP_STREAM at 1 point\n")


def test_sensitivity_shows_its_indices():
    found = ns.sensitivity(TEST, {"mtu": (576, 1500), "sender.processors.clock": ("50 MHz", "100 MHz")}, n=16)
    page = Page(found._repr_html_())
    for address, total in found.total.items():
        assert page.named[address][1].startswith(f"{total:.3f} [")
    assert [bar[0][1] for bar in page.bars] == [round(100 * total, 2) for total in found.total.values()]
    assert repr(found) == f"<Sensitivity: {str(found).splitlines()[0]}>"


# --- names of the catalogue ------------------------------------------------------------------------------------------


def test_a_spec_keeps_its_name_when_it_is_changed():
    changed = TEST.replace({"sender.nics.0.driver.rx_ring": 64, "link.propagation": "1 us"})
    names = [one.catalogue_name for one in (changed.sender, changed.sender.nics[0], changed.sender.nics[0].driver)]
    assert names == ["hosts/piii-600", "nics/3c905b", "drivers/3c59x"]
    assert (changed.link.catalogue_name, changed.sender.bus.catalogue_name) == ("links/100base-tx", "buses/pci-32-33")
    assert changed.catalogue_name == ""


def test_a_table_laid_over_a_model_keeps_its_name():
    nic = {"model": "3c905b/3c59x", "driver": {"rx_ring": 16}}
    changed = ns.host("p166", system="linux-2.2.16", nics=[nic])
    assert changed.nics[0].catalogue_name == "nics/3c905b"
    assert changed.nics[0].driver.catalogue_name == "drivers/3c59x"
    assert changed.nics[0].driver.rx_ring == 16


def test_another_thing_has_its_own_name_or_none():
    other = TEST.replace("sender.nics.0", "rtl8139/rtl8139").replace("receiver.bus", {"model": "pci-64-66"})
    assert other.sender.nics[0].catalogue_name == "nics/rtl8139"
    assert other.receiver.bus.catalogue_name == "buses/pci-64-66"
    own = {"rate": "100 Mbit/s", "propagation": "0 s", "mtu": 1500}
    assert TEST.replace("link", own).link.catalogue_name == ""
    assert TEST.replace("link", own) == TEST.replace("link", own | {"rate": "100 Mbit/s"})


def test_a_low_rate_keeps_its_digits():
    """A wire of 100 Mbit/s carries 0.008127 million of the longest frames per second."""
    slow = packets("linux-drop-raw", 1518, link="100base-tx")
    result = ns.simulate(slow, precision=0.01)
    assert rate(result).startswith("0.00813 Mpps  +/- ")
    assert "wire to host                         0.00813 Mpps" in str(slow.bounds())
    assert "0.00813 Mpps" in Page(slow.bounds()._repr_html_()).rows[1][1]
    grid = ns.bounds(slow, {"offered": [4000, 8000]})
    assert "0.00400 to 0.00800 Mpps" in str(grid)
    other = ns.simulate(slow.replace("offered", 7000), precision=0.01)
    line = next(one for one in str(result.compare(other)).splitlines() if one.startswith("throughput"))
    assert line.split()[2] == "0.00813"
    assert "-0.00113" in line


def test_an_interval_below_the_digits_is_not_zero():
    result = ns.simulate(TEST, precision=0.05, limit="0.5 s")
    pairs = ((83.5, 0.3), (48.8, 0.001), (0.55, 0.001), (0.0123, 1e-3), (0.0123, 1e-6))
    shown = [rate(replace(result, throughput=1e6 * value, half_width=1e6 * width)) for value, width in pairs]
    assert [one.split(" (")[0] for one in shown] == [
        "83.5 Mbit/s  +/- 0.3", "48.80 Mbit/s  +/- <0.01", "0.55 Mbit/s  +/- <0.01",
        "0.0123 Mbit/s  +/- 0.0010", "0.0123 Mbit/s  +/- <0.0001",
    ]  # fmt: skip
