"""What a home in a database refuses at the start, each with what to set."""

from contextlib import AsyncExitStack

import pytest

from consolidation.kernel.errors import ConfigurationFault
from service.composition.shared_home import open_shared_home
from service.observability.counters import Tally
from service.observability.dependency_health import Dependencies
from service.settings.settings import Settings

pytestmark = pytest.mark.anyio
SHARED = {"database": "postgresql://ada@127.0.0.1:1/memory", "falkordb_url": "redis://127.0.0.1:1"}


async def opened(home, **more):
    async with AsyncExitStack() as stack:
        return await open_shared_home(
            Settings(home=home, **more), stack, dependencies=Dependencies(monotonic=lambda: 0.0), tally=Tally()
        )


async def test_without_a_database_a_home_is_of_this_machine_alone(tmp_path):
    assert await opened(tmp_path) is None


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"falkordb_url": None}, "set FALKORDB_URL"),
        ({"workers": 2}, "instead of MIND_MEMORY_WORKERS"),
        ({"database": "nowhere"}, "postgresql://"),
    ],
    ids=["an embedded graph", "workers", "no address"],
)
async def test_what_it_can_not_do_is_refused(tmp_path, changed, words):
    with pytest.raises(ConfigurationFault, match=words):
        await opened(tmp_path, **SHARED | changed)


async def test_a_folder_with_minds_of_its_own_is_not_taken_for_copies(tmp_path, database_url):
    (tmp_path / "minds" / "ada" / "transcript").mkdir(parents=True)

    with pytest.raises(ConfigurationFault, match="holds minds of its own"):
        await opened(tmp_path, **SHARED | {"database": database_url})

    assert (tmp_path / "minds" / "ada").exists()


async def test_copies_that_an_earlier_process_left_are_deleted(tmp_path, database_url):
    await opened(tmp_path, **SHARED | {"database": database_url})
    (tmp_path / "minds" / "ada" / "transcript").mkdir(parents=True)

    assert await opened(tmp_path, **SHARED | {"database": database_url}) is not None

    assert not (tmp_path / "minds").exists()
