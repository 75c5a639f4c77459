"""A graph and full text that hold another turn than the transcript does: both go back, and read the transcript's."""

import shutil

import pytest

from service.ingest.agreement import graph_parts_at
from service.ports.graph import episode_uuid
from service.ports.shared_home import SOLE
from tests.support.earlier_embedder import Earlier
from tests.support.embedded_graph import column
from tests.support.service import running
from tests.support.write_path import write_path

pytestmark = pytest.mark.anyio

SAID = [f"Ada met Bruno in the year 19{number}." for number in range(10, 16)]
THEIRS, OURS = "Zoe called Yves in Xanten.", "Carla called Dora in Lyon."


async def lived(home, *turns, **opened):
    """A mind that was told these turns (ids, sessions, words), and digested them."""
    async with running(home, **opened) as service:
        for turn_id, session_id, said in turns:
            await service.keep("ada", said, "Noted.", session_id=session_id, turn_id=turn_id)
        await service.digested("ada")


async def test_a_turn_whose_sequence_was_given_to_another_is_gone_and_the_other_is_there_once(tmp_path):
    before = [(f"t{number}", "s1", said) for number, said in enumerate(SAID, start=1)]
    await lived(tmp_path / "here", *before, ("x7", "s1", THEIRS))
    await lived(tmp_path / "there", *before, ("y7", "s2", OURS), ("y8", "s2", "Dora left."))
    transcripts = [tmp_path / home / "minds" / "ada" / "transcript" for home in ("here", "there")]
    shutil.rmtree(transcripts[0])
    shutil.copytree(transcripts[1], transcripts[0])

    async with running(tmp_path / "here") as service:
        await service.keep("ada", "What is new?", "Nothing.", session_id="s3", turn_id="y9")
        await service.digested("ada")
        mind = await service.memory.minds.find("ada")
        progress = await mind.graph.progress()
        content = await column(service, "ada", "MATCH (n:Episodic) RETURN n.content")
        uuids = await column(service, "ada", "MATCH (n:Episodic) RETURN n.uuid ORDER BY n.uuid")
        facts = await column(service, "ada", "MATCH ()-[e:RELATES_TO]->() RETURN e.fact")
        names = await column(service, "ada", "MATCH (n:Entity) RETURN n.name + n.summary")
        words = mind.text.read(lambda database: database.execute("SELECT * FROM turn_words").fetchall())
        known = mind.text.read(lambda database: database.execute("SELECT text FROM facts").fetchall())
        named = mind.text.read(lambda database: database.execute("SELECT name, summary FROM entities").fetchall())
        indexed = mind.text.episodes_until(99, limit=99)
        surfaced = (await service.resonate("ada", "Whom did Carla call?", session_id="s9")).json()
        remains = await service.memory.graphs.erasable("ada").remains([episode_uuid("ada", "x7")], forms=["Zoe"])

    everything = str([content, facts, names, words, known, named]).lower()
    assert (progress.saved, progress.saved_turn, progress.extracted_turn) == (9, "y9", "y9")
    assert uuids == sorted(episode_uuid("ada", one) for one in ("t1", "t2", "t3", "t4", "t5", "t6", "y7", "y8", "y9"))
    assert [uuid for _, uuid in reversed(indexed)] == [
        episode_uuid("ada", one) for one in (*(f"t{number}" for number in range(1, 7)), "y7", "y8", "y9")
    ]
    assert sum("Carla called Dora" in one for one in content) == 1
    assert not [word for word in ("zoe", "yves", "xanten") if word in everything]
    assert remains == 0
    assert any("Carla" in one["raw"] for one in surfaced["flashbacks"])


