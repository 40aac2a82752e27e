"""ESP as laid out in RFC 2406, field by field, for the algorithms in models/."""

import pytest

from netsim.scenario import host
from netsim.stack import EspSpec

WINDOWS = host("ml530", system="windows-2000", nics=["pro100s/e100bnt5"])
LINUX = WINDOWS.replace("system.tcp.timestamps", True)
TRIPLE_DES = "3des-cbc/hmac-sha-1-96"
IP, TCP, SPI, SEQUENCE, IV, PAD_LENGTH, NEXT_HEADER, ICV = 20, 20, 4, 4, 8, 1, 1, 12


def esp(name, mode="transport"):
    return EspSpec.from_name(name).replace("mode", mode)


@pytest.mark.parametrize(
    ("pc", "mode", "mtu", "mss"),
    [
        (WINDOWS, "transport", 1500, 1426),
        (WINDOWS, "tunnel", 1500, 1406),
        (LINUX, "transport", 1500, 1414),
        (WINDOWS, "transport", 9000, 8930),
        (WINDOWS, "transport", 576, 506),
    ],
)
def test_payload_of_a_full_segment(pc, mode, mtu, mss):
    protected = pc.under(esp(TRIPLE_DES, mode))
    assert protected.mss(mtu) == mss
    inner = TCP + (12 if pc is LINUX else 0) + mss + (IP if mode == "tunnel" else 0)
    assert (inner + PAD_LENGTH + NEXT_HEADER) % 8 == 0  # a full segment needs no padding
    packet = IP + SPI + SEQUENCE + IV + inner + PAD_LENGTH + NEXT_HEADER + ICV
    assert mtu - 8 < packet <= mtu
    assert protected.frame_size(mss) == 14 + packet + 4


@pytest.mark.parametrize(
    ("name", "mode", "packet", "enciphered", "whole"),
    [
        # An acknowledgement without data: a TCP header of 20 bytes, 2 bytes of padding.
        (TRIPLE_DES, "transport", 40, 20 + 2 + 2, 20 + 8 + 8 + 24 + 12),
        (TRIPLE_DES, "tunnel", 40, 40 + 6 + 2, 20 + 8 + 8 + 48 + 12),
        ("des-cbc/hmac-md5-96", "transport", 1500, 1480 + 6 + 2, 20 + 8 + 8 + 1488 + 12),
        # RFC 2410 has no blocks and no IV: the only requirement is that the trailer ends on 4 bytes.
        ("null/hmac-sha-1-96", "transport", 40, 20 + 2 + 2, 20 + 8 + 24 + 12),
        ("null/hmac-md5-96", "transport", 41, 21 + 1 + 2, 20 + 8 + 24 + 12),
        ("null/hmac-md5-96", "tunnel", 43, 43 + 3 + 2, 20 + 8 + 48 + 12),
    ],
)
def test_what_a_packet_becomes(name, mode, packet, enciphered, whole):
    policy = esp(name, mode)
    assert policy.enciphered(packet) == enciphered
    assert policy.packet_size(packet) == whole
    assert policy.authenticated(packet) == whole - 20 - 12  # neither the outer IP header nor the ICV itself


@pytest.mark.parametrize("name", ["hmac-sha-1-96", "hmac-md5-96"])
@pytest.mark.parametrize(
    ("message", "blocks"),
    [
        (0, 1 + 1 + 1 + 1),  # K xor ipad, padding alone; K xor opad, the inner digest
        (55, 1 + 1 + 1 + 1),
        (56, 1 + 2 + 1 + 1),  # there is no room behind it for a bit and 64 bits of length
        (64, 1 + 2 + 1 + 1),
        (1464, 1 + 24 + 1 + 1),  # a full segment: 8 + 8 + 1448
    ],
)
def test_what_an_hmac_hashes(name, message, blocks):
    """RFC 2104, 2: H(K xor opad, H(K xor ipad, text))."""
    assert EspSpec.from_name(f"des-cbc/{name}").authentication.hashed(message) == 64 * blocks
