"""What is told of changes below folders, and that the system's watches are given back."""

import pytest

from service.adapters.folder_watch import changes
from tests.support.waiting import until_async
from tests.support.watches import watches

pytestmark = pytest.mark.anyio


async def test_changes_are_told_below_the_folders_that_are_asked_for(tmp_path):
    for name in ("ada", "bob"):
        (tmp_path / name).mkdir()
    found = changes(tmp_path, within=("ada",))
    while await anext(found):  # it watches
        pass

    (tmp_path / "bob" / "MEMORY.md").write_text("- the boat")
    (tmp_path / "ada" / "MEMORY.md").write_text("- the boat")

    assert await anext(found) == {("ada", "MEMORY.md")}
    await found.aclose()


async def test_of_folders_that_are_not_there_nothing_is_told(tmp_path):
    assert [one async for one in changes(tmp_path, within=("ada",))] == []


async def test_the_watches_of_a_failure_that_is_kept_are_given_back(tmp_path):
    """Broken: they are given back with the last reference, which the failure's traceback has."""
    (tmp_path / "ada").mkdir()
    found = changes(tmp_path, within=("ada",))
    await anext(found)
    assert watches(tmp_path) > 0

    with pytest.raises(ZeroDivisionError) as kept:
        await found.athrow(ZeroDivisionError())

    await until_async(lambda: watches(tmp_path) == 0)
    del kept


async def test_the_watches_of_who_stops_waiting_are_given_back(tmp_path):
    (tmp_path / "ada").mkdir()
    found = changes(tmp_path, within=("ada",))
    await anext(found)

    await found.aclose()

    await until_async(lambda: watches(tmp_path) == 0)
