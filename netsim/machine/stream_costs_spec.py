"""The costs of streams in a kernel's TCP: cycles by activity, sorted as in kernel profiles."""

from __future__ import annotations

from typing import Literal

from netsim.spec import Spec
from netsim.units import Cycles, Ratio, Time


class StreamCostsSpec(Spec):
    """Cycles per occurrence.

    tcp/ip: for a received packet's way through IP to its socket (`ip_cycles`); in TCP for a packet sent (`send_cycles`,
    with IP) or received (`receive_cycles`), an acknowledgement sent (with IP) or received, and the accounts of each
    page sent (`account_cycles`). netdevice: for a packet on its way to the driver (`xmit_cycles`), a received frame on
    its way from the driver (`frame_cycles`), and more if GRO looks at it (`gro_cycles`). skb: for the structures of a
    packet sent or received (`skb_cycles`), of a frame merged into another one (`merge_cycles`), and to release a
    fragment (`fragment_cycles`). memory: for a packet's head (`head_cycles`), for each page that receives data
    (`page_cycles`), and for each block of eight pages of data to send (`block_cycles`), allocated and freed. lock: for
    the socket's locks, for each packet sent or received (`lock_cycles`). scheduling: to wake a process (`wake_cycles`),
    and for it to go to sleep or to continue (`switch_cycles`); for an idle processor to be interrupted, or given a
    process (`idle_cycles`). etc: for a system call (`call_cycles`). copy: to start on another fragment (`copy_cycles`).

    Where softirqs run on a different core from the process, lines of memory that both write come from the other core,
    if that was the last to write them: `socket_lines` of the socket, `lock_lines` of its lock, `backlog_lines` of the
    socket for a packet that goes into its backlog; `packet_lines` of each packet that the process takes out of it;
    `sent_lines` for each page that one core allocates and the other one frees when sending, in each of skb, memory and
    lock. The process continues `ipi_time` after it was woken.

    CUBIC's HyStart reads a clock in microseconds ("us"), and allows for acknowledgements in batches; before Linux 5.6
    it read one in milliseconds ("ms"), and did not (`hystart_clock`).
    """

    ip_cycles: Cycles
    send_cycles: Cycles
    receive_cycles: Cycles
    ack_send_cycles: Cycles
    ack_receive_cycles: Cycles
    account_cycles: Cycles
    xmit_cycles: Cycles
    frame_cycles: Cycles
    gro_cycles: Cycles
    skb_cycles: Cycles
    merge_cycles: Cycles
    fragment_cycles: Cycles
    head_cycles: Cycles
    page_cycles: Cycles
    block_cycles: Cycles
    lock_cycles: Cycles
    wake_cycles: Cycles
    switch_cycles: Cycles
    idle_cycles: Cycles
    call_cycles: Cycles
    copy_cycles: Cycles
    socket_lines: Ratio
    packet_lines: Ratio
    lock_lines: Ratio
    backlog_lines: Ratio
    sent_lines: Ratio
    ipi_time: Time
    hystart_clock: Literal["us", "ms"] = "us"
