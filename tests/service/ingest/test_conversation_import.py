"""Files of conversations that are read at once are counted, those that are only looked into too."""

import threading
from zoneinfo import ZoneInfo

import anyio
import pytest

from consolidation.kernel.clock import SystemClock
from consolidation.kernel.errors import RateLimited
from service.ingest.conversation_import import ConversationImports

pytestmark = pytest.mark.anyio

CHAT = b"28/01/2026, 13:45 - Ada: I like tea.\n28/01/2026, 13:46 - Bob: Green or black?\n"


class Waiting(ZoneInfo):
    """A zone whose times are known once somebody lets them: so long, a file that names no zone is being read."""

    let = threading.Event()

    def utcoffset(self, at):
        self.let.wait(60)
        return super().utcoffset(at)


async def test_files_that_are_only_looked_into_count_as_imports_under_way(tmp_path):
    imports = ConversationImports(
        tmp_path,
        minds=None,
        intake=None,
        background=None,
        clock=SystemClock(),
        privacy_filter=None,
        most_bytes=10_000,
        most_unpacked_bytes=10_000,
        owns=lambda _: False,
    )
    surveys, refused = [], []

    zone = Waiting("Europe/Paris")

    async def look():
        try:
            surveys.append(
                await imports.survey("ada", body(), filename="_chat.txt", checked=lambda turn: turn, zone=zone)
            )
        except RateLimited as fault:
            refused.append(fault)
            if len(refused) == 4:
                Waiting.let.set()

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for _ in range(12):
                group.start_soon(look)

    assert [one.turns for one in surveys] == [1] * 8
    assert not list(tmp_path.iterdir())


async def body():
    yield CHAT
