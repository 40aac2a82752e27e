"""The measurement that would determine a number that no source states, by kind of number."""

from __future__ import annotations

from fnmatch import fnmatchcase

from experiments.families import named_by_member
from experiments.parameters import Used

# The first pattern that matches the number's name ("drivers/tulip:tx_cycles") applies.
KINDS = {
    "hosts/*:memory.cached": "a copy benchmark with a block that fits the cache (lmbench's bw_mem) on that machine",
    "hosts/*:memory.*": "a copy benchmark with a block far larger than the cache (lmbench's bw_mem) on that machine",
    "hosts/*misaligned_cycles": "a timed loop of copies from odd addresses on that machine",
    "hosts/*_clocks": "a timed loop of that string instruction on that processor",
    "hosts/*interrupt_*": "a cycle counter read at the interrupt's entry, relative to the time its line was raised",
    "hosts/*cpi": "the same code timed, in clocks, on that processor and on the one it is relative to",
    "hosts/*clock": "the processor's time-stamp counter against a real-time clock; or the board's crystal",
    "hosts/*": "the machine itself: its chipset's registers, or a timed loop",
    "bridges/*register*": "a timed loop of register reads (cycle counter) through that chipset",
    "bridges/*": "DMA bandwidth by burst length through that chipset, or a bus analyser on its PCI bus",
    "chipsets/*register*": "a timed loop of register reads (cycle counter) through that chipset",
    "chipsets/*": "DMA bandwidth by burst length through that chipset, or a bus analyser on its PCI bus",
    "buses/*latency": "DMA read bandwidth by burst length with that chipset, or a bus analyser",
    "buses/*": "a bus analyser on such a slot",
    "drivers/*_cycles": "a cycle counter around that code of the driver, or the slope of CPU time against frame rate",
    "drivers/*_reads": "the driver's source, or a bus analyser that counts its register reads for each frame",
    "drivers/*_writes": "the driver's source, or a bus analyser that counts its register writes for each frame",
    "drivers/*ring*": "the driver's source or settings; or frames kept while interrupts are held off",
    "drivers/*": "the driver's source, or its settings",
    "bonds/*_cycles": "a cycle counter around that code, or CPU time with the bond against CPU time without it",
    "bonds/*": "the driver's source, or its manual",
    "systems/*_cycles": "a cycle counter around that code, or the slope of CPU time against frame, call or byte rate",
    "systems/*_factor": "CPU time against the size of a packet that is encrypted",
    "systems/*": "the system's source, or a trace of its segments and their times on the wire",
    "netware/*_cycles": "a cycle counter around that code, or the time of a request on an idle wire by processor clock",
    "netware/*": "a trace of requests and replies with their times on the wire",
    "mpi/*_cycles": "the library's latency minus that of plain TCP on the same machines",
    "mpi/*": "the library's source, or a trace of its segments on the wire",
    "nics/*fifo*": "the chip's data sheet; or frames lost while the bus is withheld for increasing times",
    "nics/*buffer*": "the chip's data sheet; or frames lost while the bus is withheld for increasing times",
    "nics/*burst": "a bus analyser at that card: the lengths of its bursts",
    "nics/*_descriptor": "a bus analyser at that card: what it reads and writes beside a frame's bytes",
    "nics/*_status": "a bus analyser at that card: what it reads and writes beside a frame's bytes",
    "nics/*threshold": "a bus analyser and a wire analyser at that card: when a frame starts after its first byte came",
    "nics/*tx_turnaround": "a wire analyser at that card: gaps between frames that wait in its ring",
    "nics/*register_*_time": "a timed loop of register accesses (cycle counter) at that card",
    "nics/*gap": "a bus analyser at that card: gaps between its bursts",
    "nics/*": "a bus analyser and a wire analyser at that card",
    "links/*": "an error counter over that cable",
    "switches/*latency": "a wire analyser on both sides of the switch",
    "switches/*": "the switch's manual, or frames lost under overload",
    "segments/*": "a wire analyser on the segment",
    "disks/*": "a disk benchmark by distance and size (lmbench's disk, or a vendor's manual)",
    "controllers/*": "a disk benchmark through the controller against one disk alone, or a bus analyser on it",
    "authentications/*": "that code timed, in clocks, on that processor",
    "server-mixes/*": "the benchmark's own mix file, or a trace of a client's requests",
    "file-mixes/*": "the benchmark's own mix file, or a trace of a client's requests",
}
ELSE = "its source, or its manufacturer's manual"


def measurement(number: Used) -> str:
    """The measurement that would determine it, in words."""
    name = named_by_member(number.name)
    return next((told for kind, told in KINDS.items() if fnmatchcase(name, kind)), ELSE)
