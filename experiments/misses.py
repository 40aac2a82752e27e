"""Why rows miss, report by report; the first pattern that matches a row says it."""

from __future__ import annotations

from experiments import beowulf, netfinity_5500, perform3, tolly_200233, tolly_201105
from experiments.miss import Miss, Misses

OVERLOAD = (
    "What interrupts and fragments leave of a processor is the small difference of two large numbers: 1 % more per "
    "fragment is an eighth of the goodput. A fragment costs the receiver some microseconds too little here."
)
OVERTAKING = (
    "Frames of several ports overtake each other, and what the receiver then reports makes the sender send again. "
    "Here they do so less often than they did: machines that are quieter than real ones keep them in order."
)
LIBRARY = (
    "What a library costs is calibrated with one kind of card, and is taken to be the same over all; in the report it "
    "differs by card, by up to 20 us."
)
PNIC = (
    "The PNIC costs a Pentium that sends some 40 us a frame more than a 21143 under the same driver. No source "
    "that was read says why, so nothing here does it."
)
PENTIUM = (
    "The Pentium's rows pull apart: under 3c59x it is faster, under eepro100 and rtl8139 slower than one number of "
    "cycles for the same code, and one memory, allow."
)
NO_SOURCE = "The source of 3Com's own driver was not to be had: its pause and its cycles are all that is known of it."
LATENCY = "A bond is taken to cost the same over every card, and a card's own wake-up to count once for each port."
SEVERAL = (
    "On several processors each frame costs transfers of the same number of cache lines, whichever card and driver it "
    "comes by; what the drivers of these cards share is not the same."
)
JUMBO = (
    "A jumbo frame costs a receiver more than a standard frame and its bytes do: the report leaves room for some 80 us "
    "of a processor. What it is, is not known."
)
SENDING = (
    "What Windows 2000 spends on a segment that it sends is one number for all cards and for both reports. Rows with "
    "other cards ask for more of it than this one."
)
MAKERS = "Drivers whose source is not to be had: what a received frame costs them is calibrated, all else is assumed."
NT = "NT 4.0 is taken to cost what Windows 2000 does, but for what is documented. It cost less."
TEAM = (
    "Behind its maker's intermediate driver the processors idle more in the report: the lock of each port, which NDIS "
    "has for a serialised driver, holds them up less here than what was there held them up."
)
INDEX = "It follows from throughput and CPU."
WORDS = (
    "NetWare's driver for NE2000s took 600 ns a word more in the report than the same card took a workstation, and an "
    "HP EtherTwist with the same core the server. Its source was not read; here it moves words by a string instruction."
)
HOLD = "An ISA bus master takes the bus for 0.2 ms of each reply. That this holds up the processor is not modelled."
UNREAD = "NetWare's drivers were not read: cycles and accesses are assumed, from public drivers of the same chips."
DISKS = (
    "Disks limit it at both clocks, so a faster processor can't help; for a gain of 5 % it would have to be "
    "nearly saturated, which the report does not say."
)

MISSES: dict[str, Misses] = {
    beowulf.REPORT: (
        Miss("beowulf/*/UDP_STREAM/dfe570tx/tulip/4", OVERLOAD),
        Miss("beowulf/*/UDP_STREAM/rtl8139/rtl8139/3", OVERLOAD),
        Miss("beowulf/NPmpi-*/latency", LIBRARY),
        Miss("beowulf/*/latency", LATENCY),
        Miss("beowulf/*/dfe570tx/tulip/[34]*", OVERTAKING),
        Miss("beowulf/*/3", OVERTAKING),
        Miss("beowulf/*/3/bandwidth", OVERTAKING),
        Miss("beowulf/p166/*/lne100tx/tulip/1", PNIC),
        Miss("beowulf/*/3c90x/1", NO_SOURCE),
        Miss("beowulf/*p166/*", PENTIUM),
    ),
    tolly_200233.REPORT: (
        Miss("tolly-200233/*/9018/*", JUMBO),
        Miss("tolly-200233/linux-2.2.14/*", SEVERAL),
        Miss("tolly-200233/windows-2000/1518/download/*", SENDING),
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
