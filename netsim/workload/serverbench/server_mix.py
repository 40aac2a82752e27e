"""The requests of ServerBench's clients: five types of transactions, and how often each occurs."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from netsim.errors import ScenarioError
from netsim.spec import Spec
from netsim.units import Bytes, Cycles, MessageBytes, NonNegativeCount, Ratio, total

CLIENT_SERVER, PROCESSOR, SERVER_CLIENT = "client/server", "processor", "server/client"
RANDOM_READ, RANDOM_WRITE = "random read", "random write"


class TransactionSpec(Spec):
    """One type of transaction, requested `weight` times as often as one of weight 1: a message of `request` bytes, a
    reply of `reply` bytes, and in between `cycles` of the server's application and `records` records of `record` bytes,
    anywhere in the client's data segment. The cycles are constant, or "exponential" with that mean."""

    weight: Ratio
    request: MessageBytes
    reply: MessageBytes
    cycles: Cycles
    records: NonNegativeCount = 0
    record: Bytes = 0
    length: Literal["fixed", "exponential"] = "fixed"

    @model_validator(mode="after")
    def _recorded(self) -> Self:
        """Records have bytes."""
        if self.records and not self.record:
            raise ScenarioError("0 bytes are not a record; allowed: 1 or more", address="record")
        return self


class ServerMixSpec(Spec):
    """The five types of transactions. A client spends `client_cycles` between a transaction's reply and its next
    request."""

    catalogue = "server-mixes"

    client_server: TransactionSpec
    processor: TransactionSpec
    server_client: TransactionSpec
    random_read: TransactionSpec
    random_write: TransactionSpec
    client_cycles: Cycles

    @model_validator(mode="after")
    def _asked_for(self) -> Self:
        """At least one type is requested."""
        if not self.kinds:
            text = "all weights are 0, so nothing is requested; allowed: at least one above 0"
            raise ScenarioError(text, address="client_server.weight")
        return self

    @property
    def kinds(self) -> dict[str, TransactionSpec]:
        """All requested types, by ServerBench's names."""
        named = {
            CLIENT_SERVER: self.client_server,
            PROCESSOR: self.processor,
            SERVER_CLIENT: self.server_client,
            RANDOM_READ: self.random_read,
            RANDOM_WRITE: self.random_write,
        }
        return {name: one for name, one in named.items() if one.weight}

    @property
    def shares(self) -> dict[str, float]:
        """Each type's share of all transactions."""
        whole = total(one.weight for one in self.kinds.values())
        return {name: one.weight / whole for name, one in self.kinds.items()}
