"""Archives for tests: asked for, looked into, and changed on purpose."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import zipfile

from tests.support.waiting import GIVE_UP

TALK = (
    ("My mother Carla lives in Lyon.", "How often do you see her?"),
    ("My cello is called Bruno, and Madame Perrin teaches me.", "Since when?"),
    ("Ich habe die Bäckerei Müller in Köln übernommen.", "Glückwunsch!"),
    ("我妈妈住在里昂。", "她好吗？"),
    ("The bakery in Rue Mercier closes on Mondays.", "Noted."),
    ("Carla met Bruno in Paris in May.", "How was it?"),
)


async def tell(service, mind_id="ada", talk=TALK):
    """Post a conversation and wait until all of it is digested."""
    for at, said in enumerate(talk):
        answer = await service.keep(mind_id, *said, session_id=f"s{at // 2} ö", turn_id=f"t{at}")
        assert answer.status_code == 202, answer.text
    return await found(service, mind_id)


def is_found(status):
    """Whether all of a mind is digested, full text too."""
    graph, text, last = status["graph"], status["text"], status["last_sequence"]
    is_saved = graph["saved"] >= last and graph["lag"] == 0
    return is_saved and text["sequence"] >= last and text["facts"] >= graph["sequence"]


async def found(service, mind_id="ada", **more):
    """Wait until everything is digested."""
    return await service.until(mind_id, is_found, **more)


async def exported(service):
    """The mind's archive."""
    answer = await service.http.get("/v1/minds/ada/export")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/zip"
    return answer.content


async def imported(service, archive, mind_id="ada", **asked):
    """Post an archive, again while the graph's server is still starting."""
    headers = {"Content-Type": "application/zip"}
    async with asyncio.timeout(GIVE_UP):
        while True:
            place = f"/v1/minds/{mind_id}/import"
            answer = await service.http.post(place, content=archive, headers=headers, params=asked)
            if answer.status_code != 503:
                return answer
            await asyncio.sleep(0.2)


def members(archive):
    """An archive's members by name; the zip and every SHA-256 checked."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert opened.testzip() is None
        held = {name: opened.read(name) for name in opened.namelist()}
    for member in json.loads(held["manifest.json"])["members"]:
        assert len(held[member["name"]]) == member["bytes"]
        assert hashlib.sha256(held[member["name"]]).hexdigest() == member["sha256"]
    return held


def manifest_of(held, **changed):
    """The manifest of these members, true but for what is *changed*."""
    known = json.loads(held["manifest.json"]) if "manifest.json" in held else {}
    told = [
        {"name": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in held.items()
        if name != "manifest.json"
    ]
    return {**known, "members": told, **changed}


def zipped(held, *, manifest=None, way=zipfile.ZIP_DEFLATED):
    """A zip of members, with a manifest that is true, or *manifest* as it is (None in it leaves it out)."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", way) as archive:
        for name, content in held.items():
            if name != "manifest.json":
                archive.writestr(zipfile.ZipInfo(name), content, compress_type=way)
        told = manifest_of(held) if manifest is None else manifest
        text = told if isinstance(told, bytes) else json.dumps(told).encode()
        archive.writestr("manifest.json", text)
    return made.getvalue()


def rows_of(held):
    """The lines of ``graph.jsonl``, read."""
    return [json.loads(line) for line in held["graph.jsonl"].splitlines()]


def with_rows(held, rows):
    """The members with another graph."""
    return {**held, "graph.jsonl": b"".join(json.dumps(row).encode() + b"\n" for row in rows)}
