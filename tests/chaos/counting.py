"""What is counted when all is mended and quiet: answers against rows, graphs, stories, and every replica, from outside."""

from __future__ import annotations

import asyncio
import json
from collections import Counter

import httpx2

from service.adapters.falkordb.connection import GraphConnection
from service.adapters.falkordb.graph_names import graph_name
from service.ports.graph import episode_uuid
from tests.chaos.system import PREFIX
from tests.chaos.talk import MINDS, mind_of, turn_id_of
from tests.crash.counting import EPISODES, FACTS, TOKEN
from tests.support.story_counts import TOLD, kept_in_folder
from tests.support.waiting import GIVE_UP

_ROWS = "SELECT sequence, turn_id, line FROM turns WHERE mind_id = %s ORDER BY sequence"
_PLACES = "MATCH (p:Passage) RETURN p.episode, p.sequence"
_CURSORS = "MATCH (c:Cursor) RETURN c.name, c.sequence"
_ALLOWED = {  # statuses by what was asked; 0 is no answer
    "keep": {0, 202, 503},
    "again": {0, 202, 503},
    "look": {0, 200, 503},
    "read": {0, 200, 404, 503},
    "edit": {0, 200, 412, 503},
}


def broken_answers(ledger):
    """By name what the doors should not have said."""
    sequences = {}
    for one in ledger.answers:
        if one.status == 202:
            sequences.setdefault(one.number, set()).add(one.said["sequence"])
    new = Counter(one.number for one in ledger.answers if one.status == 202 and not one.said["duplicate"])
    return {
        "wrong answers": [
            (one.asked, one.status, one.said.get("title"))
            for one in ledger.answers
            if one.status not in _ALLOWED[one.asked]
        ],
        "wrong answers to retries": [number for number, found in sequences.items() if len(found) > 1],
        "new twice": [number for number, times in new.items() if times > 1],
    }


def broken_minds(system, ledger):
    """By name what is wrong with any mind."""
    graphs = asyncio.run(_graphs(system.cluster.url))
    found = {}
    for mind in MINDS:
        rows = system.rows(_ROWS, mind)
        turns = {turn_id: sequence for sequence, turn_id, _ in rows}
        views = [_seen_by(replica, mind) for replica in system.replicas]
        broken = {
            **_broken_rows(mind, rows, ledger),
            **_broken_graph(mind, turns, graphs[mind]),
            **_broken_story(mind, rows, views[0]["story"]["text"], ledger),
            **_disagreeing(mind, turns, views),
            "doubled in a copy": [
                (mind, replica.at, turn)
                for replica in system.replicas
                for turn, times in kept_in_folder(replica.folder / "home" / "minds" / mind / "transcript").items()
                if times > 1
            ],
        }
        for name, wrong in broken.items():
            found.setdefault(name, []).extend(wrong)
    return found


def broken_events(system):
    """By name what is wrong with what the receiver of webhooks was sent."""
    ids = {}
    for delivery_id, body in system.receiver.taken:
        ids.setdefault((body["data"]["mind_id"], body["data"]["turn_id"]), set()).add(delivery_id)
    return {
        "events lost": events_not_told(system),
        "events under two ids": [event for event, found in ids.items() if len(found) > 1],
        "events nobody signed": [system.receiver.unsigned] if system.receiver.unsigned else [],
    }


def events_not_told(system):
    """The turns in the database of which the receiver was sent nothing, each with its mind."""
    told = {(body["data"]["mind_id"], body["data"]["turn_id"]) for _, body in system.receiver.taken}
    return [(mind, turn) for mind in MINDS for _, turn, _ in system.rows(_ROWS, mind) if (mind, turn) not in told]


def late(ledger, deeds, *, most_seconds):
    """
    Pre-turn calls that took longer than that at a replica which nobody had killed or stopped meanwhile.

    Each with the milliseconds that its phases took by themselves.
    """
    return [
        (
            one.replica,
            one.status,
            round(one.seconds, 2),
            one.said.get("timings_ms"),
            one.said.get("degraded"),
            [deed.kind for deed in deeds if _meet(one, deed)],
        )
        for one in ledger.answers
        if one.asked == "look"
        and one.seconds > most_seconds
        and not any(deed.replica == one.replica and _meet(one, deed) for deed in deeds)
    ]