async def test_what_the_graph_tells_behind_the_end_of_a_copy_that_was_put_back_is_gone(tmp_path):
    """Broken: what the transcript lacks says nothing, so that memories without a source surface."""
    mind, copy = tmp_path / "here" / "minds" / "ada", tmp_path / "copy"
    await lived(tmp_path / "here", *((f"t{number}", "s1", said) for number, said in enumerate(SAID, start=1)))
    shutil.copytree(mind, copy)
    await lived(tmp_path / "here", ("x7", "s1", THEIRS), ("x8", "s1", "Yves left Xanten."))
    shutil.rmtree(mind)
    shutil.copytree(copy, mind)

    async with running(tmp_path / "here") as service:
        await service.keep("ada", "What is new?", "Nothing.", session_id="s3", turn_id="y7")
        await service.until("ada", lambda status: status["graph"]["saved"] == status["last_sequence"])
        await service.digested("ada")
        found = (await service.http.get("/v1/minds/ada/remember", params={"query": "Whom did Zoe call?"})).json()
        uuids = await column(service, "ada", "MATCH (n:Episodic) RETURN n.uuid")
        names = await column(service, "ada", "MATCH (n:Entity) RETURN n.name")

    known = {episode_uuid("ada", one): one for one in (*(f"t{n}" for n in range(1, 7)), "x7", "x8", "y7")}
    assert sorted(known[one] for one in uuids) == ["t1", "t2", "t3", "t4", "t5", "t6", "y7"]
    assert not {"Zoe", "Yves", "Xanten"} & set(names)
    assert all(one["sources"] for one in found["memories"])


async def test_what_the_graph_tells_of_a_turn_whose_line_is_damaged_stays(tmp_path):
    """Broken: a damaged line at the end counts as the end of an older copy, and the last trace of its turn goes."""
    await lived(tmp_path, *((f"t{number}", "s1", said) for number, said in enumerate((*SAID[:2], THEIRS), start=1)))
    [file] = (tmp_path / "minds/ada/transcript").glob("*.jsonl")
    file.write_bytes(file.read_bytes().replace(b"Xanten", b"Xantem"))

    async with running(tmp_path) as service:
        status = await service.status("ada")
        mind = await service.memory.minds.find("ada")
        parts_at = await graph_parts_at(mind, await mind.graph.progress(), custody=SOLE)
        await service.keep("ada", "What is new?", "Nothing.", session_id="s3", turn_id="t4")
        await service.until("ada", lambda status: status["graph"]["saved"] == status["last_sequence"])
        names = await column(service, "ada", "MATCH (n:Entity) RETURN n.name")

    assert len(status["damaged"]) == 1 and parts_at is None
    assert {"Yves", "Xanten"} <= set(names)


async def test_turns_that_another_version_embedded_are_gone_as_well(tmp_path):
    """Broken: embedding the graph anew drops the passages, by which it would go back, before it goes back."""
    before = [(f"t{number}", "s1", said) for number, said in enumerate(SAID[:2], start=1)]
    theirs = [("x3", "s1", THEIRS), ("x4", "s1", "Yves wrote to Xaver.")]
    await lived(tmp_path / "here", *before, *theirs, embedder=Earlier())
    await lived(tmp_path / "there", *before, ("y3", "s2", OURS), ("y4", "s2", "Dora left."))
    transcripts = [tmp_path / home / "minds" / "ada" / "transcript" for home in ("here", "there")]
    shutil.rmtree(transcripts[0])
    shutil.copytree(transcripts[1], transcripts[0])

    async with running(tmp_path / "here") as service:
        await service.keep("ada", "What is new?", "Nothing.", session_id="s3", turn_id="y5")
        await service.digested("ada")
        uuids = await column(service, "ada", "MATCH (n:Episodic) RETURN n.uuid")
        erasable = service.memory.graphs.erasable("ada")
        remains = await erasable.remains([episode_uuid("ada", one) for one, *_ in theirs], forms=["Yves", "Xaver"])

    assert sorted(uuids) == sorted(episode_uuid("ada", one) for one in ("t1", "t2", "y3", "y4", "y5"))
    assert remains == 0


async def test_a_lane_of_a_mind_whose_transcript_agrees_takes_nothing_back(tmp_path):
    async with write_path(tmp_path) as path:
        mind = await path.store("ada", *SAID)
        path.ingestion.wake(mind)
        await path.until_extracted(mind)
        went = []
        mind.graph.go_back = went.append
        await mind.transcript.erase([6], session_id=None)  # the cursors stand on it
        for lane in path.ingestion.lanes:
            await lane.step(mind)

    assert went == []
