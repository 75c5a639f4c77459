"""Whatever is wrong with an archive is said, and leaves nothing behind: no mind, no graph, no file."""

import base64
import io
import json
import stat
import struct
import warnings
import zipfile
import zlib

import numpy as np
import pytest

from tests.support.archives import exported, imported, manifest_of, members, rows_of, tell, with_rows, zipped
from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio

LIMITS = {"max_bytes": 20_000_000, "max_unpacked_bytes": 30_000_000}


@pytest.fixture(scope="module")
async def place(anyio_backend, tmp_path_factory):
    """A service that holds one mind, its home, and the mind's archive, taken apart."""
    home = tmp_path_factory.mktemp("home")
    async with running(home, settings=settings_of(home, archive=LIMITS)) as service:
        await tell(service)
        await service.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True})
        yield service, home, members(await exported(service))


def raw(name, content, **info):
    """A zip of one member more, its entry as it is told."""

    def make(held):
        made = io.BytesIO(zipped(held, manifest=manifest_of({**held, name: content})))
        with warnings.catch_warnings(), zipfile.ZipFile(made, "a") as archive:
            warnings.simplefilter("ignore")  # a name that stands there twice
            entry = zipfile.ZipInfo(name)
            for key, value in info.items():
                setattr(entry, key, value)
            archive.writestr(entry, content)
        return made.getvalue()

    return make


def told(**changed):
    return lambda held: zipped(held, manifest=manifest_of(held, **changed))


def member(name, change):
    """A member is another than the manifest says."""
    return lambda held: zipped({**held, name: change(held[name])}, manifest=manifest_of(held))


def row(kind, change):
    """The first row of a kind is changed."""

    def make(held):
        rows = rows_of(held)
        at = next(at for at, one in enumerate(rows) if kind in (one.get("node"), one.get("edge")))
        rows[at] = change(rows[at])
        return zipped(with_rows(held, rows))

    return make


def rows(change):
    return lambda held: zipped(with_rows(held, change(rows_of(held))))


def told_as(**properties):
    return lambda one: {**one, "properties": {**one["properties"], **properties}}


def vector(numbers):
    text = base64.b64encode(np.asarray(numbers, "<f4").tobytes()).decode()
    return lambda one: {**one, "vectors": dict.fromkeys(one["vectors"], text)}


def line(said, *, sealed=True):
    """A transcript of one line more, with the checksum it should have."""

    def make(held):
        name = next(name for name in held if name.startswith("transcript/"))
        body = json.dumps(said, separators=(",", ":")).encode()
        seal = b',"crc":"%08x"}\n' % zlib.crc32(body)
        return zipped({**held, name: held[name] + body[:-1] + seal})

    return make


def cut(archive):
    """A zip whose own directory claims to be endless."""
    at = archive.rindex(b"PK\x05\x06")
    return archive[: at + 12] + struct.pack("<L", 0x7FFFFFF0) + archive[at + 16 :]


def encrypted(held):
    """A zip that says of its last member, by one bit, that it is encrypted."""
    made = bytearray(raw("memory/x.md", b"x")(held))
    made[made.rindex(b"PK\x01\x02") + 8] |= 1
    return bytes(made)


def nested(held):
    name = next(name for name in held if name.startswith("transcript/"))
    body = b'{"sequence":99,"metadata":' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    seal = b',"crc":"%08x"}\n' % zlib.crc32(body)
    return zipped({**held, name: held[name] + body[:-1] + seal})


def without(held, *names):
    return {name: content for name, content in held.items() if name not in names}


TURN = {"sequence": 99, "turn_id": "t99", "session_id": "s", "accepted_at": "2026-01-01T00:00:00Z", "kind": "turn"}
TURN |= {"tokens": 1, "messages": [{"role": "user", "content": "x"}], "metadata": {}}
TOMBSTONE = {"salt": "00", "said": []}
ERASED = {"sequence": 99, "erased": "0" * 32, "session": "0" * 16, **TOMBSTONE}
LINK = (stat.S_IFLNK | 0o777) << 16

