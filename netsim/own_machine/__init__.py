"""A user's own machine: what its tools say of it, as one description; what is wrong with it, and what would help."""

from netsim.own_machine.importing import Imported, import_machine
from netsim.own_machine.machine_spec import ImportedMachine
from netsim.own_machine.texts import Unread

__all__ = ["Imported", "ImportedMachine", "Unread", "import_machine"]
