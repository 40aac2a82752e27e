"""Specs: addresses, copies, hashes, TOML, provenance, and a one-line message for every mistake."""

import copy
import os
import pickle
import subprocess
import sys
from fractions import Fraction as Exactly
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, ValidationError, model_validator

import netsim as ns
from netsim.bus.pcie_spec import PcieSpec
from netsim.catalog import Provenance, Sourced
from netsim.errors import NetsimError, ScenarioError, nearest
from netsim.spec import SET_BY_USER, Spec
from netsim.units import (
    US,
    BitRate,
    ByteRate,
    Bytes,
    Clocks,
    Count,
    Cycles,
    Fraction,
    Frequency,
    NonNegativeCount,
    PositiveBytes,
    PositiveTime,
    Time,
)


class Absolute(Spec):
    policy: Literal["absolute"] = "absolute"
    delay: Time = 0


class Gap(Spec):
    policy: Literal["gap"] = "gap"
    gap: PositiveTime = 50 * US
    frames: Count = 8


class Off(Spec):
    policy: Literal["none"] = "none"


Moderation = Annotated[Absolute | Gap | Off, Field(discriminator="policy")]


class Driver(Spec):
    rx_cycles: Cycles = 5000.0
    rx_checksum: Literal["host", "card"] = "host"
    ring: Count = Field(default=32, json_schema_extra={"provenance": {"kind": "documented", "source": "driver.c"}})


class Nic(Spec):
    rate: BitRate
    driver: Driver = Driver()
    moderation: Moderation = Off()
    fifo: Bytes = 2048
    timeout: Time | None = None
    bursts: tuple[PositiveBytes, ...] = ()
    spare: Driver | None = None
    start: Time | Literal["auto"] = "auto"

    CARDS: ClassVar[dict[str, dict[str, Any]]] = {
        "3c905b": {"rate": "100 Mbit/s", "moderation": {"policy": "gap", "gap": "5 us"}},
        "broken": {"rate": "100 MHz"},
    }

    @classmethod
    def from_name(cls, name: str) -> Self:
        card, _, driver = name.partition("/")
        if card not in cls.CARDS:
            raise ScenarioError(f'nothing is called "{card}"{nearest(card, cls.CARDS)}')
        own = cls.model_validate(cls.CARDS[card])
        return own.replace("driver.rx_cycles", float(len(driver))) if driver else own


class Bus(Spec):
    clock: Frequency
    width: ByteRate | None = None
    idle: Clocks = 0
    share: Fraction = 1.0
    label: str = ""
    drops: NonNegativeCount = 0


class Window(Spec):
    low: Count = 1
    high: Count = 5

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low > self.high:
            raise ValueError("low is above high")
        return self


class Host(Spec):
    bus: Bus
    nics: tuple[Nic, ...] = ()
    window: Window = Window()


def host(**more: Any) -> Host:
    return Host(bus=Bus(clock="33 MHz"), nics=["3c905b", Nic(rate="1 Gbit/s", bursts=["64 B", "1 KiB"])], **more)


# ---- strategies ----

times = st.integers(0, 10**18).map(lambda ps: f"{ps} ps")
positive = st.integers(1, 10**6)
moderations = st.one_of(
    st.builds(Absolute, delay=times),
    st.builds(Gap, gap=positive.map(lambda ps: f"{ps} ps"), frames=positive),
    st.builds(Off),
)
drivers = st.builds(
    Driver,
    rx_cycles=st.floats(0, 1e12),
    rx_checksum=st.sampled_from(["host", "card"]),
    ring=positive,
)
nics = st.builds(
    Nic,
    rate=positive.map(lambda rate: f"{rate} bit/s"),
    driver=drivers,
    moderation=moderations,
    fifo=st.integers(0, 2**50),
    timeout=st.none() | times,
    bursts=st.lists(positive, max_size=3),
    spare=st.none() | drivers,
    start=times | st.just("auto"),
)
buses = st.builds(
    Bus,
    clock=positive.map(lambda clock: f"{clock} Hz"),
    width=st.none() | positive.map(lambda rate: f"{rate} B/s"),
    idle=st.integers(0, 100),
    share=st.floats(0, 1),
    label=st.text(st.characters(exclude_categories=["Cs"])),
    drops=st.integers(0, 9),
)
hosts = st.builds(Host, bus=buses, nics=st.lists(nics, max_size=3))


# ---- properties ----


@given(hosts)
def test_toml_reads_back_to_an_equal_spec(spec: Host) -> None:
    again = Host.from_toml(spec.to_toml() + "\n")
    assert again == spec
    assert hash(again) == hash(spec)
    assert again.digest() == spec.digest()
    assert again.to_toml() == spec.to_toml()