WRONG = {
    "empty": (lambda held: b"", "is empty"),
    "no zip": (lambda held: b"hello" * 100, "not a complete zip"),
    "JSON": (lambda held: b'{"format": "mind-memory archive"}', "not a complete zip"),
    "a zip cut in half": (lambda held: zipped(held)[: len(zipped(held)) // 2], "not a complete zip"),
    "a zip without its last byte": (lambda held: zipped(held)[:-1], "not a complete zip"),
    "an endless directory": (lambda held: cut(zipped(held)), "not a complete zip"),
    "a ChatGPT export": (raw("conversations.json", b"[]"), "a mind does not have such a file"),
    "no manifest": (lambda held: b"PK\x05\x06" + bytes(18), "has no manifest.json"),
    "manifest no JSON": (lambda held: zipped(held, manifest=b"{"), "is not JSON"),
    "manifest nested": (lambda held: zipped(held, manifest=b"[" * 200_000), "is not JSON"),
    "manifest too long": (lambda held: zipped(held, manifest=b" " * 9_000_000), "it is too long"),
    "manifest a list": (lambda held: zipped(held, manifest=b"[]"), "does not say that this is"),
    "another format": (told(format="tar"), "does not say that this is"),
    "a later version": (told(version=2), "another version of the format; this service reads version 1"),
    "version a text": (told(version="1"), "another version"),
    "no members": (told(members=None), "members"),
    "a member without a hash": (told(members=[{"name": "STORY.md", "bytes": 1}]), "sha256"),
    "a negative size": (told(members=[{"name": "STORY.md", "bytes": -1, "sha256": "0" * 64}]), "bytes"),
    "a naive time": (told(made_at="2026-01-01T00:00:00"), "made_at"),
    "an id that is none": (told(mind_id="../ada"), "a mind is called"),
    "dimension nought": (told(embedder={"name": "x", "dimension": 0}), "dimension"),
    "a member gone": (lambda held: zipped(without(held, "STORY.md"), manifest=manifest_of(held)), "is missing"),
    "a member nobody names": (lambda held: zipped({**held, "memory/x.md": b"x"}, manifest=manifest_of(held)), "the manifest does not name it"),
    "a member named twice": (lambda held: zipped(held, manifest=manifest_of(held, members=manifest_of(held)["members"] * 2)), "names it twice"),
    "a member there twice": (raw("SOUL.md", b"other"), "twice"),
    "another content": (member("STORY.md", lambda text: text[::-1]), "SHA-256"),
    "a longer content": (member("STORY.md", lambda text: text + b"x"), "longer than the manifest says"),
    "a shorter content": (member("STORY.md", lambda text: text[:-1]), "shorter than the manifest says"),
    "up and out": (raw("../evil.md", b"x"), "leads out"),
    "up and out below": (raw("memory/../../evil.md", b"x"), "leads out"),
    "from the root": (raw("/etc/passwd", b"x"), "leads out"),
    "with backslashes": (raw("memory\\..\\evil.md", b"x"), "characters that are not allowed"),
    "with a NUL": (lambda held: raw("memory/aXb.md", b"x")(held).replace(b"memory/aXb", b"memory/a\x00b"), None),
    "with a newline": (raw("memory/a\nb.md", b"x"), "characters that are not allowed"),
    "a name too long": (raw(f"memory/{'x' * 256}.md", b"x"), "too long"),
    "a path too long": (raw("memory/" + "x/" * 600 + "y.md", b"x"), "too long"),
    "a link": (raw("memory/link.md", b"/etc/passwd", external_attr=LINK), "is a link"),
    "a device": (raw("memory/tty", b"", external_attr=stat.S_IFCHR << 16), "not a regular file"),
    "encrypted": (encrypted, "encrypted"),
    "LZMA": (lambda held: zipped(held, way=zipfile.ZIP_LZMA), "compression is not supported"),
    "BZ2": (lambda held: zipped(held, way=zipfile.ZIP_BZIP2), "compression is not supported"),
    "a database of ours": (raw("derived/text.sqlite3", b"x"), "a mind does not have such a file"),
    "a mark of ours": (raw(".arriving", b"mind_bo"), "a mind does not have such a file"),
    "a lock": (raw("STORY.md.lock", b""), "a mind does not have such a file"),
    "a transcript in a folder": (raw("transcript/a/2026-01.jsonl", b""), "a mind does not have such a file"),
    "a folder that is a file": (lambda held: zipped({**held, "memory/a": b"x", "memory/a/b": b"y"}), "has the same path"),
    "graph no JSON": (lambda held: zipped({**held, "graph.jsonl": b"{\n"}), "it is not JSON"),
    "graph a list": (rows(lambda found: [[], *found]), "not an object"),
    "graph nested": (lambda held: zipped({**held, "graph.jsonl": b"[" * 100_000 + b"\n"}), "it is not JSON"),
    "graph not UTF-8": (lambda held: zipped({**held, "graph.jsonl": b"\xff\xfe\n"}), "it is not JSON"),
    "a label of nobody": (row("Entity", lambda one: {**one, "node": "Entity) DETACH DELETE (n"}), "of a known kind"),
    "a node that is an edge": (row("Entity", lambda one: {**one, "node": "MENTIONS"}), "of a known kind"),
    "a property that is Cypher": (row("Entity", told_as(**{"x:1}) DELETE n //": 1})), "a name that is not allowed"),
    "a group of its own": (row("Entity", told_as(group_id="mind_bo")), "a name that is not allowed"),
    "a name that is a number": (row("Entity", told_as(name=5)), "its name"),
    "no uuid": (row("Entity", told_as(uuid=None)), "its uuid"),
    "a map for a value": (row("Entity", told_as(summary={"a": 1})), "a value that a graph can not"),
    "lists in lists": (row("Entity", told_as(labels=[["a"]])), "a value that a graph can not"),
    "a NUL in a text": (row("Entity", told_as(name="a\x00b")), "text that can not be stored"),
    "half a surrogate": (row("Entity", told_as(name="\ud800")), "text that can not be stored"),
    "a number too large": (row("Passage", told_as(sequence=2**70)), "too large"),
    "NaN": (row("Entity", told_as(summary=float("nan"))), "NaN, which is not a number"),
    "episodes that are numbers": (row("RELATES_TO", told_as(episodes=[1])), "its episodes"),
    "a node twice": (rows(lambda found: [found[0], *found]), "twice"),
    "edges before nodes": (rows(lambda found: sorted(found, key=lambda one: "node" in one)), "does not come before it"),
    "an edge to nowhere": (row("MENTIONS", lambda one: {**one, "to": "nobody"}), "does not come before it"),
    "an edge from a fact": (row("RELATES_TO", lambda one: {**one, "from": None}), "without two ends"),
    "another dimension": (row("Entity", vector([1.0, 2.0])), "a vector of 2 numbers"),
    "a vector of NaN": (row("Entity", vector([float("nan")] * 384)), "not finite"),
    "a vector of words": (row("Entity", lambda one: {**one, "vectors": {"name_embedding": "ä"}}), "not base64"),
    "a vector of another kind": (row("Entity", lambda one: {**one, "vectors": {"embedding": ""}}), "does not have"),
    "a cursor of nobody": (row("Cursor", told_as(name="told")), "no such cursor"),
    "a cursor below nought": (row("Cursor", told_as(sequence=-5)), "no such cursor"),
    "a turn's sequence a text": (line({**TURN, "sequence": "99"}), "is not a turn"),
    "a turn's sequence nought": (line({**TURN, "sequence": 0}), "is not a turn"),
    "a turn's content a number": (line({**TURN, "messages": [{"role": "user", "content": 5}]}), "is not a turn"),
    "a turn of no messages": (line({**TURN, "messages": []}), "is not a turn"),
    "an erased turn without its digests": (line({**TURN, "kind": "erased", "messages": []}), "is not a turn"),
    "an erased turn with words": (line({**TURN, "kind": "erased", "metadata": TOMBSTONE}), "is not a turn"),
    "a tombstone's salt too long": (line({**ERASED, "salt": "0" * 65}), "is not a turn"),
    "a turn's metadata a list": (line({**TURN, "metadata": []}), "is not a turn"),
    "a turn's time naive": (line({**TURN, "accepted_at": "2026-01-01T00:00:00"}), "is not a turn"),
    "a turn nested": (nested, "not a turn"),
}  # fmt: skip


async def left(service, home):
    """All that could have changed."""
    graphs = await service.memory.graphs._connection.graphs()
    places = [home / "minds", home / "incoming"]
    evil = list(home.parent.rglob("evil.md"))
    return graphs, sorted(file.relative_to(home) for place in places for file in place.glob("*")), evil


@pytest.mark.parametrize("wrong", WRONG)
async def test_a_bad_archive_is_told_what_is_wrong_and_leaves_nothing(place, wrong):
    service, home, held = place
    make, said = WRONG[wrong]
    mind_id = f"n{zlib.crc32(wrong.encode())}"
    before = await left(service, home)

    answer = await imported(service, make(held), mind_id)

    assert answer.status_code == 422, answer.text
    problem = answer.json()
    assert problem["type"] == "/problems/archive-unreadable"
    assert problem["errors"][0]["pointer"]
    assert said is None or said in problem["detail"]
    assert await left(service, home) == before
    assert (await service.http.get(f"/v1/minds/{mind_id}")).status_code == 404


async def test_the_same_archive_untouched_is_imported(place):
    service, _, held = place

    for name, archive in (("bo", zipped(held)), ("stored", zipped(held, way=zipfile.ZIP_STORED))):
        assert (await imported(service, archive, name)).status_code == 201


async def test_an_archive_zipped_again_by_a_person_is_imported(place):
    service, _, held = place
    made = io.BytesIO(zipped(held))
    with zipfile.ZipFile(made, "a") as archive:
        archive.writestr(zipfile.ZipInfo("memory/"), b"")

    assert (await imported(service, made.getvalue(), "again")).status_code == 201


async def test_an_archive_that_a_mac_has_unpacked_and_zipped_again_is_imported(place):
    """Broken: the folder in which its members lie then, and what a Mac adds to each zip, count as members."""
    service, _, held = place
    added = {".DS_Store": b"x", "memory/.DS_Store": b"x"}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (held | added).items():
            archive.writestr(f"ada 2/{name}", content)
            archive.writestr(f"__MACOSX/ada 2/._{name}", b"x")

    answer = await imported(service, made.getvalue(), "mac")

    assert answer.status_code == 201, answer.text
    assert (await service.status("mac"))["turns"] == (await service.status("ada"))["turns"]


async def test_what_comes_to_the_door_of_the_other_kind_is_told_where_it_belongs(place):
    """Broken: the archive that the console has saved is of no known format there, and conversations lack a manifest."""
    service, home, held = place
    before = await left(service, home)
    chat = io.BytesIO()
    with zipfile.ZipFile(chat, "w") as archive:
        archive.writestr("conversations.json", b"[]")

    as_chat = await service.http.post("/v1/minds/cy/import/conversations?filename=ada.zip", content=zipped(held))
    as_mind = await imported(service, chat.getvalue(), "cy")

    assert (as_chat.status_code, as_mind.status_code) == (422, 422)
    assert "the archive of a mind" in as_chat.json()["detail"]
    assert "/v1/minds/{mind_id}/import" in as_chat.json()["detail"]
    assert "Known formats" not in as_chat.json()["detail"]
    assert "import/conversations" in as_mind.json()["detail"]
    assert await left(service, home) == before


@pytest.mark.parametrize("is_announced", [True, False])
async def test_an_archive_above_the_limit_is_refused(place, is_announced):
    service, home, held = place
    before = await left(service, home)
    archive = zipped({**held, "memory/large.md": bytes(21_000_000)}, way=zipfile.ZIP_STORED)

    async def parts():
        for at in range(0, len(archive), 1_000_000):
            yield archive[at : at + 1_000_000]

    answer = await imported(service, archive if is_announced else parts(), "cy")

    assert answer.status_code == 413
    assert answer.json()["type"] in {"/problems/archive-too-large", "/problems/body-too-large"}
    assert await left(service, home) == before


BOMBS = {
    "told": lambda held: zipped({**held, "memory/large.md": bytes(31_000_000)}),
    "told small": lambda held: zipped(
        {**held, "memory/large.md": bytes(31_000_000)}, manifest=manifest_of({**held, "memory/large.md": b"x"})
    ),
}


@pytest.mark.parametrize(("bomb", "status"), [("told", 413), ("told small", 422)])
async def test_a_bomb_does_not_go_off(place, bomb, status):
    service, home, held = place
    before = await left(service, home)

    answer = await imported(service, BOMBS[bomb](held), "cy")

    assert answer.status_code == status, answer.text
    assert await left(service, home) == before


async def test_a_mind_that_is_there_is_not_touched(place):
    service, home, held = place
    before = await left(service, home), (await service.status("ada"))
    text = (home / "minds/ada/STORY.md").read_bytes()

    answer = await imported(service, zipped({**held, "STORY.md": b"### other"}))

    assert (answer.status_code, answer.json()["type"]) == (409, "/problems/mind-exists")
    assert (await left(service, home), await service.status("ada")) == before
    assert (home / "minds/ada/STORY.md").read_bytes() == text


async def test_an_id_that_is_none_is_refused_before_anything_is_made(place):
    service, home, held = place
    before = await left(service, home)

    for name in ("No%0a", "..", "a" * 201, "%20"):
        assert (await imported(service, zipped(held), name)).status_code in {400, 404, 422}
    assert await left(service, home) == before
