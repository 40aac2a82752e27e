"""Quantities: accepted texts, refusals and their messages; everything that is written reads back."""

import math
import pickle
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction as Exactly
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netsim import units
from netsim.errors import ScenarioError
from netsim.units import (
    QUANTITIES,
    Exact,
    Inexact,
    decimals,
    fixed,
    format_quantity,
    format_rate,
    format_time,
    parse,
    text,
)

WHOLE = sorted(quantity for quantity, rule in QUANTITIES.items() if rule.whole)
WITH_UNITS = sorted(quantity for quantity, rule in QUANTITIES.items() if rule.units)


@pytest.mark.parametrize(
    ("quantity", "written", "base"),
    [
        ("time", "50 us", 50_000_000),
        ("time", "12.5us", 12_500_000),
        ("time", "  1e-3  s ", 10**9),
        ("time", "3 µs", 3_000_000),
        ("time", ".5 ns", 500),
        ("time", "0", 0),
        ("time", 0, 0),
        ("time", "1_000 ps", 1000),
        ("time", "2 seconds", 2 * 10**12),
        ("frequency", "66 MHz", 66_000_000),
        ("frequency", "100/3 MHz", 33_333_333),
        ("frequency", "3 1/us", 3_000_000),
        ("bytes", "64 KiB", 65536),
        ("bytes", "1 kB", 1000),
        ("bytes", "512 bit", 64),
        ("bytes", 1500, 1500),
        ("bytes", "1500", 1500),
        ("bytes", 1500.0, 1500),
        ("bit_rate", "100 Mbit/s", 10**8),
        ("bit_rate", "1 Gbit/s", 10**9),
        ("bit_rate", "12.5 MB/s", 10**8),
        ("byte_rate", "132 MB/s", 132_000_000),
        ("byte_rate", "8 Mbit/s", 10**6),
        ("cycles", "5200 cycles", 5200.0),
        ("cycles", 5200, 5200.0),
        ("cycles", "0.1 cycles", 0.1),
        ("count", 3, 3),
        ("count", "3", 3),
        ("clocks", 0, 0),
        ("fraction", 0.25, 0.25),
        ("fraction", 1, 1.0),
    ],
)
def test_understood(quantity: str, written: object, base: float) -> None:
    result = parse(quantity, written)
    assert result == base
    assert type(result) is type(base)


@pytest.mark.parametrize(
    ("value", "base"),
    [("0.5 ps", 0), ("1.5 ps", 2), ("2.5 ps", 2), ("3.5 ps", 4), ("2.4999 ps", 2), ("83333.5 ps", 83334)],
)
def test_rounds_half_to_even_once(value: str, base: int) -> None:
    assert parse("time", value) == base


ODD = ["", " ", "us", "50", "50 parsec", "50 us 3", "5 us**2", "5 mm", "1,5 us", "five us", "5us*2", "inf s", "nan s",
       "1e9999 s", "5/0 s", "0x10 s", "__import__('os')", "5 s; 6 s", "5 ss", "5 " + "s" * 100, "5 Mbit/s", "5 B",
       "\x00", "5 (s", "5 m", "--5 s"]  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
def test_odd_text_is_no_time(odd: str) -> None:
    with pytest.raises(ScenarioError, match=r"allowed: a number with ps, ns, us, ms, s$"):
        parse("time", odd)


NO_NUMBERS = [None, True, False, [], [5], {}, {"value": 5}, b"5 us", math.inf, -math.inf, math.nan, Decimal("nan"), 1j,
              object(), int, np.array([1, 2]), np.True_]  # fmt: skip


@pytest.mark.parametrize("quantity", sorted(QUANTITIES))
def test_what_is_no_number_is_refused(quantity: str) -> None:
    wanted = f"is not {QUANTITIES[quantity].name}; allowed: "
    said = {repr(odd): refusal(quantity, odd) for odd in NO_NUMBERS}
    assert {odd: text for odd, text in said.items() if wanted not in text} == {}


def refusal(quantity: str, value: object) -> str:
    """The message that refuses it; if it was read, that."""
    try:
        return f"read as {parse(quantity, value)!r}"
    except ScenarioError as error:
        return str(error)


