"""Why rows miss, report by report; the first pattern that matches a row gives its cause."""

from __future__ import annotations

from experiments import beowulf, netfinity_5500, perform3, tolly_200233, tolly_201105
from experiments.miss import Miss, Misses

OVERLOAD = (
    "The processor time left after interrupts and fragments is a small difference of two large numbers: a fifth more "
    "cycles for all code more than halve the goodput over four ports. In the simulation, a fragment costs the receiver "
    "some microseconds too little with either card."
)
OVERTAKING = (
    "Frames of several ports overtake each other, and the receiver's reports of that make the sender retransmit. "
    "In the simulation this is rarer than measured: simulated machines are quieter than real ones, so frames stay in "
    "order."
)
MESSAGES = (
    "A message's path is instructions, counted, at one number of cycles for each; in the report it also differs by "
    "card, by more than their drivers and registers do here."
)
LIBRARY = (
    "A library's cost is calibrated with one card and assumed to be the same with all cards; in the report it differs "
    "by up to 20 us."
)
PNIC = (
    "On the Pentium this card costs some 20 us a frame more than its bursts hold the processor up. None of the sources "
    "read explains it, so the model leaves it out."
)
PENTIUM = (
    "One number of cycles for each instruction does not fit all cards on the Pentium: under 3c59x it is a fifth too "
    "slow where it sends and a ninth where it receives, with an eepro100 a seventh too slow and as much too fast."
)
BRIDGE = (
    "The dual card's ports are behind a PCI bridge, whose times are assumed, and in a bond, which takes time as well: "
    "4 us together. In the report a small message takes no longer through them than through a single card."
)
SEVERAL = (
    "On several processors each frame costs transfers of the same number of cache lines, whatever its card and "
    "driver; the drivers of these cards do not all share the same data."
)
FIFO = (
    "This card's FIFO does not hold two jumbo frames, and its chip begins no buffer without room for all of it: the "
    "wire waits while that is read. How soon the card repeats a read that the bridge has sent away is calibrated, and "
    "standard frames say little about it."
)
JUMBO = (
    "A jumbo frame costs a receiver more than a standard frame and its extra bytes: by the report, some 80 us of a "
    "processor. The cause is not known."
)
MAKERS = (
    "The sources of these drivers were not available: their cost of a received frame is calibrated, all else is "
    "assumed."
)
NT = "NT 4.0 is assumed to cost as much as Windows 2000, except where documented. It cost less."
TEAM = (
    "Behind its manufacturer's intermediate driver the processors idle more in the report: the lock of each port, "
    "which NDIS has for a serialised driver, stalls them less in the simulation than something did in the report."
)
INDEX = "It follows from the errors of throughput and CPU."
WORDS = (
    "In the report, NetWare's driver for NE2000s took 600 ns a word more than the same card took on a workstation, "
    "or than an HP EtherTwist with the same core took on the server. Its source was not read; the model moves "
    "words by a string instruction."
)
HOLD = "An ISA bus master takes the bus for 0.2 ms of each reply. The model leaves out that this stalls the processor."
UNREAD = "NetWare's drivers were not read: cycles and accesses are assumed, from public drivers of the same chips."
DISKS = (
    "Disks limit throughput at both clocks, so a faster processor can't help; for a gain of 5 % it would have to be "
    "nearly saturated, which the report does not say."
)

MISSES: dict[str, Misses] = {
    beowulf.REPORT: (
        Miss("beowulf/*/UDP_STREAM/dfe570tx/tulip/4", OVERLOAD),
        Miss("beowulf/*/UDP_STREAM/rtl8139/rtl8139/3", OVERLOAD),
        Miss("beowulf/NPmpi-*/latency", LIBRARY),
        Miss("beowulf/NPtcp/eepro100-dual/*/latency", BRIDGE),
        Miss("beowulf/NPtcp/*/1/latency", MESSAGES),
        Miss("beowulf/*/dfe570tx/tulip/[34]*", OVERTAKING),
        Miss("beowulf/*/3", OVERTAKING),
        Miss("beowulf/*/3/bandwidth", OVERTAKING),
        Miss("beowulf/p166/*/UDP_STREAM/lne100tx/tulip/1", PNIC),
        Miss("beowulf/*p166/*", PENTIUM),
    ),
    tolly_200233.REPORT: (
        Miss("tolly-200233/*/9018/download/intel-pro1000f", FIFO),
        Miss("tolly-200233/*/9018/*", JUMBO),
        Miss("tolly-200233/linux-2.2.14/*", SEVERAL),
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
