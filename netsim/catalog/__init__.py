"""models/ by name, with the provenance of every number."""

from netsim.catalog.fitting import cards_of, check_adapter, check_card, check_system, drivers_of, systems_of
from netsim.catalog.models import (
    MODELS,
    NOTES,
    add_models,
    categories,
    describe,
    file_of,
    load,
    models_path,
    names,
    notes,
    own_folders,
    path,
    read,
    unsourced,
)
from netsim.catalog.overlay import Overlay, overlay
from netsim.catalog.provenance import UNSOURCED, Provenance, Sourced, split
from netsim.catalog.toml_file import Table, read_toml

__all__ = [
    "MODELS",
    "NOTES",
    "UNSOURCED",
    "Overlay",
    "Provenance",
    "Sourced",
    "Table",
    "add_models",
    "cards_of",
    "categories",
    "check_adapter",
    "check_card",
    "check_system",
    "describe",
    "drivers_of",
    "file_of",
    "load",
    "models_path",
    "names",
    "notes",
    "overlay",
    "own_folders",
    "path",
    "read",
    "read_toml",
    "split",
    "systems_of",
    "unsourced",
]