@pytest.mark.parametrize(
    ("quantity", "value", "message"),
    [
        ("frequency", "66 Mbit/s", '"66 Mbit/s" is not a frequency; allowed: a number with Hz, kHz, MHz, GHz'),
        ("frequency", 66, '66 needs a unit, such as "66 MHz"; allowed: a number with Hz, kHz, MHz, GHz'),
        ("frequency", 133333334, '133333334 needs a unit, such as "133333334 Hz"; allowed: a number with '
         "Hz, kHz, MHz, GHz"),
        ("bit_rate", 1e8, '100000000.0 needs a unit, such as "100000000 bit/s" (get(...) * 0.5 keeps its '
         "unit, 0.5 * get(...) loses it); allowed: a number with bit/s, kbit/s, Mbit/s, Gbit/s"),
        ("time", 90000, '90000 needs a unit, such as "90000 us", or "90000 ps" if it was computed from get(); '
         "allowed: a number with ps, ns, us, ms, s"),
        ("frequency", 0, '0 needs a unit, such as "0 MHz"; allowed: a number with Hz, kHz, MHz, GHz'),
        ("frequency", "0 Hz", '"0 Hz" is out of range for a frequency; allowed: above 0, up to 1000000000 GHz'),
        ("time", np.timedelta64(5, "us"), "np.timedelta64(5,'us') is not a time; allowed: a number with ps, ns, us, "
         "ms, s"),
        ("time", 50, '50 needs a unit, such as "50 us"; allowed: a number with ps, ns, us, ms, s'),
        ("time", "50", '"50" needs a unit, such as "50 us"; allowed: a number with ps, ns, us, ms, s'),
        ("time", "-5 us", '"-5 us" is out of range for a time; allowed: 0 to 1000000 s'),
        ("time", "-0.1 ps", '"-0.1 ps" is out of range for a time; allowed: 0 to 1000000 s'),
        ("positive_time", "0 us", '"0 us" is out of range for a time; allowed: above 0, up to 1000000 s'),
        ("positive_time", "0.4 ps", '"0.4 ps" is out of range for a time; allowed: above 0, up to 1000000 s'),
        ("positive_bytes", 0, "0 is out of range for a size; allowed: above 0, up to 1048576 GiB"),
        ("bytes", 1500.5, "1500.5 is not a size; allowed: a whole number, or a number with B, KiB, MiB, GiB"),
        ("bytes", -1, "-1 is out of range for a size; allowed: 0 to 1048576 GiB"),
        ("count", 0, "0 is out of range for a count; allowed: 1 to 1000000"),
        ("count", 1.5, "1.5 is not a count; allowed: a whole number, 1 to 1000000"),
        ("count", "3 us", '"3 us" is not a count; allowed: a whole number, 1 to 1000000'),
        ("mtu", 67, "67 is out of range for an MTU; allowed: 68 B to 65535 B"),
        ("mtu", 65536, "65536 is out of range for an MTU; allowed: 68 B to 65535 B"),
        ("parts", 10**6, "1000000 is out of range for a number of parts; allowed: 1 to 1000"),
        ("ring", "1e9", '"1e9" is out of range for the size of a ring; allowed: 1 to 65536'),
        ("interval", "0 s", '"0 s" is out of range for an interval; allowed: 1 us to 1000000 s'),
        ("period", "999 ns", '"999 ns" is out of range for a period; allowed: 0, or 1 us to 1000000 s'),
        ("descriptor", 2**33, "8589934592 is out of range for the size of a descriptor; allowed: 0 to 64 KiB"),
        ("width", 0, "0 is out of range for the width of a bus; allowed: above 0, up to 1 KiB"),
        ("message_bytes", 2**31, "2147483648 is out of range for the size of a message; allowed: above 0, up to 1 GiB"),
        ("fraction", 1.01, "1.01 is out of range for a fraction; allowed: 0 to 1"),
        (
            "cycles",
            "1e999 cycles",
            '"1e999 cycles" is out of range for a number of processor cycles; allowed: 0 to 1000000000000 cycles',
        ),
    ],
)
def test_messages(quantity: str, value: object, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        parse(quantity, value)
    assert str(caught.value) == message


def test_numbers_of_other_libraries() -> None:
    """numpy's and pint's numbers keep their values, and the results are plain Python numbers."""
    import pint  # not at the top, since each process would import it to collect tests

    ureg: Any = pint.UnitRegistry()
    assert parse("time", 12.5 * ureg.microsecond) == 12_500_000
    assert parse("bit_rate", ureg("100 megabit/second")) == 10**8
    assert parse("bytes", np.int64(3) * ureg.byte) == 3
    assert parse("time", ureg.Quantity(Decimal("0.1"), "us")) == 100_000
    for value in (np.int64(2**49), np.float32(2.0**49), Decimal(2**49), Exactly(2**49)):
        assert type(parse("bytes", value)) is int
        assert parse("bytes", value) == 2**49
    for odd in (math.inf, math.nan):
        with pytest.raises(ScenarioError):
            parse("time", odd * ureg.second)


def test_exact_hands_on_a_number_in_base_units() -> None:
    assert parse("frequency", Exact(66_000_000)) == 66_000_000
    assert type(parse("frequency", Exact(5))) is int
    with pytest.raises(ScenarioError, match="above 0"):
        parse("frequency", Exact(0))


def within(quantity: str, scale: int = 1) -> st.SearchStrategy[int]:
    """Whole multiples of `scale` base units that a quantity can be, as numbers of them."""
    rule = QUANTITIES[quantity]
    return st.integers(-(-rule.lowest // scale), max(1, rule.highest // scale))


@pytest.mark.parametrize(
    ("computed", "read"),
    [
        (2 * Exact(3), 6),
        (Exact(7) * 0.5, 4),
        (Exact(5) / 2, 2),
        (Exact(7) // 2, 3),
        (np.float64(0.5) * Exact(6), 3),
        (Exact(6) * np.float32(0.5), 3),
        (np.int64(2) * Exact(3), 6),
        (Exact(3) + Exact(4) * 0.5, 5),
        (Exact(3) * 0.5 - Exact(1) * 0.5, 1),
        (sum([Exact(3), Exact(4)]), 7),
        (round(Exact(7) * 0.5), 4),
    ],
)
def test_what_is_computed_from_exact_numbers_is_in_base_units(computed: Any, read: int) -> None:
    """It is rounded once, half to even, when it is read, and stays what it is in another process."""
    assert type(computed) in (Exact, Inexact)
    for one in (computed, pickle.loads(pickle.dumps(computed))):
        assert parse("time", one) == parse("count", one) == read
        assert type(parse("time", one)) is int
        assert type(parse("cycles", one)) is float
        assert parse("cycles", one) == computed


@pytest.mark.parametrize(
    "computed",
    [Exact(3) * Exact(2), Exact(3) / Exact(2), 6 / Exact(3), Exact(3) + 5, 5 + Exact(3), 5 - Exact(3), 0.5 * Exact(3)],
)
def test_what_is_computed_in_other_units_is_a_plain_number(computed: Any) -> None:
    assert type(computed) in (int, float)
    with pytest.raises(ScenarioError, match="needs a unit"):
        parse("time", computed)


def test_large_exact_numbers_stay_exact() -> None:
    assert parse("time", 3 * Exact(10**17 + 1)) == 3 * 10**17 + 3


def test_exact_numbers_are_refused_like_others() -> None:
    for odd in (math.inf, math.nan):
        with pytest.raises(ScenarioError, match="is not a time"):
            parse("time", Exact(1) * odd)
    with pytest.raises(ScenarioError, match=r"^-3 is out of range for a time"):
        parse("time", Exact(3) * -1)
    assert (np.array([1, 2]) * Exact(3)).tolist() == [3, 6]
    assert Exact(3) * Exactly(1, 3) == 1


@given(st.sampled_from(WHOLE), st.data())
def test_whole_numbers_read_back_exactly(quantity: str, data: st.DataObject) -> None:
    value = data.draw(within(quantity))
    assert parse(quantity, text(quantity, value)) == value


def test_zero_of_a_period_means_none_and_needs_no_unit() -> None:
    assert parse("period", 0) == parse("period", "0 s") == 0
    with pytest.raises(ScenarioError, match="needs a unit"):
        parse("interval", 0)


@given(st.floats(min_value=0, max_value=1e12))
def test_cycles_read_back_exactly(value: float) -> None:
    assert parse("cycles", text("cycles", value)) == value


@given(st.floats(min_value=0, max_value=1))
def test_fractions_read_back_exactly(value: float) -> None:
    assert parse("fraction", text("fraction", value)) == value


@given(st.sampled_from(WITH_UNITS), st.data())
def test_every_unit_shown_is_understood_and_exact(quantity: str, data: st.DataObject) -> None:
    units = {symbol: scale for symbol, scale in (QUANTITIES[quantity].units or {}).items()
             if scale <= QUANTITIES[quantity].highest}
    symbol, scale = data.draw(st.sampled_from(sorted(units.items())))
    value = data.draw(within(quantity, scale))
    assert parse(quantity, f"{value} {symbol}") == value * scale


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused_in_one_line(odd: str) -> None:
    message = ""
    try:
        assert parse("time", odd) >= 0
    except ScenarioError as error:
        message = str(error)
    assert "\n" not in message


@given(st.sampled_from(sorted(QUANTITIES)), st.floats() | st.integers())
def test_any_number_can_be_shown_in_a_table(quantity: str, value: float) -> None:
    assert format_quantity(quantity, value)


@pytest.mark.parametrize(
    ("quantity", "value", "written"),
    [
        ("time", 12_500_000, "12.5 us"),
        ("time", 0, "0 s"),
        ("time", 83_333, "83.333 ns"),
        ("time", -1_500_000, "-1.5 us"),
        ("time", 3 * 10**15, "3000 s"),
        ("frequency", 33_333_333, "33.333333 MHz"),
        ("bytes", 65536, "64 KiB"),
        ("bytes", 1500, "1500 B"),
        ("bytes", 0, "0 B"),
        ("bit_rate", 10**9, "1 Gbit/s"),
        ("byte_rate", 132_000_000, "132 MB/s"),
        ("cycles", 5200.0, "5200 cycles"),
        ("cycles", 0.5, "0.5 cycles"),
        ("count", 3, "3"),
        ("fraction", 0.25, "0.25"),
    ],
)
def test_exact_text(quantity: str, value: float, written: str) -> None:
    assert text(quantity, value) == written


def test_text_for_tables() -> None:
    assert format_rate(94_123_456) == "94.12 Mbit/s"
    assert format_rate(94_123_456, digits=2) == "94 Mbit/s"
    assert format_time(83_333) == "83.33 ns"
    assert format_time(12_345_678_901_234_567) == "12346 s"
    assert format_time(0.3) == "0.3 ps"
    assert format_time(math.nan) == "nan"
    assert format_rate(0) == "0 bit/s"


def test_pint_is_not_imported_until_a_text_is_read() -> None:
    """`import netsim` must stay quick."""
    code = "import sys, netsim.spec; print('pint' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "False\n"


def test_constants_are_base_units() -> None:
    assert tuple(parse("time", f"1 {u}") for u in ("ns", "us", "ms", "s")) == (units.NS, units.US, units.MS, units.S)
    assert units.PS_PER_S == units.S
    assert parse("frequency", "1 MHz") == units.MHZ
    assert parse("bytes", "1 KiB") == units.KIB
    assert parse("bit_rate", "1 Gbit/s") == units.GBIT_S


@pytest.mark.parametrize(("value", "shown"), [
    (48.8, "48.80"), (1.0, "1.00"), (0.55, "0.55"), (0.1, "0.10"), (0, "0.00"),
    (0.0123, "0.0123"), (0.008127, "0.00813"), (-0.008127, "-0.00813"), (1.08e-9, "0.00000000108"),
])  # fmt: skip
def test_two_decimals_are_more_where_they_lose_the_number(value: float, shown: str) -> None:
    assert fixed(value) == shown
    assert f"{value:.{decimals(value)}f}" == shown