@given(hosts, st.data())
def test_every_address_can_be_read_and_written(spec: Host, data: st.DataObject) -> None:
    address = data.draw(st.sampled_from(sorted(spec.addresses())))
    value = spec.get(address)
    assert value == spec.addresses()[address]
    unchanged = spec.replace({})
    assert unchanged == spec
    assert set(spec.provenance()) == set(spec.addresses())


@given(hosts, nics)
def test_replace_changes_what_it_names_and_nothing_else(spec: Host, nic: Nic) -> None:
    spec = spec.replace("nics", (*spec.nics, nic))
    last = f"nics.{len(spec.nics) - 1}"
    changed = spec.replace(f"{last}.driver.rx_cycles", 4321)
    was, now = spec.addresses(), changed.addresses()
    assert now.pop(f"{last}.driver.rx_cycles") == 4321.0
    assert now.items() <= was.items()
    assert len(was) == len(now) + 1
    assert changed.replace(f"{last}.driver.rx_cycles", nic.driver.rx_cycles) == spec


@given(hosts, hosts)
def test_equal_exactly_when_every_number_is(one: Host, other: Host) -> None:
    assert (one == other) == (one.addresses() == other.addresses()) == (one.digest() == other.digest())


@given(hosts)
def test_survives_copy_and_pickle(spec: Host) -> None:
    for again in (copy.deepcopy(spec), pickle.loads(pickle.dumps(spec)), spec.model_copy()):
        assert again == spec
        assert again.provenance() == spec.provenance()


# ---- addresses ----


def test_addresses_of_lists_variants_and_empty_lists() -> None:
    addresses = host().addresses()
    assert addresses["nics.0.moderation.gap"] == 5 * US
    assert addresses["nics.1.bursts.1"] == 1024
    assert addresses["nics.0.bursts"] == ()
    assert addresses["nics.0.spare"] is None
    assert "nics.0.driver" not in addresses


def test_get_names_whole_sub_specs_too() -> None:
    spec = host()
    assert spec.get("nics.1") is spec.nics[1]
    assert spec.get("nics") is spec.nics
    assert spec.get("nics.0.driver.ring") == 32


def test_replace_takes_what_get_gives() -> None:
    spec = host().replace("nics.0.timeout", "3 us")
    assert spec.get("bus.clock") == 33_000_000
    assert spec.replace("nics.1.rate", spec.get("nics.0.rate")).nics[1].rate == 100_000_000
    assert type(spec.replace("nics.0.start", spec.get("nics.0.timeout")).nics[0].start) is int
    with pytest.raises(ScenarioError, match=r'^bus\.clock: 33000000 needs a unit, such as "33000000 Hz"'):
        spec.replace("bus.clock", 33_000_000)


def test_replace_takes_what_is_computed_from_what_get_gives() -> None:
    spec = host().replace({"nics.0.timeout": "90 ns", "nics.0.driver.ring": 7})
    for factor in (2, 0.5):
        twice = spec.replace({one: spec.get(one) * factor for one in ("nics.0.timeout", "nics.0.fifo", "bus.clock")})
        plain = spec.scale({"nics.0.timeout": factor, "nics.0.fifo": factor, "bus.clock": factor})
        assert twice == plain
        assert (hash(twice), twice.digest(), twice.to_toml()) == (hash(plain), plain.digest(), plain.to_toml())
        assert pickle.loads(pickle.dumps(twice)) == plain
        assert {*map(type, twice.addresses().values())} == {*map(type, spec.addresses().values())}
    assert spec.replace("nics.0.driver.ring", spec.get("nics.0.driver.ring") / 2).nics[0].driver.ring == 4
    with pytest.raises(ScenarioError, match=r'"45000 ps" if it was computed from get\(\) \(get\(...\) \* 0.5 keeps'):
        spec.replace("nics.0.timeout", 0.5 * spec.get("nics.0.timeout"))


def test_a_dump_can_be_read_again() -> None:
    spec = host().replace("nics.0.timeout", "3 us")
    for dump in (spec.model_dump(), spec.model_dump(mode="json"), spec.dict()):
        assert Host(**dump) == spec


@pytest.mark.parametrize(
    ("address", "factor", "value"),
    [
        ("bus.clock", 2, 66_000_000),
        ("bus.clock", 1.5, 49_500_000),
        ("bus.clock", Exactly(1, 3), 11_000_000),
        ("nics.0.moderation.gap", 0.1, 500_000),
        ("nics.0.driver.ring", 1.03125, 33),
        ("nics.0.driver.ring", np.float64(0.5), 16),
        ("nics.1.bursts.1", 1.5, 1536),
        ("nics.0.driver.rx_cycles", 0.3, 1500.0),
        ("bus.share", 0.25, 0.25),
    ],
)
def test_numbers_can_be_scaled(address: str, factor: float, value: float) -> None:
    spec = host().scale(address, factor)
    assert spec.get(address) == value
    assert type(spec.addresses()[address]) is type(value)
    assert spec == host().scale({address: factor})


