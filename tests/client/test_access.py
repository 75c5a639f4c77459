"""Who may call, from Python: a session begun, looked at and ended; keys, the audit log and settings."""

import pytest

from mind_memory_client import AsyncMemoryClient, Unauthenticated
from tests.support.api_keys import id_of, make_key
from tests.support.service import running

pytestmark = pytest.mark.anyio


async def test_a_session_is_begun_used_and_ended(tmp_path):
    key = make_key(tmp_path)
    async with running(tmp_path) as service, service.client() as http:
        by_key = AsyncMemoryClient("http://localhost", key=key, http=http)
        link = await by_key.console_link()
        session = await by_key.begin_session(ticket=link.ticket)
        memory = AsyncMemoryClient("http://localhost", key=session.token, http=http)
        standing = await memory.whose_access()
        [listed] = (await memory.keys()).keys
        [line] = (await memory.audit(limit=1)).items
        settings = {one.name: one for one in (await memory.service_settings()).settings}
        await memory.end_session()
        with pytest.raises(Unauthenticated):
            await memory.whose_access()
        await by_key.revoke_key(id_of(key))
        with pytest.raises(Unauthenticated):
            await by_key.keys()

    assert link.url.endswith(f"/console/#t={link.ticket}")
    assert (standing.name, standing.access, standing.key_id) == ("a bot", "session", id_of(key))
    assert listed.id == id_of(key)
    assert (line.event, line.model_extra) == ("session.begun", {"session": session.token.split("_")[1]})
    assert settings["HOME"].value == str(tmp_path)
