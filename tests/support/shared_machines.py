"""A machine that shares a home in PostgreSQL with others, without a service: its copies, and what it writes."""

from __future__ import annotations

from datetime import UTC, datetime

from consolidation.kernel.clock import FixedClock
from consolidation.kernel.files import append_line, replace_text
from consolidation.kernel.turns import Message, Speaker, Turn
from consolidation.transcript.log import Transcript
from consolidation.workspace import workspace_of
from service.adapters.postgres.custody import PostgresCustody
from service.adapters.postgres.shared_home import PostgresHome

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)
MIND = "ada"


class Machine:
    """One machine: its folder, its copy of the minds, and its claims."""

    def __init__(self, database, folder, *, is_told=False, snapshot=None):
        folder.mkdir()
        self.custody = PostgresCustody(database)
        self.custody.renew()
        self.refusals = []
        self.shared = PostgresHome(
            database,
            home=folder,
            custody=self.custody,
            refused=self.refusals.append,
            is_told=is_told,
            snapshot=snapshot,
        )
        self.home = folder
        self.workspace = workspace_of(folder, MIND)

    def bring_up(self, mind_id=MIND):
        return self.shared.bring_up(mind_id, seconds=5)

    def write(self, name, text):
        file = self.workspace.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_text(file, text)

    def append(self, name, line):
        self.workspace.folder.mkdir(parents=True, exist_ok=True)
        return append_line(self.workspace.folder / name, line)

    def read(self, name):
        self.bring_up()
        file = self.workspace.folder / name
        return file.read_text() if file.exists() else None

    def keep(self, *turn_ids, content="I said something.", mind_id=MIND, as_seen=()):
        turns = [(Turn(one, "s1", (Message(Speaker.USER, content),)), 3) for one in turn_ids]
        return self.shared.turns_of(mind_id).append(turns, at=NOON, as_seen=frozenset(as_seen))

    async def transcript(self):
        self.bring_up()
        shared = self.shared.turns_of(MIND)
        return await Transcript(self.workspace.transcript, clock=FixedClock(NOON), shared=shared).open()
