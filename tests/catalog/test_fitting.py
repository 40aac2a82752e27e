"""Which driver is for which cards and systems: refusals, and the alternatives offered."""

import pytest

import netsim as ns
from docs.drivers import PAGE, renewed, table
from netsim import catalog
from netsim.errors import ScenarioError


@pytest.mark.parametrize(
    ("system", "nic", "text"),
    [
        ("linux-2.2.16", "3c905b/tulip", 'nics.0: "tulip" is not a driver for "3c905b", only for de435, de500, '
         "dfe570tx, lne100tx; allowed: 3c905b/3c59x, 3c905b/3c90x"),
        ("windows-2000", "3c985b/acenic", 'nics.0.driver: "acenic" is not a driver for windows-2000, only for '
         "linux-2.2.14-smp, linux-2.2.16; allowed there: 3c985b/e1985nd5"),
        ("windows-2000", "rtl8139/rtl8139", 'nics.0.driver: "rtl8139" is not a driver for windows-2000, only for '
         "linux-2.2.14-smp, linux-2.2.16; allowed there: none of rtl8139, as it has no driver in models/ for that"),
        ("linux-2.2.16", "3c905b", 'nics.0: "3c905b" names a card without a driver; allowed: 3c905b/3c59x, '
         "3c905b/3c90x"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_one_line_with_what_does(system, nic, text):
    with pytest.raises(ScenarioError) as error:
        ns.host("piii-600", system=system, nics=nic)
    assert str(error.value) == text


def test_another_system_needs_another_driver():
    pc = ns.host("piii-600", system="linux-2.2.16", nics="3c985b/acenic")
    with pytest.raises(ScenarioError, match=r"^nics.0.driver: .* allowed there: 3c985b/e1985nd5$"):
        pc.replace("system", "windows-2000")
    both = pc.replace({"system": "windows-2000", "nics": ["3c985b/e1985nd5"]})
    assert both.nics[0].driver.catalogue_name == "drivers/e1985nd5"


def test_a_system_keeps_its_name_while_something_in_it_is_changed():
    pc = ns.host("piii-600", system="linux-2.2.16", nics="3c985b/acenic")
    with pytest.raises(ScenarioError, match=r"^nics.0.driver: .* is not a driver for linux-2.2.16"):
        pc.replace({"system.kernel.tick": "10 us", "nics": ["3c985b/e1985nd5"]})


def test_a_card_of_ones_own_goes_with_any_driver_of_the_catalogue(tmp_path, monkeypatch):
    (tmp_path / "nics").mkdir()
    (tmp_path / "nics" / "own-card.toml").write_text('title = "Own"\nbase = "3c905b"\n')
    monkeypatch.setenv(catalog.MODELS, str(tmp_path))
    ns.host("piii-600", system="linux-2.2.16", nics="own-card/tulip")


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A folder with a card, a system, and a driver that is for another card and another system."""
    for file, text in {
        "nics/own-card": 'base = "eepro100"',
        "systems/own-system": 'base = "linux-2.2.16"',
        "drivers/own-driver": 'base = "eepro100"\ncards = ["eepro100"]\nsystems = ["linux-2.2.16"]',
    }.items():
        (tmp_path / file).parent.mkdir()
        (tmp_path / f"{file}.toml").write_text(text)
    monkeypatch.setenv(catalog.MODELS, str(tmp_path))
    return tmp_path / "drivers" / "own-driver.toml"


def test_the_lists_of_a_driver_of_ones_own_hold_for_ones_own_things(own):
    ns.host("piii-600", system="linux-2.2.16", nics="eepro100/own-driver")
    ns.host("piii-600", system="own-system", nics="own-card/eepro100")
    for system, nic, text in (
        ("linux-2.2.16", "own-card/own-driver", 'nics.0: "own-driver" is not a driver for "own-card", only for '
         f'eepro100; allowed: any driver of models/, or "own-card" among the `cards` of {own}'),
        ("own-system", "eepro100/own-driver", 'nics.0.driver: "own-driver" is not a driver for own-system, only for '
         f"linux-2.2.16; allowed there: eepro100/eepro100, or own-system among the `systems` of {own}"),
        ("windows-2000", "own-card/eepro100", 'nics.0.driver: "eepro100" is not a driver for windows-2000, only for '
         "linux-2.2.14-smp, linux-2.2.16; allowed there: any driver of models/ for windows-2000"),
    ):  # fmt: skip
        with pytest.raises(ScenarioError) as error:
            ns.host("piii-600", system=system, nics=nic)
        assert str(error.value) == text
    own.write_text('base = "eepro100"\ncards = ["eepro100", "own-card"]\nsystems = ["linux-2.2.16", "own-system"]')
    ns.host("piii-600", system="own-system", nics="own-card/own-driver")


def test_every_driver_says_what_it_is_for():
    for driver in catalog.names("drivers"):
        assert set(catalog.cards_of(driver)) <= set(catalog.names("nics")), driver
        systems = {*catalog.names("systems"), *catalog.names("netware")}
        assert set(catalog.systems_of(driver)) <= systems, driver
        assert catalog.cards_of(driver), driver
        assert catalog.systems_of(driver), driver


def test_the_table_is_in_the_catalogues_page_as_it_would_be_made():
    page = PAGE.read_text()
    assert table() in page
    assert renewed(page) == page, "run python docs/drivers.py"


def test_queue_drivers_are_for_adapters_of_the_catalogue():
    for driver in catalog.names("queue-drivers"):
        cards = catalog.cards_of(driver, "queue-drivers")
        assert set(cards) <= set(catalog.names("adapters")), driver
        assert cards or driver == "igb"  # for none of the catalogue's


def test_a_queue_driver_is_not_for_another_adapter(tmp_path, monkeypatch):
    """Only if models/ has both."""
    catalog.check_adapter("adapters/82599", "queue-drivers/ixgbe-3.16")
    catalog.check_adapter("", "queue-drivers/mlx5")
    with pytest.raises(ScenarioError) as error:
        catalog.check_adapter("adapters/82574", "queue-drivers/mlx5")
    assert str(error.value) == '"mlx5" is not a driver for 82574, only for connectx-5, connectx-4-lx; allowed: e1000e'
    for file, text in {
        "adapters/own-adapter": 'base = "82574"',
        "queue-drivers/own-driver": 'base = "mlx5"\ncards = ["connectx-5"]',
    }.items():
        (tmp_path / file).parent.mkdir()
        (tmp_path / f"{file}.toml").write_text(text)
    monkeypatch.setenv(catalog.MODELS, str(tmp_path))
    catalog.check_adapter("adapters/own-adapter", "queue-drivers/mlx5")
    with pytest.raises(ScenarioError, match=r"allowed: any of models/, or own-adapter among the `cards` of .*own-driv"):
        catalog.check_adapter("adapters/own-adapter", "queue-drivers/own-driver")
    catalog.check_adapter("adapters/connectx-5", "queue-drivers/own-driver")
