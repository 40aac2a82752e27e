"""Why rows miss, report by report; the first pattern that matches a row gives its cause."""

from __future__ import annotations

from experiments import beowulf, netfinity_5500, perform3, tolly_200233, tolly_201105
from experiments.miss import Miss, Misses

OVERLOAD = (
    "The processor time left after interrupts and fragments is a small difference between two large numbers, and the "
    "speed of memory is known to a sixth. With memory that much slower or faster, four ports deliver 2 or 102 Mbit/s, "
    "and three RTL8139 100 or 247; the report's figures are between these."
)
OVERTAKING = (
    "Frames on different ports overtake each other, and the receiver's reports of this make the sender retransmit. "
    "In the simulation this is rarer than measured: simulated machines are quieter than real ones, so frames stay in "
    "order."
)
LIBRARY = (
    "MPI/Pro's cost is calibrated with one card and assumed to be the same with all cards; in the report it differs by "
    "up to 20 us."
)
COUNTED = (
    "MPICH's instructions and those of select() were counted, and take 9 us less than in the report. The first-level "
    "cache may no longer hold all of the code that a message passes through; in the model more code costs as much for "
    "each instruction as less does."
)
OVERTAKEN = (
    "MPICH sends a header, and then the rest over the other port. Here the rest overtakes the header, which costs 28 "
    "us; in the report it does not."
)
FIRMWARE = (
    "The instructions and accesses of the card's firmware were counted. What an access takes is not known, nor the "
    "firmware that the driver for Windows loads: with the slowest credible accesses the card would be 8 % too slow."
)
PNIC = (
    "In the report, each frame of this card costs the Pentium more than its bursts, which stall the processor. None of "
    "the sources read explains this, so the model leaves it out."
)
PENTIUM = (
    "On the Pentium the cards differ more in the report than here: with an eepro100 it receives a sixth too fast here, "
    "with an LNE100TX a tenth; with a 3C905B behind 3c59x it sends a ninth too slowly. What they cost it besides "
    "their bursts is not known."
)
COUNTDOWN = (
    "With its whole socket buffer in the ring, the sender waits until the driver's countdown ends, and has to fill the "
    "ring again while the wire is idle. The copies for this come from the second-level cache, whose rate is known to a "
    "third."
)
BONDED = (
    "In the report, a small message takes 3 us longer over three cards than over one. Here it takes 0.6 us longer: "
    "the instructions of the bond."
)
BRIDGE = (
    "The dual card's ports are behind a PCI bridge, whose times are assumed, and in a bond, which also takes time: "
    "4 us together. In the report, a small message takes no longer through them than through a single card."
)
SEVERAL = (
    "On several processors, each frame costs transfers of the same number of cache lines, whatever its card and "
    "driver; the drivers of these cards do not all share the same data."
)
JUMBO = (
    "A jumbo frame costs a receiver more than a standard frame plus its extra bytes: in the report, about 80 us of "
    "processor time. The cause is not known."
)
REPEATED = (
    "The wire idles while the card fetches a buffer. How long that takes depends on how soon the card repeats a read "
    "that the bridge has made it retry; at the other end of that number's range it is 4.5 % too fast."
)
MAKERS = (
    "The sources of these drivers were not available: their costs are those of a published driver, and no card has a "
    "cost of its own. What Windows takes for a frame or an interrupt is calibrated, and the same with all cards."
)
NT = "NT 4.0 is assumed to cost as much as Windows 2000, except where documented. It cost less."
TEAM = (
    "With its manufacturer's intermediate driver, the processors idle more in the report: something stalled them more "
    "than the lock of each port, which NDIS has for a serialised driver, does in the simulation."
)
INDEX = "It follows from the errors of throughput and CPU."
WORDS = (
    "In the report, NetWare's driver for NE2000s took 600 ns more per word than the same card took on a workstation, "
    "or than an HP EtherTwist with the same core took on the server. Its source was not read; the model moves "
    "words with a string instruction."
)
HOLD = "An ISA bus master holds the bus for 0.2 ms of each reply. This stalls the processor, but not in the model."
UNREAD = "NetWare's drivers were not read: cycles and accesses are assumed, from public drivers of the same chips."
DISKS = (
    "The disks limit throughput at both clocks, so a faster processor can't help; for a gain of 5 % it would have to "
    "be nearly saturated, and the report does not say that it was."
)

MISSES: dict[str, Misses] = {
    beowulf.REPORT: (
        Miss("beowulf/*/UDP_STREAM/dfe570tx/tulip/4", OVERLOAD),
        Miss("beowulf/*/UDP_STREAM/rtl8139/rtl8139/3", OVERLOAD),
        Miss("beowulf/piii-600/piii-600/UDP_STREAM/3c905b/3c90x/1", COUNTDOWN),
        Miss("beowulf/NPtcp/3c905b/3c59x/3/latency", BONDED),
        Miss("beowulf/NPmpi-mpich/eepro100-dual/*/latency", OVERTAKEN),
        Miss("beowulf/NPmpi-mpich/*/latency", COUNTED),
        Miss("beowulf/NPmpi-mpipro/*/latency", LIBRARY),
        Miss("beowulf/NPtcp/eepro100-dual/*/latency", BRIDGE),
        Miss("beowulf/*/dfe570tx/tulip/[34]*", OVERTAKING),
        Miss("beowulf/*/3", OVERTAKING),
        Miss("beowulf/*/3/bandwidth", OVERTAKING),
        Miss("beowulf/p166/*/UDP_STREAM/lne100tx/tulip/1", PNIC),
        Miss("beowulf/*p166/*", PENTIUM),
    ),
    tolly_200233.REPORT: (
        Miss("tolly-200233/*/9018/download/intel-pro1000f", REPEATED),
        Miss("tolly-200233/*/9018/*", JUMBO),
        Miss("tolly-200233/linux-2.2.14/*", SEVERAL),
        Miss("tolly-200233/windows-2000/1518/download/3com-3c985b", FIRMWARE),
        Miss("tolly-200233/*", MAKERS),
    ),
    tolly_201105.REPORT: (
        Miss("tolly-201105/*/index", INDEX),
        Miss("P/E*", INDEX),
        Miss("tolly-201105/windows-nt-4.0/*", NT),
        Miss("tolly-201105/*/aggregated/*", TEAM),
        Miss("tolly-201105/*", MAKERS),
        Miss("*", MAKERS),
    ),
    perform3.REPORT: (
        Miss("perform3/server/ne2000/*", WORDS),
        Miss("perform3/server/at-lantic-io/*", WORDS),
        Miss("perform3/server/sonic-at/*", HOLD),
        Miss("*", UNREAD),
    ),
    netfinity_5500.REPORT: (Miss("netfinity-5500/netbench/*", DISKS), Miss("NetBench*", DISKS)),
}
