"""One value of a TOML file replaced in place: comments, order and every other byte stay as they are."""

from __future__ import annotations

from collections.abc import Iterator

import tomlkit
from tomlkit.container import OutOfOrderTableProxy
from tomlkit.items import Table
from tomlkit.toml_document import TOMLDocument

from netsim.errors import ScenarioError, nearest


def replace_value(text: str, address: str, value: str) -> str:
    """`text` with the TOML `value` at an existing dotted address.

    Raises ScenarioError with the nearest address if it does not exist.
    """
    document = tomlkit.parse(text)
    places = dict(_places(document))
    if address not in places:
        raise ScenarioError(f"no such value in the file{nearest(address, places)}", address=address)
    places[address][address.rpartition(".")[2]] = tomlkit.value(value)
    return document.as_string()


Tables = TOMLDocument | Table | OutOfOrderTableProxy  # the last: a table in separate parts of the file


def _places(table: Tables, before: str = "") -> Iterator[tuple[str, Tables]]:
    """The address of each value, and the table that contains it."""
    for key, item in table.items():
        if isinstance(item, Table | OutOfOrderTableProxy):
            yield from _places(item, f"{before}{key}.")
        else:
            yield f"{before}{key}", table
