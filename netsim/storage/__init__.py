"""Disks, arrays of them, their controller, and the file cache in front of them."""

from netsim.storage.cache import FileCache
from netsim.storage.cache_spec import BlockDevice, FileCacheSpec
from netsim.storage.controller import Command, Controller
from netsim.storage.controller_spec import ControllerSpec, DiskDriverSpec, StorageSpec
from netsim.storage.disk import Disk
from netsim.storage.disk_spec import DiskSpec
from netsim.storage.raid import Piece, RaidAccess, merged
from netsim.storage.raid_spec import RaidSpec

__all__ = [
    "BlockDevice",
    "Command",
    "Controller",
    "ControllerSpec",
    "Disk",
    "DiskDriverSpec",
    "DiskSpec",
    "FileCache",
    "FileCacheSpec",
    "Piece",
    "RaidAccess",
    "RaidSpec",
    "StorageSpec",
    "merged",
]
