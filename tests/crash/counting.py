"""What is counted when all is quiet: answers against the transcript, the graph, full text and the story, from outside."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from collections import Counter
from contextlib import closing

from consolidation.workspace import workspace_of
from service.adapters.falkordb.connection import GraphConnection
from service.adapters.falkordb.graph_names import graph_name
from service.adapters.falkordb.server import EmbeddedServer
from service.index.mind_vectors import FACTS as FACTS_OF
from service.index.mind_vectors import KINDS, NAMES, TURNS, MindVectors
from tests.crash.correction_counts import broken_corrections, corrections_in
from tests.crash.outcome_counts import broken_outcomes, reports_in
from tests.crash.talk import MINDS, mind_of, turn_of
from tests.support.story_counts import broken_story, kept_in, not_kept_once, saved_by

TOKEN = re.compile(r"\bk\d{6}\b")
EPISODES = "MATCH (n:Episodic) RETURN n.content"
ENTITIES = "MATCH (n:Entity) RETURN n.name"
FACTS = "MATCH ()-[e:RELATES_TO]->() RETURN e.fact"


def answers_in(logs):
    """Every answer that the clients got, in the order of each."""
    return [json.loads(line) for log in sorted(logs) for line in log.read_text().splitlines()]


def broken_answers(answers, *, is_disk_full):
    """By name what the doors should not have said; 503 or 507 with Retry-After is right while a disk is full, and only then."""
    sequences = {}
    for one in answers:
        if "sequence" in one:
            sequences.setdefault(one["number"], set()).add(one["sequence"])
    new = Counter(one["number"] for one in answers if one.get("duplicate") is False)
    right = {"conflict": {0, 409}, "look": {0, 200}, "report": {0, 200}, "correct": {0, 201}, "undo": {0, 200}}
    return {
        "5xx": [one for one in answers if one["status"] >= 500 and not (is_disk_full and is_refusal(one))],
        "other wrong answers": [
            one for one in answers if one["status"] < 500 and one["status"] not in right.get(one["asked"], {0, 202})
        ],
        "outcomes of what was not shown": [one for one in answers if one.get("unknown")],
        "two sequences for a turn": [number for number, found in sequences.items() if len(found) > 1],
        "new twice": [number for number, times in new.items() if times > 1],
    }


def is_refusal(one):
    """Whether an answer is what a disk that takes no more is told by."""
    return one["status"] in {503, 507} and one.get("is_patient", False)


def accepted_in(answers):
    """The numbers of the turns that were answered with 202."""
    return {one["number"] for one in answers if one["status"] == 202}


def broken_minds(home, desk, answers, *, more):
    """By name what is wrong with the minds of *home*; *more* are turns (token by id) told to every mind at the end."""
    accepted, attempted = accepted_in(answers), {one["number"] for one in answers}
    graphs = asyncio.run(_graphs(home, [graph_name(mind, prefix="mind_") for mind in MINDS]))
    broken = Counter()
    found = {}
    for mind, graph in zip(MINDS, graphs, strict=True):
        workspace = workspace_of(home, mind)
        kept = kept_in(workspace)
        sure = {turn_of(one)["turn_id"]: _token(one) for one in accepted if mind_of(one) == mind} | more
        # What was cut off unanswered may be there, once.
        maybe = {turn_of(one)["turn_id"]: _token(one) for one in attempted - accepted if mind_of(one) == mind}
        there = sure | {turn: token for turn, token in maybe.items() if turn in kept}
        edits = saved_by(desk) if mind == MINDS[0] else {}
        broken = {
            **_broken_memory(workspace, kept, there, graph),
            **{f"story: {name}": wrong for name, wrong in broken_story(workspace, there, edits).items()},
            **broken_outcomes(workspace, [one for one in reports_in(answers) if mind_of(one["number"]) == mind]),
            **broken_corrections(workspace, [one for one in corrections_in(answers) if mind_of(one["number"]) == mind]),
        }
        for name, wrong in broken.items():
            found.setdefault(name, []).extend(wrong)
    return found


def broken_memories(home, numbers):
    """By name what is wrong with what the minds of *home* keep of the turns of these numbers, all of them accepted."""
    graphs = asyncio.run(_graphs(home, [graph_name(mind, prefix="mind_") for mind in MINDS]))
    found = {}
    for mind, graph in zip(MINDS, graphs, strict=True):
        workspace = workspace_of(home, mind)
        there = {turn_of(one)["turn_id"]: _token(one) for one in numbers if mind_of(one) == mind}
        for name, wrong in _broken_memory(workspace, kept_in(workspace), there, graph).items():
            found.setdefault(name, []).extend(wrong)
    return found


def _broken_memory(workspace, kept, there, graph):
    return {
        "not kept once": not_kept_once(kept, there),
        **_broken_graph(graph, there.values()),
        "full text astray": _astray(workspace, kept, graph),
        "without vectors": _without_vectors(workspace),
    }


def broken_stock(home, answers):
    """The same of the stock pattern, as far as it promises: what was answered is an episode, once."""
    accepted = accepted_in(answers)
    found = {}
    for mind, graph in zip(MINDS, asyncio.run(_graphs(home, MINDS)), strict=True):
        sure = [_token(one) for one in accepted if mind_of(one) == mind]
        for name, wrong in _broken_graph(graph, sure).items():
            found.setdefault(name, []).extend(wrong)
    return found


def _token(number):
    return TOKEN.search(turn_of(number)["messages"][0]["content"])[0]


def _broken_graph(graph, tokens):
    episodes, entities, facts = graph
    told = Counter(token for text in episodes for token in TOKEN.findall(text))
    stated = Counter(token for text in facts for token in TOKEN.findall(text))
    return {
        "lost from the graph": [token for token in tokens if not told[token]],
        "doubled in the graph": [token for token, times in told.items() if times > 1],
        "lost facts": [token for token in tokens if not stated[token]],
        "doubled facts": [token for token, times in stated.items() if times > 1],
        "doubled entities": [name for name, times in Counter(map(str.casefold, entities)).items() if times > 1],
    }


def _astray(workspace, kept, graph):
    """Where full text holds other turns, facts or entities than transcript and graph do."""
    with closing(sqlite3.connect(f"file:{workspace.text_index}?mode=ro", uri=True)) as database:
        turns = database.execute("SELECT count(*) FROM turns").fetchone()[0]
        facts = [row[0] for row in database.execute("SELECT text FROM facts")]
        entities = [row[0] for row in database.execute("SELECT name FROM entities")]
    astray = [f"{workspace.folder.name}: {turns} of {len(kept)} turns"] if turns != len(kept) else []
    astray += [
        f"fact: {text}" for text in ((Counter(facts) - Counter(graph[2])) | (Counter(graph[2]) - Counter(facts)))
    ]
    return astray + [f"entity: {name}" for name in set(entities) ^ set(graph[1])]


def _without_vectors(workspace):
    """Turns, facts and entities that can not be found by what they mean."""
    vectors = MindVectors(workspace.vectors)
    there = {kind: set(vectors.keys(kind)) for kind in KINDS}
    there[TURNS] = {uuid.rpartition("/")[0] for uuid in there[TURNS]}
    asked = {
        TURNS: "SELECT episode FROM turns",
        FACTS_OF: "SELECT uuid FROM facts",
        NAMES: "SELECT uuid FROM entities",
    }
    with closing(sqlite3.connect(f"file:{workspace.text_index}?mode=ro", uri=True)) as database:
        return [
            f"{kind}: {uuid}"
            for kind, cypher in asked.items()
            for (uuid,) in database.execute(cypher)
            if uuid not in there[kind]
        ]


async def _graphs(home, names):
    """Contents of episodes, names of entities, and facts of each graph."""
    server = EmbeddedServer(home / "graph")
    await server.start()
    try:
        await server.wait_until_ready()
        connection = GraphConnection(server.url)
        try:
            return [
                [[row[0] for row in await connection.read(name, asked, {})] for asked in (EPISODES, ENTITIES, FACTS)]
                for name in names
            ]
        finally:
            await connection.close()
    finally:
        await server.stop()
