"""Who looks on at a table: its spectators, announced to everybody there.

Nothing depends on them, so they are in no log. Each server knows its own; where several share a database,
they notify each other, and forget those of a server that is dead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec import Struct

from lynxden.server import protocol
from lynxden.server.live.clock import Timer
from lynxden.server.live.context import Context
from lynxden.server.live.viewer import Viewer
from lynxden.server.store.core import StoreUnavailable, Tx

SHOWN = 20
"""How many spectators are sent by name."""
WAIT = 1.0
"""Seconds from one message to the next: quick coming and going makes no more messages than that."""
WATCHERS = "watchers"
"""In messages between servers: after a table's id, who looks on there; or the question, who does."""
ASK = "?"


class Crowd(Struct, frozen=True, array_like=True):
    """The spectators that one server knows of."""

    count: int = 0
    names: dict[str, str] = {}
    """Of the first of them, by the person's id."""


class Audience:
    """The spectators of one table."""

    def __init__(
        self,
        context: Context,
        table: str,
        viewers: Mapping[Viewer, int | None],
        sits: Callable[[str], bool],
    ) -> None:
        self._context = context
        self._table = table
        self._viewers = viewers
        """Everybody who watches from here, with their seats; None for spectators."""
        self._sits = sits
        """Whether a guest sits at the table: the board that they show there is no spectator."""
        self._nobody = self._message(Crowd())
        self._sent: dict[Viewer, bytes] = {}
        """What each viewer was sent last; nothing as long as there was nobody."""
        self._elsewhere: dict[str, Crowd] = {}
        """At other servers."""
        self._announced: Crowd | None = Crowd()
        """What other servers were sent by this one; None if that is not known."""
        self._asked = False
        """Other servers know that this one wants to receive theirs."""
        self._timer: Timer | None = None
        self._at = 0.0
        """When it was sent last."""

    # --- Here -----------------------------------------------------------------------------------------

    def came(self, viewer: Viewer, seat: int | None) -> None:
        """Somebody looks at the table. They are sent the list at once, the others soon."""
        data = self._message(self._everywhere())
        if data != self._nobody:
            self._sent[viewer] = data
            viewer.send(data)
        if seat is None or (self._context.shared and not self._asked):
            self.changed()

    def left(self, viewer: Viewer) -> None:
        self._sent.pop(viewer, None)
        self.changed()

    def changed(self) -> None:
        """Somebody looks on, or no longer does, or has another name or a seat: send it, but not too often."""
        if self._timer is None and not self._context.tasks.closing:
            clock = self._context.clock
            self._timer = clock.call_later(max(0.0, self._at + WAIT - clock.monotonic()), self._fire)

    def _fire(self) -> None:
        self._timer = None
        self._at = self._context.clock.monotonic()
        data = self._message(self._everywhere())
        for viewer in self._viewers:
            if self._sent.get(viewer, self._nobody) != data:
                self._sent[viewer] = data
                viewer.send(data)
        if self._context.shared:
            self._context.tasks.spawn(self._announce())

    def _here(self) -> Crowd:
        """Each person counts once, however many sockets they have."""
        people = {
            viewer.guest.id: viewer.guest.name
            for viewer, seat in self._viewers.items()
            if seat is None and not self._sits(viewer.guest.id)
        }
        return Crowd(len(people), dict(list(people.items())[:SHOWN]))

    def _everywhere(self) -> Crowd:
        here = self._here()
        names = dict(here.names)
        count = here.count
        for crowd in self._elsewhere.values():
            count += crowd.count - sum(guest in names for guest in crowd.names)
            names.update(crowd.names)
        return Crowd(count, names)

    def _message(self, crowd: Crowd) -> bytes:
        names = tuple(crowd.names.values())[:SHOWN]
        return protocol.encode(protocol.Watchers(self._table, names, crowd.count))

    # --- Other servers --------------------------------------------------------------------------------

    async def _announce(self) -> None:
        """Send the other servers what is new to them, and ask them once what they know."""
        here, start = self._here(), f"{self._table} {WATCHERS} {self._context.id}"
        texts = []
        if here != self._announced:
            texts.append(f"{start} {msgspec.json.encode(here).decode()}")
        if not self._asked and self._viewers:
            texts.append(f"{start} {ASK}")
            self._asked = True
        self._announced = here
        if texts:
            try:
                await self._context.store.write(_notify, texts)
            except StoreUnavailable:  # the next heartbeat tries again
                self._announced, self._asked = None, False

    def receive(self, text: str) -> None:
        """What a server said: who looks on there, or that it asks."""
        server, _, body = text.partition(" ")
        if server == self._context.id:
            return
        if body == ASK:
            if not self._here().count:
                return
            self._announced = None
        else:
            try:
                crowd = msgspec.json.decode(body, type=Crowd)
            except msgspec.DecodeError:  # a server of another version
                return
            self._elsewhere.pop(server, None)
            if crowd.count:
                self._elsewhere[server] = crowd
        self.changed()

    def keep(self, alive: set[str]) -> None:
        """At every heartbeat: nobody looks on at dead servers; and what could not be sent is sent now."""
        dead = self._elsewhere.keys() - alive
        for server in dead:
            del self._elsewhere[server]
        if dead or self._announced is None:
            self.changed()

    def missed(self) -> None:
        """Nothing was received from the other servers for a while: start over."""
        self._elsewhere.clear()
        self._announced, self._asked = None, False
        if self._viewers:
            self.changed()


def _notify(tx: Tx, texts: Sequence[str]) -> None:
    for text in texts:
        tx.notify(text)
