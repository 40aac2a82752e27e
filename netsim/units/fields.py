"""The types of a spec's fields: a quantity, read and written with its unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import GetCoreSchemaHandler, SerializationInfo
from pydantic_core import CoreSchema, core_schema

from netsim.units.exact import Exact
from netsim.units.quantities import QUANTITIES
from netsim.units.reading import parse
from netsim.units.swept import Swept
from netsim.units.writing import text


@dataclass(frozen=True)
class Quantity:
    """Marks a spec's field as a quantity: `gap: Annotated[int, Quantity("time")]`."""

    name: str

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Read with `parse`; written as text with a unit (or a bare number if it has none) in JSON and TOML, otherwise
        as a number that can be read again."""
        written = core_schema.plain_serializer_function_ser_schema(self.written, info_arg=True)
        return core_schema.no_info_plain_validator_function(self.read, serialization=written)

    def read(self, value: object) -> int | float | Swept:
        return value if isinstance(value, Swept) else parse(self.name, value)

    def written(self, value: float, how: SerializationInfo) -> str | float:
        if how.mode == "json":
            return text(self.name, value) if QUANTITIES[self.name].units else value
        return Exact(value) if type(value) is int else value


Time = Annotated[int, Quantity("time")]
BurstTime = Annotated[int, Quantity("burst_time")]
PositiveTime = Annotated[int, Quantity("positive_time")]
Frequency = Annotated[int, Quantity("frequency")]
Bytes = Annotated[int, Quantity("bytes")]
PositiveBytes = Annotated[int, Quantity("positive_bytes")]
BitRate = Annotated[int, Quantity("bit_rate")]
ByteRate = Annotated[int, Quantity("byte_rate")]
Cycles = Annotated[float, Quantity("cycles")]
UnitCycles = Annotated[float, Quantity("unit_cycles")]
Count = Annotated[int, Quantity("count")]
NonNegativeCount = Annotated[int, Quantity("non_negative_count")]
Clocks = Annotated[int, Quantity("clocks")]
LatencyTimer = Annotated[int, Quantity("latency_timer")]
RetryClocks = Annotated[int, Quantity("retry_clocks")]
Fraction = Annotated[float, Quantity("fraction")]
ClockTolerance = Annotated[float, Quantity("clock_tolerance")]
Ratio = Annotated[float, Quantity("ratio")]
MessageBytes = Annotated[int, Quantity("message_bytes")]
FrameSize = Annotated[int, Quantity("frame")]
TransferBytes = Annotated[int, Quantity("transfer_bytes")]
Buffer = Annotated[int, Quantity("buffer")]
PositiveBuffer = Annotated[int, Quantity("positive_buffer")]
Descriptor = Annotated[int, Quantity("descriptor")]
PositiveDescriptor = Annotated[int, Quantity("positive_descriptor")]
Header = Annotated[int, Quantity("header")]
PositiveHeader = Annotated[int, Quantity("positive_header")]
Width = Annotated[int, Quantity("width")]
Mtu = Annotated[int, Quantity("mtu")]
Parts = Annotated[int, Quantity("parts")]
Irq = Annotated[int, Quantity("irq")]
Ring = Annotated[int, Quantity("ring")]
Period = Annotated[int, Quantity("period")]
Interval = Annotated[int, Quantity("interval")]
