"""ESP's lengths for any protected packet and any cipher (RFC 2406, 2.4)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from netsim.stack import EspSpec
from netsim.stack.ipsec_spec import ALIGNMENT, HEADER, TRAILER, AuthenticationSpec, CipherSpec

policies = st.builds(
    EspSpec,
    cipher=st.builds(
        CipherSpec,
        name=st.just("any"),
        block=st.one_of(st.sampled_from([1, 2, 4, 8, 16, 32, 64]), st.integers(1, 100)),
        iv=st.integers(0, 64),
        cycles_per_byte=st.just(1.0),
    ),
    authentication=st.builds(
        AuthenticationSpec,
        name=st.just("any"),
        icv=st.integers(0, 64),
        block=st.integers(1, 128),
        padding=st.integers(0, 20),
        extra_blocks=st.integers(0, 4),
        cycles_per_byte=st.just(1.0),
    ),
    mode=st.sampled_from(["transport", "tunnel"]),
)
shipped = st.builds(
    lambda cipher, authentication, mode: EspSpec.from_name(f"{cipher}/{authentication}").replace("mode", mode),
    st.sampled_from(["3des-cbc", "des-cbc", "null"]),
    st.sampled_from(["hmac-sha-1-96", "hmac-md5-96"]),
    st.sampled_from(["transport", "tunnel"]),
)


def unit(esp: EspSpec) -> int:
    """The least common multiple of block and alignment."""
    return next(n for n in range(1, 1000) if n % esp.cipher.block == 0 and n % ALIGNMENT == 0)


@given(policies, st.integers(20, 9000))
def test_whole_blocks_with_less_than_one_of_padding(esp: EspSpec, packet: int) -> None:
    inside = packet - (20 if esp.mode == "transport" else 0)
    padding = esp.enciphered(packet) - inside - TRAILER
    assert esp.enciphered(packet) % unit(esp) == 0
    assert 0 <= padding < unit(esp)


@given(policies, st.integers(20, 9000))
def test_a_packet_is_all_of_its_parts(esp: EspSpec, packet: int) -> None:
    parts = 20 + HEADER + esp.cipher.iv + esp.enciphered(packet) + esp.authentication.icv
    assert esp.packet_size(packet) == parts
    assert esp.authenticated(packet) == parts - 20 - esp.authentication.icv
    assert esp.packet_size(packet) > packet


@given(policies, st.integers(20, 9000))
def test_a_longer_packet_makes_none_shorter(esp: EspSpec, packet: int) -> None:
    one, next = esp.packet_size(packet), esp.packet_size(packet + 1)
    assert next - one in (0, unit(esp))
    assert esp.authentication.hashed(packet) <= esp.authentication.hashed(packet + 1)


@given(policies, st.integers(20, 9000))
def test_in_a_tunnel_it_is_the_ip_header_that_is_enciphered_more(esp: EspSpec, packet: int) -> None:
    transport, tunnel = (esp.replace("mode", mode) for mode in ("transport", "tunnel"))
    assert tunnel.enciphered(packet) == transport.enciphered(packet + 20)


@given(policies, st.integers(576, 9018))
def test_the_largest_is_the_largest_that_fits(esp: EspSpec, mtu: int) -> None:
    largest = esp.largest(mtu)
    assert esp.packet_size(largest) <= mtu < esp.packet_size(largest + 1)


@given(shipped)
def test_every_payload_there_is(esp: EspSpec) -> None:
    """All packet sizes of Ethernet, with the algorithms in models/."""
    largest = esp.largest(1500)
    for packet in range(40, 1501):
        assert (esp.packet_size(packet) <= 1500) == (packet <= largest)
        assert (esp.enciphered(packet) - packet) % ALIGNMENT == -packet % ALIGNMENT
        assert esp.authentication.hashed(packet) >= packet + 9 + 3 * 64
