"""A mind is brought from a home on files into one in PostgreSQL, and back, whole."""

import json
import zipfile

import pytest

from tests.support.cli_process import call
from tests.support.service_process import serving
from tests.support.waiting import until

STORY = "# Ada\n\n### [2026-01-09 10:00] Moving\n\nInes moved to Lyon, and I wrote it down.\n"
SOUL = "I am quiet and curious.\n"
NOTE = "# Friday\n\nThe bakery closes on Mondays.\n"


@pytest.fixture
def on_files(graph_server):
    return {"FALKORDB_URL": graph_server.url, "MIND_MEMORY_GRAPH_PREFIX": "files_"}


@pytest.fixture
def in_database(graph_server, database_url):
    return {"FALKORDB_URL": graph_server.url, "MIND_MEMORY_GRAPH_PREFIX": "rows_", "MIND_MEMORY_DATABASE": database_url}


def done(*words, **env):
    result = call(*words, **env)
    assert result.exit_code == 0, result.output
    return result.stdout


def filled(folder, env):
    """A mind with turns, one of which is erased, a story, a person's files and what became of a memory."""
    with serving(folder, **env) as service:
        for number, said in enumerate(("My sister Ines moved to Lyon.", "Forget this.", "The cat is called Juno.")):
            service.keep("ada", said, turn_id=f"t{number}")
        (folder / "minds/ada/SOUL.md").write_text(SOUL)
        (folder / "minds/ada/memory").mkdir(exist_ok=True)
        (folder / "minds/ada/memory/2026-01-09.md").write_text(NOTE)
        etag = service.http.get("/v1/minds/ada/story").headers["etag"]
        put = service.http.put("/v1/minds/ada/story", json={"text": STORY}, headers={"If-Match": etag})
        put.raise_for_status()
        service.http.delete("/v1/minds/ada/turns/t1").raise_for_status()
        asked = {"session_id": "s2", "messages": [{"role": "user", "content": "Where does my sister Ines live?"}]}
        until(lambda: service.http.post("/v1/minds/ada/resonance", json=asked).json()["surfaced"])


def told(service):
    """What a caller finds of the mind."""
    turns = service.http.get("/v1/minds/ada/turns?after=0").raise_for_status().json()
    journal = "/v1/minds/ada/journal/search?query=When does the bakery close?"
    return {
        "turns": [(one["turn_id"], one["sequence"], one["messages"][0]["content"]) for one in turns["items"]],
        "story": service.http.get("/v1/minds/ada/story").json()["text"],
        "journal": until(lambda: service.http.get(journal).json()["results"])[0]["path"],
        "traces": [one["trace_id"] for one in service.http.get("/v1/minds/ada/traces").json()["traces"]],
        "erased": service.http.post(
            "/v1/minds/ada/turns",
            json={"session_id": "s1", "turn_id": "t1", "messages": [{"role": "user", "content": "Forget this."}]},
        ).status_code,
    }


def members(archive):
    """What is in an archive, but for the note of when and by whom it was made."""
    with zipfile.ZipFile(archive) as found:
        return {name: found.read(name) for name in found.namelist() if name not in {"manifest.json", "README.txt"}}


def test_a_mind_moves_into_a_database_and_back_whole(tmp_path, on_files, in_database):
    there, back = tmp_path / "there.zip", tmp_path / "back.zip"
    filled(tmp_path / "files", on_files)
    with serving(tmp_path / "files", **on_files) as service:
        before = told(service)

    done("export", "--mind", "ada", "--output", there, "--home", tmp_path / "files", **on_files)
    done("import", there, "--home", tmp_path / "copies", **in_database)
    with serving(tmp_path / "other", **in_database) as service:
        inside = told(service)
        service.keep("ada", "I live in a database now.", turn_id="t9")
    done("export", "--mind", "ada", "--output", back, "--home", tmp_path / "third", **in_database)
    again = {**on_files, "MIND_MEMORY_GRAPH_PREFIX": "again_"}
    done("import", back, "--home", tmp_path / "again", **again)
    with serving(tmp_path / "again", **again) as service:
        after = told(service)

    assert inside == before
    assert after["turns"] == [*before["turns"], ("t9", before["turns"][-1][1] + 1, "I live in a database now.")]
    assert after | {"turns": 0} == before | {"turns": 0}
    assert (tmp_path / "again/minds/ada/SOUL.md").read_text() == SOUL
    assert (tmp_path / "again/minds/ada/memory/2026-01-09.md").read_text() == NOTE
    missing = sorted(set(members(there)) - set(members(back)))
    assert missing == [], json.dumps(missing)
