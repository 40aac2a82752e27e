"""Frames in the closed form: sizes, possibly arrays over the points of a sweep, without the state of a journey."""

from __future__ import annotations

from typing import cast

from netsim.ethernet import Frame
from netsim.ethernet.frame import FCS
from netsim.stack.tcp_costs import TcpCosts


class Outline:
    """The properties of a Frame that the closed form needs: its bytes, those of its IP packet, those that IPsec covers,
    and the frames that a card makes of it."""

    def __init__(self, size: int, encipher: int = 0, decipher: int = 0, packet: int = 0) -> None:
        self.size = size
        self.packet = packet
        self.encipher, self.decipher = encipher, decipher
        self.first = True
        self.pieces: list[Outline] = []
        self.buffer = self.fetched = size - FCS


def frame(size: int, encipher: int = 0, decipher: int = 0, packet: int = 0) -> Frame:
    """A frame of `size` bytes, with an IP `packet` of that size (bytes)."""
    return cast(Frame, Outline(size, encipher, decipher, packet))


def handed_over(sending: TcpCosts, taking: TcpCosts, length: int, segments: int = 1) -> Frame:
    """`segments` segments of `length` bytes each, as handed to the card: a single one is an ordinary frame."""
    size, packet = sending.host.frame_size(segments * length), sending.spec.packet_size(length)
    whole = Outline(size, sending.enciphered(length), taking.enciphered(length), packet)
    if segments > 1:
        whole = Outline(size)
        whole.pieces = [_piece(size - (segments - 1) * length, length, number, packet) for number in range(segments)]
    return cast(Frame, whole)


def _piece(size: int, length: int, number: int, packet: int) -> Outline:
    """A segment that the card makes. Only the first one has its headers in memory."""
    piece = Outline(size, packet=packet)
    if number:
        piece.first, piece.fetched = False, length
    return piece