def test_large_numbers_are_scaled_exactly() -> None:
    spec = Absolute(delay=f"{10**17 + 1} ps").scale("delay", 3)
    assert spec.delay == 3 * 10**17 + 3


def test_several_numbers_are_scaled_together() -> None:
    spec = host().scale({"window.low": 7, "window.high": 2})
    assert spec.window == Window(low=7, high=10)


@pytest.mark.parametrize(
    ("address", "factor", "message"),
    [
        ("bus.clok", 2, r'^bus\.clok: no such address \(did you mean "bus\.clock"\?\)$'),
        ("bus.label", 2, r'^bus\.label: "" is not a number; allowed: the address of one$'),
        ("bus.width", 2, r"^bus\.width: null is not a number; allowed: the address of one$"),
        ("bus", 2, r"^bus: .* is not a number; allowed: the address of one$"),
        ("bus.clock", "2", r'^bus\.clock: "2" is not allowed as a factor; allowed: a number$'),
        ("bus.clock", True, r"^bus\.clock: true is not allowed as a factor"),
        ("bus.clock", float("nan"), r"^bus\.clock: NaN is not allowed as a factor"),
        ("bus.clock", -1, r"^bus\.clock: -33000000 is out of range for a frequency; allowed: above 0, up to "),
        ("bus.share", 2, r"^bus\.share: 2\.0 is out of range for a fraction; allowed: 0 to 1$"),
    ],
)
def test_what_can_not_be_scaled(address: str, factor: float, message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        host().scale(address, factor)


def test_a_name_alone_is_a_list_of_one() -> None:
    assert Host(bus=Bus(clock="33 MHz"), nics="3c905b").nics == (Nic.from_name("3c905b"),)
    assert Host.from_toml('nics = "3c905b/abc"\nbus.clock = "33 MHz"\n').get("nics.0.driver.rx_cycles") == 3.0
    assert host().replace("nics", "3c905b").nics == (Nic.from_name("3c905b"),)
    with pytest.raises(ScenarioError, match=r'^nics\.0: nothing is called "3c95b" \(did you mean "3c905b"\?\)$'):
        host().replace("nics", "3c95b")
    with pytest.raises(ScenarioError, match=r'^bursts: "64 B" is not allowed; allowed: a list$'):
        Nic(rate="1 Gbit/s", bursts="64 B")


def test_values_without_names() -> None:
    class Placed(Window):
        positional: ClassVar[tuple[str, ...]] = ("low", "high")

    assert Placed(2, 4) == Placed(2, high=4) == Placed(low=2, high=4)
    with pytest.raises(ScenarioError, match=r"^3 unnamed values are too many for Placed; allowed: low, high$"):
        Placed(2, 4, 6)
    with pytest.raises(ScenarioError, match=r"^low: given twice, by position and by name; allowed: once$"):
        Placed(2, low=2)
    with pytest.raises(ScenarioError, match=r"^1 unnamed values are too many for Window; allowed: none$"):
        Window(2)


def test_replace_takes_specs_tables_names_and_none() -> None:
    spec = host()
    assert spec.replace("nics.1", "3c905b").nics[1] == spec.nics[0]
    assert spec.replace("nics.1", "3c905b/abc").get("nics.1.driver.rx_cycles") == 3.0
    assert spec.replace("nics.0.spare", {"ring": 5}).get("nics.0.spare.ring") == 5
    assert spec.replace("nics.0.spare", Driver(ring=6)).get("nics.0.spare.ring") == 6
    assert spec.replace("nics.0.timeout", "3 us").replace("nics.0.timeout", None) == spec
    assert spec.replace("nics.0.timeout", "3 us").replace("nics.0.timeout", "none") == spec
    assert spec.replace("nics.1.bursts.0", "8 KiB").nics[1].bursts == (8192, 1024)
    assert spec.replace("nics.0.moderation", "none").nics[0].moderation == Off()
    assert spec.replace("nics.0.moderation", {"policy": "absolute", "delay": "1 us"}).nics[0].moderation == Absolute(
        delay="1 us"
    )


def test_changes_are_checked_together_and_whole_specs_come_first() -> None:
    spec = host()
    assert spec.replace({"window.low": 7, "window.high": 9}).window == Window(low=7, high=9)
    mixed = {"nics.0.driver.ring": 77, "nics.0": Nic(rate="10 Mbit/s"), "nics.0.driver.rx_cycles": 1}
    assert spec.replace(mixed).nics[0] == Nic(rate="10 Mbit/s", driver=Driver(ring=77, rx_cycles=1))
    with pytest.raises(ScenarioError, match=r"^window: .*low is above high$"):
        spec.replace("window.low", 7)


def test_what_is_in_a_list_twice_and_changed_alike_stays_one_object() -> None:
    """As if each had been changed alone, with its sources."""
    nic = Nic.from_name("3c905b")
    spec = host().replace("nics", (nic, nic, Nic.from_name("3c905b"), nic))
    cycles = Sourced(4321, Provenance(kind="documented", source="driver.c"))
    changes: dict[str, object] = dict.fromkeys((f"nics.{number}.driver.rx_cycles" for number in (0, 1, 2)), cycles)
    changed = spec.replace(changes | {"nics.3.driver.rx_cycles": 7})
    assert changed.nics[0] is changed.nics[1]
    assert changed.nics[2] is not changed.nics[0]
    assert changed.get("nics.3.driver.rx_cycles") == 7
    alone = spec
    for address, value in (changes | {"nics.3.driver.rx_cycles": 7}).items():
        alone = alone.replace(address, value)
    assert changed == alone
    assert changed.provenance() == alone.provenance()
    assert changed.catalogue_names() == alone.catalogue_names()


def test_what_is_in_a_list_twice_may_become_another_variant_or_be_refused() -> None:
    nic = Nic.from_name("3c905b")
    spec = host().replace("nics", (nic, nic))
    both = spec.replace({f"nics.{number}.moderation.policy": "none" for number in (0, 1)})
    assert [one.moderation for one in both.nics] == [Off(), Off()]
    assert spec.replace({"nics.0": "3c905b/abc", "nics.1": "3c905b/abc"}).nics == (Nic.from_name("3c905b/abc"),) * 2
    with pytest.raises(ScenarioError, match=r"^nics\.0\.driver\.ring: "):
        spec.replace({f"nics.{number}.driver.ring": -1 for number in (0, 1)})


def test_replace_says_what_is_missing() -> None:
    with pytest.raises(ScenarioError, match=r"^nics\.0\.rate: a value is missing; allowed: replace\(address, value\)$"):
        host().replace("nics.0.rate")  # type: ignore[call-overload]
    with pytest.raises(ScenarioError, match=r"^nics\.0\.rate\.kind: missing; allowed: standard, "):
        host().replace("nics.0.rate", {"value": "1 Mbit/s"})


def test_replace_leaves_the_original_alone() -> None:
    spec = host()
    before = (spec.to_toml(), spec.provenance())
    spec.replace({"nics.0.driver.ring": 1, "bus.clock": "66 MHz", "nics.1": "3c905b"})
    assert (spec.to_toml(), spec.provenance()) == before
    assert Driver().provenance() == Nic(rate="1 bit/s").driver.provenance()


def test_model_is_a_name_with_the_other_keys_laid_over() -> None:
    named = Nic.model_validate({"model": "3c905b", "driver": {"ring": 4}, "moderation": {"frames": 2}})
    assert named == Nic.from_name("3c905b").replace({"driver.ring": 4, "moderation.frames": 2})
    assert named == Nic(model="3c905b", driver={"ring": 4}, moderation={"frames": 2})  # type: ignore[call-arg]
    other = Host.from_toml('bus.clock = "33 MHz"\n[[nics]]\nmodel = "3c905b"\nmoderation = { policy = "absolute" }\n')
    assert other.nics[0].moderation == Absolute()
    assert other.nics[0].rate == 10**8


def test_one_more_key_of_a_sub_spec_leaves_its_other_keys_alone() -> None:
    named = Nic.model_validate({"model": "3c905b/abc", "driver": {"rx_checksum": "card"}})
    assert named.driver == Driver(rx_cycles=3, rx_checksum="card")


def test_rules_are_checked_where_something_is_changed_and_nowhere_else() -> None:
    checked = []

    class Inner(Spec):
        number: int

        @model_validator(mode="after")
        def _note(self) -> Self:
            checked.append(self.number)
            return self

    class Outer(Spec):
        one: Inner
        several: tuple[Inner, ...] = ()
        number: int = 0

    outer = Outer(one=Inner(number=1), several=[Inner(number=2), {"number": 3}])
    assert checked == [1, 2, 3]
    outer.replace("number", 1)
    Outer(one=outer.one)
    assert checked == [1, 2, 3]
    assert outer.replace("several.1.number", 4).several == (Inner(number=2), Inner(number=4))
    assert checked == [1, 2, 3, 4, 2, 4]


def test_what_is_beside_a_change_stays_what_it_is() -> None:
    """Defaults stay defaults, with their sources."""

    class Small(Spec):
        number: int = 7
        words: tuple[str, ...] = ("none", "a")
        time: Time = 5
        text: str | None = None

    table = {"number": {"value": 8, "kind": "documented", "source": "a book"}, "words": ["none", "b"]}
    small = Small.model_validate(table)
    changed = small.replace("words.1", "c")
    assert changed == Small(number=8, words=("none", "c"))
    before, after = small.provenance(), changed.provenance()
    assert {at: source for at, source in after.items() if at != "words.1"} == {
        at: source for at, source in before.items() if at != "words.1"
    }
    assert after["number"].source == "a book"
    assert after["words.1"] == SET_BY_USER


def test_a_variant_without_its_name_stays_one_while_it_is_changed() -> None:
    nic = Nic(rate="100 Mbit/s", moderation=Gap(gap="5 us"))
    changed = nic.replace("moderation.gap", "6 us")
    assert changed.moderation == Gap(gap="6 us")
    assert changed.provenance()["moderation.policy"] == nic.provenance()["moderation.policy"]


def test_another_tag_makes_another_variant() -> None:
    spec = host()
    assert spec.replace("nics.0.moderation.policy", "absolute").nics[0].moderation == Absolute()
    assert spec.replace("nics.0.moderation.policy", "gap") == spec
    assert spec.replace("nics.0.moderation.policy", Sourced("gap", DOCUMENTED)) == spec


GAP = "nics.0.moderation.gap"


@pytest.mark.parametrize(
    "changes",
    [
        {"nics.0.moderation.policy": "gap", GAP: "7 us"},
        {GAP: "7 us", "nics.0.moderation.policy": "gap"},
        {"nics.0.moderation": "gap", GAP: "7 us"},
        {"nics.0.moderation": {"policy": "gap"}, GAP: "7 us"},
    ],
)
def test_another_tag_and_its_numbers_are_one_change(changes: dict[str, object]) -> None:
    """`Strict` can't do without its number, which `Off` does not have."""

    class Strict(Spec):
        policy: Literal["gap"] = "gap"
        gap: PositiveTime

    class Card(Spec):
        moderation: Annotated[Strict | Off, Field(discriminator="policy")] = Off()

    class Machine(Spec):
        nics: tuple[Card, ...] = (Card(),)

    machine = Machine()
    assert machine.replace(changes).nics[0].moderation == Strict(gap="7 us")
    with pytest.raises(ScenarioError, match=r"^nics.0.moderation.gap: missing$"):
        machine.replace("nics.0.moderation.policy", "gap")
    with pytest.raises(ScenarioError, match=r'^nics.0.moderation.gapp: no such key \(did you mean "gap"\?\)$'):
        machine.replace({"nics.0.moderation.policy": "gap", "nics.0.moderation.gapp": "7 us"})
    with pytest.raises(ScenarioError, match=r"^nics.0.moderation.gap: no such address"):
        machine.replace({"nics.0.moderation.policy": "none", GAP: "7 us"})


def test_a_number_may_be_a_name() -> None:
    packets = ns.load(Path(__file__).parents[2] / "examples" / "pktgen-rings.toml")
    assert packets.replace("adapter", 82599) == packets
    with pytest.raises(ScenarioError, match=r'^adapter: nothing in adapters is called "82598" \(did you mean "82599"'):
        packets.replace("adapter", 82598)


def test_instances_pass_as_they_are() -> None:
    nic = Nic(rate="1 Gbit/s")
    spec = Host(bus=Bus(clock="33 MHz"), nics=[nic])
    assert spec.nics[0] is nic
    assert spec.replace("bus.idle", 3).nics[0] is nic
    assert Host.model_validate(spec) is spec


# ---- as one thing ----


def test_digest_is_the_same_in_every_process() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_spec; "
        "spec = test_spec.host(); print(spec.digest(), spec.hash12)"
    )
    digests = set()
    for seed in ("0", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment)
        digests.add(done.stdout.strip())
    assert digests == {f"{host().digest()} {host().digest()[:12]}"}
    assert len(host().digest()) == 64


