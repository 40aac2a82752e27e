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
        ("linux-2.2.16", "3c905b", 'nics.0: "3c905b" names a card and no driver; write one of 3c905b/3c59x, '
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


def test_a_card_of_ones_own_goes_with_any_driver(tmp_path, monkeypatch):
    (tmp_path / "nics").mkdir()
    (tmp_path / "nics" / "own-card.toml").write_text('title = "Own"\nbase = "3c905b"\n')
    monkeypatch.setenv(catalog.MODELS, str(tmp_path))
    ns.host("piii-600", system="linux-2.2.16", nics="own-card/tulip")


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
