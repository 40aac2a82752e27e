"""A user's own machine: the output of its tools as one description; its faults, and changes that would help."""

from netsim.lazy import modules_of
from netsim.own_machine.importing import Imported, import_machine
from netsim.own_machine.machine_spec import ImportedMachine
from netsim.own_machine.texts import Unread

__all__ = ["Imported", "ImportedMachine", "Unread", "import_machine"]

__getattr__ = modules_of(__name__)
