"""Frames as the closed form has them: sizes that may be those of all points of a sweep, and nothing of a journey."""

from __future__ import annotations

from typing import cast

from netsim.ethernet import Frame
from netsim.ethernet.frame import FCS
from netsim.stack.tcp_costs import TcpCosts


class Outline:
    """What is asked of a Frame: bytes of it, of those that are under IPsec, and the frames that a card makes of it."""

    def __init__(self, size: int, encipher: int = 0, decipher: int = 0) -> None:
        self.size = size
        self.encipher, self.decipher = encipher, decipher
        self.first = True
        self.pieces: list[Outline] = []
        self.buffer = self.fetched = size - FCS


def frame(size: int, encipher: int = 0, decipher: int = 0) -> Frame:
    """A frame of `size` bytes."""
    return cast(Frame, Outline(size, encipher, decipher))


def handed_over(sending: TcpCosts, taking: TcpCosts, length: int, segments: int = 1) -> Frame:
    """`segments` segments of `length` bytes each as the card gets them: one alone as it is."""
    size = sending.host.frame_size(segments * length)
    whole = Outline(size, sending.enciphered(length), taking.enciphered(length))
    if segments > 1:
        whole = Outline(size)
        whole.pieces = [_piece(size - (segments - 1) * length, length, number) for number in range(segments)]
    return cast(Frame, whole)


def _piece(size: int, length: int, number: int) -> Outline:
    """A segment that the card makes. Only the first has its headers in memory."""
    piece = Outline(size)
    if number:
        piece.first, piece.fetched = False, length
    return piece