def test_digest_of_sets_has_one_order() -> None:
    class Colours(Spec):
        names: frozenset[str]

    digests = {Colours(names=frozenset(order)).digest() for order in (["a", "b", "zz"], ["zz", "b", "a"])}
    assert digests == {Colours(names=frozenset({"a", "b", "zz"})).digest()}
    assert host().hash12 == host().digest()[:12]


def test_digest_sees_every_number_but_no_provenance() -> None:
    spec = Driver(ring=5)
    sourced = Driver(ring={"value": 5, "kind": "documented", "source": "x"})
    assert sourced == spec
    assert hash(sourced) == hash(spec)
    assert sourced.digest() == spec.digest()
    assert sourced.to_toml() == spec.to_toml()
    assert spec.digest() != spec.replace("ring", 6).digest()


def test_a_spec_is_only_equal_to_its_own_kind() -> None:
    assert Absolute() != Off()
    assert Driver() != {"ring": 32}
    assert len({Driver(), Driver(), Driver(ring=3)}) == 2


def test_never_changes() -> None:
    spec = host()
    with pytest.raises(ScenarioError, match=r'^bus: this Host never changes; use replace\("bus", ...\)$'):
        spec.bus = Bus(clock="1 Hz")  # type: ignore[misc]
    with pytest.raises(ScenarioError, match=r"^bux: this Host never changes"):
        spec.bux = 5  # type: ignore[attr-defined]


