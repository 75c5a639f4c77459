"""An erasure ends, whatever can not be read or fails meanwhile."""

import os

import pytest

from consolidation.kernel.errors import GraphUnavailable
from service.adapters.hashing_embedder import HashingEmbedder
from service.adapters.memory_graph.erasure import MemoryErasableGraph
from service.adapters.memory_graph.fence import Fence
from tests.e2e.test_bad_narrators import patient
from tests.e2e.test_erasure import OPEN, SECRET, STEMS, erase, holding, keep_all
from tests.support.permissions import without_rights_of_root
from tests.support.graphs_in_memory import ChangedGraphs
from tests.support.service import running
from tests.support.waiting import until_async

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("kind", ["file", "folder"])
async def test_what_can_not_be_read_is_named_and_the_erasure_ends(tmp_path, kind):
    """Broken: it is taken for an outage, and the erasure tries for ever."""
    private = tmp_path / "minds/ada/memory/private/diary.md"
    with without_rights_of_root():
        async with running(tmp_path) as service:
            for number, said in enumerate((OPEN[0], SECRET)):
                await service.keep("ada", said, turn_id=f"turn-of-{number}")
            await service.digested("ada")
            private.parent.mkdir(parents=True)
            private.write_text("Nobody reads this.")
            private.chmod(0) if kind == "file" else private.parent.chmod(0o600)
            seen = (await service.http.delete("/v1/minds/ada/turns/turn-of-1?dry_run=true")).json()
            receipt = await erase(service, "ada/turns/turn-of-1")
    private.parent.chmod(0o700)

    assert seen["left"] == receipt["left"] == ["memory/private/diary.md"] and receipt["verified"]
    assert holding(tmp_path, *STEMS) == []


@pytest.mark.parametrize("path", ["ada/turns/turn-of-1", "ada"])
async def test_files_and_chapters_that_are_not_utf_8_are_named_in_the_preview_and_the_receipt(tmp_path, path):
    """Broken: their names are answered as they are, which no JSON can carry: 500, and nobody has the receipt."""
    strange = [
        os.fsencode(tmp_path / "minds/ada") + name for name in (b"/memory/caf\xe9.md", b"/story-history/\xe9.md")
    ]
    story = tmp_path / "minds/ada/STORY.md"
    async with running(tmp_path, settings=patient(tmp_path, {})) as service:
        await keep_all(service)
        for file in strange:
            os.makedirs(os.path.dirname(file), exist_ok=True)
            with open(file, "wb") as to:
                to.write(b"Ask Zerlina about Xanadupolis.")
        story.write_bytes(story.read_bytes().replace(b"My brother", b"My caf\xe9 brother", 1))
        seen = (await service.http.delete(f"/v1/minds/{path}?dry_run=true")).json()
        receipt = await erase(service, path)
        [kept] = (await service.http.get("/v1/erasures")).json()["items"]

    named = (receipt["left"], receipt["found"]) if path != "ada" else (receipt["peoples_files"], [])
    assert "memory/caf\ufffd.md" in seen["files"] and "memory/caf\ufffd.md" in named[0]
    assert any("My caf\ufffd brother" in one["heading"] for one in seen["chapters"])
    assert kept["found"] == named[1] and ("story-history/\ufffd.md" in named[1]) is (path != "ada")


class FailingSearches(ChangedGraphs):
    """Graphs in memory whose first searches fail as *faults* say; what is asked of the one that is erased is noted."""

    def __init__(self, *faults):
        self.faults = list(faults)
        self.asked = []

    def erasable(self, mind_id):
        failing = self

        class Erasable(MemoryErasableGraph):
            async def forget(self, episodes, tainted, /):
                failing.asked.append("forget")
                return await super().forget(episodes, tainted)

            async def rewrite_files(self):
                failing.asked.append("rewrite")
                return await super().rewrite_files()

            async def remains(self, episodes, /, *, forms):
                failing.asked.append("search")
                if failing.faults:
                    raise failing.faults.pop(0)
                return await super().remains(episodes, forms=forms)

        reach = self._graphs.reach
        return Erasable(reach, graph=self._graphs.of(mind_id), fence=Fence(reach, mind_id=mind_id, leases=None))


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (GraphUnavailable("it did not answer"), "GraphUnavailable: it did not answer"),
        (KeyError("rubies"), "KeyError: an unforeseen error; it is logged"),
    ],
)
async def test_an_erasure_goes_on_with_the_step_that_failed(tmp_path, fault, says):
    """
    Broken: each attempt erases from the graph again, and drops what full text knows of all others; what nobody foresaw
    ends it, and the mind's work is held for ever.
    """
    graphs = FailingSearches(fault, fault, fault)
    async with running(tmp_path, graphs=graphs, embedder=HashingEmbedder()) as service:
        for number, said in enumerate((OPEN[0], SECRET)):
            await service.keep("ada", said, turn_id=f"turn-of-{number}")
        await service.digested("ada")
        waits = await erase(service, "ada/turns/turn-of-1", status=202)
        facts = (await service.http.get("/v1/minds/ada/facts")).json()["items"]
        await until_async(lambda: not (tmp_path / "erasing").exists())
        [receipt] = (await service.http.get("/v1/minds/ada/erasures")).json()["items"]
        await service.keep("ada", OPEN[1])
        await service.digested("ada")

    assert waits["waiting_for"] == says and receipt["verified"]
    assert len(facts) == 1 and OPEN[0] in facts[0]["text"]
    assert graphs.asked == ["forget", "rewrite", "search", "search", "search", "search"]


async def test_a_damaged_id_keeps_no_other_turn_from_being_erased(tmp_path):
    """Broken: the ids of all lines are read, the damaged ones too."""
    async with running(tmp_path) as service:
        for number, said in enumerate((OPEN[0], SECRET)):
            await service.keep("ada", said, turn_id=f"turn-of-{number}", session_id=f"s{number}")
        await service.digested("ada")
    [file] = (tmp_path / "minds/ada/transcript").glob("*.jsonl")
    content = bytearray(file.read_bytes())
    content[content.index(b"turn-of-0")] ^= 0x80
    file.write_bytes(content)
    async with running(tmp_path) as service:
        receipt = await erase(service, "ada/turns/turn-of-1")
        await service.keep("ada", OPEN[1])
        await service.digested("ada")

    assert receipt["verified"] and holding(tmp_path, *STEMS) == []