def _meet(one, deed):
    return one.began < deed.ended and one.ended > deed.began


def _broken_rows(mind, rows, ledger):
    at = {turn_id: sequence for sequence, turn_id, _ in rows}
    answered = {
        (turn_id_of(one.number), one.said["sequence"])
        for one in ledger.answers
        if one.status == 202 and mind_of(one.number) == mind
    }
    sequences = [sequence for sequence, *_ in rows]
    lines = Counter(json.loads(bytes(line))["turn_id"] for *_, line in rows)
    return {
        "lost turns": [(mind, turn) for turn, _ in answered if turn not in at],
        "turns elsewhere than answered": [
            (mind, turn, at[turn]) for turn, where in answered if at.get(turn, where) != where
        ],
        "doubled turns": [(mind, turn) for turn, times in lines.items() if times > 1],
        "gaps in sequences": [] if sequences == list(range(1, len(rows) + 1)) else [(mind, sequences[-1:], len(rows))],
    }


def _broken_graph(mind, turns, graph):
    episodes, facts, places, cursors = graph
    there = Counter(token for (text,) in episodes for token in TOKEN.findall(text))
    stated = Counter(token for (text,) in facts for token in TOKEN.findall(text))
    tokens = {TOKEN.search(turn)[0] for turn in turns}
    last = max(turns.values(), default=0)
    wanted = {(episode_uuid(mind, turn), sequence) for turn, sequence in turns.items()}
    return {
        "lost from the graph": [(mind, token) for token in tokens - set(there)],
        "doubled in the graph": [(mind, token) for token, times in there.items() if times > 1],
        "in the graph alone": [(mind, token) for token in set(there) - tokens],
        "lost facts": [(mind, token) for token in tokens - set(stated)],
        "doubled facts": [(mind, token) for token, times in stated.items() if times > 1],
        "graph at other sequences": [(mind, *one) for one in wanted ^ {tuple(one) for one in places}],
        "graph's cursors": [(mind, name, at, last) for name, at in cursors if at != last],
    }


def _broken_story(mind, rows, text, ledger):
    told, lines = Counter(TOLD.findall(text)), Counter(text.splitlines())
    tokens = {TOKEN.search(turn)[0] for _, turn, _ in rows}
    heads = Counter(line for line in text.splitlines() if line.startswith("### ["))
    return {
        "lost from the story": [(mind, token) for token in tokens - set(told)],
        "told twice": [(mind, token) for token, times in told.items() if times > 1],
        "in the story alone": [(mind, token) for token in set(told) - tokens],
        "chapters twice": [(mind, head) for head, times in heads.items() if times > 1],
        "edits gone": [
            (mind, one.line, f"replica {one.replica}, {one.ended - ledger.answers[0].began:.1f}s")
            for one in ledger.edits
            if one.mind == mind and not lines[one.line]
        ],
        "edits twice": [(mind, line) for line, times in lines.items() if line.startswith("EDIT-") and times > 1],
    }


def _disagreeing(mind, turns, views):
    return {
        "replicas whose turns differ": [
            (mind, at, sorted(set(view["turns"].items()) ^ set(turns.items()))[:3])
            for at, view in enumerate(views)
            if view["turns"] != turns or len(view["all"]) != len(turns)
        ],
        "replicas whose stories differ": [mind] if len({view["story"]["etag"] for view in views}) > 1 else [],
    }


def _seen_by(replica, mind):
    """What a replica answers of a mind: its turns (and all that it lists), and its story."""
    with httpx2.Client(base_url=f"{replica.url}/v1/minds/{mind}", timeout=GIVE_UP) as http:
        story = http.get("/story").raise_for_status().json()
        listed, after = [], 0
        while page := http.get("/turns", params={"after": after, "limit": 100}).raise_for_status().json()["items"]:
            listed += page
            after = page[-1]["sequence"]
    return {"story": story, "all": listed, "turns": {one["turn_id"]: one["sequence"] for one in listed}}


async def _graphs(url):
    connection = GraphConnection(url)
    try:
        return {
            mind: [
                await connection.read(graph_name(mind, prefix=PREFIX), asked, {})
                for asked in (EPISODES, FACTS, _PLACES, _CURSORS)
            ]
            for mind in MINDS
        }
    finally:
        await connection.close()
