"""Pages as the experiments write them: invented outcomes to build one from, and checks of its text."""

import re
from html.parser import HTMLParser

from experiments import reports
from experiments.run import Outcome
from experiments.section import Section

VOID = ("meta", "path", "use", "br", "input", "link", "img", "hr")


def made_up(name, factor=lambda number: 1 + 0.001 * number):
    """A report's rows with plausible outcomes, every third one fitted, and one not converged."""
    work = {"copy": 0.31, "protocol": 0.17, "driver": 0.08}  # of a server, where the report has one
    return [
        Outcome(
            row=row,
            simulated=row.measured * factor(number),
            half_width=0.001 * row.measured,
            bottleneck="wire to receiver",
            bottleneck_share=0.999,
            cpu={"sender": 0.31, "receiver": 0.57},
            cpu_by_name={"server": work},
            wanted=1e-6 if number == 1 else 0.25 * row.tolerance,
            addresses=("receiver.nics.0.driver.rx_cycles",) if number % 3 == 0 else (),
            basis=("fitted", "predicted", "chosen")[number % 3],
            chosen=("experiments: something",) if number % 3 == 2 else (),
        )
        for number, row in enumerate(reports.rows([name]))
    ]


def section(name, outcomes=None, **more):
    """A report's part of a page."""
    return Section(reports.REPORTS[name], made_up(name) if outcomes is None else outcomes, **more)


class Reader(HTMLParser):
    """Collects a page's links, the ids of its elements, and the elements still open at its end."""

    def __init__(self):
        super().__init__()
        self.open, self.links, self.ids = [], [], []

    def handle_starttag(self, tag, attributes):
        """See HTMLParser."""
        if tag not in VOID:
            self.open.append(tag)
        self.links += [value or "" for name, value in attributes if name in ("src", "href", "xlink:href", "action")]
        self.ids += [value or "" for name, value in attributes if name == "id"]

    def handle_startendtag(self, tag, attributes):
        """See HTMLParser."""
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        """See HTMLParser."""
        if tag not in VOID:
            assert self.open.pop() == tag


def check_stands_alone(text, pictures):
    """Checks that the page is well-formed; that links lead to existing places or to a scenario; that nothing is loaded
    from elsewhere; and that it has this many pictures, in the page's colours, each with alternative text."""
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    inside = {link for link in reader.links if link.startswith("#") and link[1:] in reader.ids}
    assert {link for link in reader.links if not re.fullmatch(r"scenarios/[\w.-]+\.toml", link)} <= inside
    assert len(reader.ids) == len(set(reader.ids))
    assert not re.search(r"url\((?!#)|@import", text)
    assert text.count("<svg") == pictures
    words = re.findall(r'<svg [^>]*role="img" aria-label="([^"]+)"><title>', text)
    assert len(words) == pictures
    assert all(len(one) > 30 for one in words)
    assert not re.search(r"#(0[1-9a-f]|10)\1\1", text)