def test_a_copy_with_changes_is_checked() -> None:
    """pydantic's own copies take any value."""
    spec = host()
    for copied in (spec.model_copy, spec.copy):
        assert copied() == spec
        assert copied(update={"window": {"low": 2}}) == spec.replace("window", {"low": 2})
        with pytest.raises(ScenarioError, match=r"^bus\.clock: 5 needs a unit"):
            copied(update={"bus": {"clock": 5}})
        with pytest.raises(ScenarioError, match=r'^windw: no such address \(did you mean "window"'):
            copied(update={"windw": 5})
    assert spec.unchecked(nics=5).nics == 5


def test_a_copy_computes_its_own() -> None:
    """What a spec has computed and kept is not true of a copy with other fields."""
    wide = PcieSpec.from_name("pcie-3-x16")
    whole = wide.time(10**6)
    assert wide.unchecked(lanes=8).time(10**6) == wide.replace("lanes", 8).time(10**6) > whole


def test_repr_reads_as_it_would_be_written() -> None:
    assert repr(Bus(clock="100/3 MHz")) == (
        "Bus(clock='33.333333 MHz', width=None, idle=0, share=1.0, label='', drops=0)"
    )
    assert eval(repr(host())) == host()


# ---- files ----


def test_toml_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "scenario.toml"
    file.write_text(host().to_toml(), encoding="utf-8")
    assert Host.from_toml(file) == Host.from_toml(str(file)) == host()
    assert 'clock = "33 MHz"' in file.read_text()


def test_toml_of_optional_text_and_of_nothing() -> None:
    class Note(Spec):
        text: str | None = None
        mode: Literal["none", "all"] | None = None

    for note in (Note(), Note(text="none"), Note(text="x\x7f\n\"'"), Note(mode="none")):
        assert Note.from_toml(note.to_toml()) == note


KINDS = "allowed: standard, documented, derived, fitted, assumed, imported"


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ('bus.clock = "6 bit"', 'bus.clock: "6 bit" is not a frequency; allowed: a number with Hz, kHz, MHz, GHz'),
        ('bus.clok = "66 MHz"', 'bus.clok: no such key (did you mean "clock"?)'),
        ("nics = []", "bus: missing"),
        ("bus = 5 5", "not valid TOML: Expected newline or end of document after a statement (at line 1, column 9)"),
        ('bus.clock = "1 Hz"\nnics = ["3c905"]', 'nics.0: nothing is called "3c905" (did you mean "3c905b"?)'),
        ('bus.clock = "1 Hz"\nnics = ["broken"]', 'nics.0.rate: "100 MHz" is not a bit rate; allowed: a number with '
         "bit/s, kbit/s, Mbit/s, Gbit/s"),
        ('bus.clock = { value = "1 Hz", kind = "documentd" }', 'bus.clock.kind: "documentd" is not allowed '
         f'(did you mean "documented"?); {KINDS}'),
        ('bus.clock = { value = "1 Hz", source = "x" }', f"bus.clock.kind: missing; {KINDS}"),
        ('bus.clock = { value = "1 Hz" }', f"bus.clock.kind: missing; {KINDS}"),
    ],
)  # fmt: skip
def test_a_rejected_file_is_named_with_the_key(tmp_path: Path, toml: str, message: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(toml)
    with pytest.raises(ScenarioError) as caught:
        Host.from_toml(file)
    assert str(caught.value) == f"{message} (in {file})"
    with pytest.raises(ScenarioError) as caught:
        Host.from_toml(toml)
    assert str(caught.value) == message


def test_files_that_can_not_be_read(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"nowhere.toml can't be read: No such file or directory$"):
        Host.from_toml(tmp_path / "nowhere.toml")
    with pytest.raises(ScenarioError, match=r"can't be read: Is a directory$"):
        Host.from_toml(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b"x = '\xe9'")
    with pytest.raises(ScenarioError, match=r"not valid TOML: line 1 is not UTF-8.*latin.toml"):
        Host.from_toml(tmp_path / "latin.toml")


# ---- mistakes ----

ADDRESS_MISTAKES = [
    ("nics.0.driver.rx_cycle", 5, '(did you mean "nics.0.driver.rx_cycles"?)'),
    ("nics.2.fifo", 5, "nics.2.fifo: no such index; allowed: 0 to 1"),
    ("nics.-1.fifo", 5, "nics.-1.fifo: no such index; allowed: 0 to 1"),
    ("nics.00", 5, "nics.00: no such index; allowed: 0 to 1"),
    ("nics.0.bursts.0", 5, "nics.0.bursts.0: no such index; allowed: nothing, it is empty"),
    ("nics.0.timeout.x", 5, "nics.0.timeout.x: no such address; there is nothing below nics.0.timeout"),
    ("zzz", 5, "zzz: no such address; allowed: bus, nics, window"),
    ("bus.zzz", 5, "bus.zzz: no such address; allowed: bus.clock, bus.width, bus.idle, "),
    ("driver.rx_cycles", 5, 'driver.rx_cycles: no such address (did you mean "nics.'),
    ("", 5, "no such address; allowed: bus, nics, window"),
    ("bus.", 5, "bus.: no such address"),
    ("_sources", 5, "_sources: no such address"),
    ("model_fields", 5, "model_fields: no such address"),
]  # fmt: skip

VALUE_MISTAKES = [
    ("bus.clock", "66 Mbit/s", 'bus.clock: "66 Mbit/s" is not a frequency; allowed: a number with Hz, kHz, MHz, GHz'),
    ("bus.clock", 66, 'bus.clock: 66 needs a unit, such as "66 MHz"; allowed: '),
    ("bus.share", 1.5, "bus.share: 1.5 is out of range for a fraction; allowed: 0 to 1"),
    ("bus.label", 5, "bus.label: 5 is not allowed; allowed: a valid string"),
    ("nics", 5, "nics: 5 is not allowed; allowed: a list"),
    ("nics.0", 5, "nics.0: 5 is not a valid Nic; allowed: a table with rate, driver, "),
    ("nics.0", Driver(), "nics.0: Driver("),
    ("nics.0", {"rat": "1 bit/s"}, 'nics.0.rat: no such key (did you mean "rate"?)'),
    ("nics.0", {}, "nics.0.rate: missing"),
    ("nics.0.driver", "3c59x", 'nics.0.driver: "3c59x" is not a valid Driver; allowed: a table with rx_cycles, '),
    ("nics.0.driver.rx_checksum", "hots", 'nics.0.driver.rx_checksum: "hots" is not allowed (did you mean "host"?)'),
    ("nics.0.moderation.policy", "gpa", 'nics.0.moderation.policy: "gpa" is not allowed (did you mean "gap"?)'),
    ("nics.0.moderation", {"gap": "5 us"}, "nics.0.moderation.policy: missing"),
    ("nics.0.moderation", 5, "nics.0.moderation: 5 is not allowed; allowed: a table with policy (absolute, gap, none)"),
    ("nics.0.moderation", "gpa", 'nics.0.moderation: "gpa" is not allowed (did you mean "gap"?); allowed: absolute, '),
    ("nics.0.moderation", {"policy": "gap", "delay": "5 us"}, "nics.0.moderation.delay: no such key; allowed: policy"),
    ("nics.0.moderation.gap", "0 us", 'nics.0.moderation.gap: "0 us" is out of range for a time; allowed: above 0'),
    ("nics.1.bursts.1", "0 B", 'nics.1.bursts.1: "0 B" is out of range for a size; allowed: above 0'),
    ("nics.0.start", "otto", 'nics.0.start: "otto" is not a time; allowed: a number with ps, ns, us, ms, s or '),
]  # fmt: skip


@pytest.mark.parametrize(("address", "value", "message"), [*ADDRESS_MISTAKES, *VALUE_MISTAKES])
def test_mistakes_name_address_value_and_what_is_allowed(address: str, value: object, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        host().replace(address, value)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(("address", "value", "message"), ADDRESS_MISTAKES)
def test_get_names_the_nearest_address_too(address: str, value: object, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        host().get(address)
    assert message in str(caught.value)


def test_direct_building_gives_the_same_line() -> None:
    with pytest.raises(ScenarioError, match=r'^clock: "66 Mbit/s" is not a frequency; allowed: .*GHz$') as caught:
        Bus(clock="66 Mbit/s")
    assert isinstance(caught.value, NetsimError)
    assert not isinstance(caught.value, ValidationError)
    with pytest.raises(ScenarioError, match=r'^moderation.dely: no such key \(did you mean "delay"\?\)$'):
        Nic(rate="1 bit/s", moderation={"policy": "absolute", "dely": 0})
    with pytest.raises(ScenarioError, match=r"^idle: .* \(and 1 more wrong\)$"):
        Bus(clock="1 Hz", idle=-1, drops=-1)


def test_a_scenario_error_crosses_processes() -> None:
    error = ScenarioError("is wrong", address="a.b", file="x.toml")
    again = pickle.loads(pickle.dumps(error.at("c.0")))
    assert str(again) == "c.0.a.b: is wrong (in x.toml)"
    assert (again.address, again.file, again.problem) == ("c.0.a.b", "x.toml", "is wrong")


# ---- provenance ----

DOCUMENTED = Provenance(kind="documented", source="data sheet")


def test_provenance_of_defaults_values_and_sources() -> None:
    spec = Nic(
        rate={"value": "1 Gbit/s", "kind": "documented", "source": "data sheet"},
        driver={"rx_cycles": {"value": 5200, "kind": "fitted", "rows": ["a/b"], "sd": 140}},
        moderation={"policy": {"value": "gap", "kind": "documented", "source": "data sheet"}, "gap": "5 us"},
        bursts={"value": ["64 B", "1 KiB"], "kind": "documented", "source": "data sheet"},
    )
    sources = spec.provenance()
    assert sources["rate"] == sources["moderation.policy"] == sources["bursts.1"] == DOCUMENTED
    assert sources["driver.rx_cycles"] == Provenance(kind="fitted", rows=("a/b",), sd=140)
    assert sources["moderation.gap"] == SET_BY_USER
    assert sources["moderation.frames"] == Provenance(kind="assumed", source="default of Gap.frames")
    assert sources["driver.ring"] == Provenance(kind="documented", source="driver.c")
    assert spec.bursts == (64, 1024)


def test_replace_keeps_every_other_provenance() -> None:
    spec = Host(bus={"clock": Sourced("33 MHz", DOCUMENTED), "idle": Sourced(1, DOCUMENTED)}, nics=["3c905b"])
    changed = spec.replace("bus.clock", "66 MHz")
    assert changed.provenance() == spec.provenance() | {"bus.clock": SET_BY_USER}
    sourced = changed.replace("bus.clock", Sourced("25 MHz", DOCUMENTED))
    assert sourced.provenance() == spec.provenance()
    assert sourced.bus.clock == 25_000_000
    whole = spec.replace("nics.0", Nic(rate=Sourced("1 bit/s", DOCUMENTED)))
    assert whole.provenance()["nics.0.rate"] == DOCUMENTED
    table = spec.replace("nics.0", {"rate": "1 bit/s"})
    assert table.provenance()["nics.0.rate"] == SET_BY_USER
    assert table.provenance()["bus.idle"] == DOCUMENTED


def test_a_default_sub_spec_says_whose_default_it_is() -> None:
    class Machine(Spec):
        driver: Driver = Driver(ring=3)

    assert Machine().provenance()["driver.ring"] == Provenance(kind="assumed", source="default of Machine.driver")


def test_sources_of_what_is_no_number_are_dropped() -> None:
    spec = Host(bus={"clock": "1 Hz"}, nics=[{"value": "3c905b", "kind": "assumed", "reason": "a guess"}])
    assert spec.nics[0] == Nic.from_name("3c905b")
    model = {"model": {"value": "3c905b", "kind": "assumed", "reason": "a guess"}, "fifo": 5}
    assert Nic.model_validate(model).provenance()["fifo"] == SET_BY_USER


def test_a_model_laid_over_keeps_the_provenance_of_the_rest() -> None:
    class Card(Spec):
        driver: Driver
        fifo: Bytes

        @classmethod
        def from_name(cls, name: str) -> Self:
            return cls(driver={"ring": Sourced(3, DOCUMENTED)}, fifo=Sourced(name, DOCUMENTED))

    spec = Card.model_validate({"model": "1 KiB", "driver": {"rx_cycles": Sourced(1, DOCUMENTED)}})
    assert set(spec.provenance().items()) >= {
        ("driver.ring", DOCUMENTED),
        ("fifo", DOCUMENTED),
        ("driver.rx_cycles", DOCUMENTED),
    }
    assert Card.model_validate({"model": "1 KiB", "fifo": 7}).provenance()["fifo"] == SET_BY_USER


def test_rules_are_compiled_when_they_are_needed() -> None:
    """A field refers to the rules of another class, so that importing many classes stays quick."""

    class Inside(Spec):
        ring: Count = 32

    class Outside(Spec):
        fifo: Bytes = 2048
        inside: Inside | None = None

    assert not Outside.__pydantic_complete__
    Outside(fifo=5)
    assert Outside.__pydantic_complete__
    assert not Inside.__pydantic_complete__
    with pytest.raises(ScenarioError, match=r"^inside.ring: 0 is "):
        Outside(inside={"ring": 0})
    assert Inside.__pydantic_complete__
