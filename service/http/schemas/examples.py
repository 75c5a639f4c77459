"""Example answers for the OpenAPI document. A test compares them with a live service."""

from __future__ import annotations

from typing import Any

SAID = "they told me: My mother lives in Lyon."
BLOCK = f"---\n[SUBCONSCIOUS RESONANCE]\n- A few days ago — Jan 9, {SAID}\n---"
STABLE = "[MY MEMORY]\nYou have a memory that reaches further back than this conversation. …\n[END OF MY MEMORY]"
NO_COST: dict[str, Any] = {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "cost_usd": 0.0}
TIMINGS: dict[str, Any] = {
    "seeds": 0.13,
    "retrieval": 25.7,
    "filters": 21.36,
    "labels": 17.55,
    "narration": 0.01,
    "injection": 2.37,
    "total": 67.9,
}
SOURCE: dict[str, Any] = {
    "mind_id": None,
    "turn_id": "2026-01-09-0001",
    "session_id": "telegram:42",
    "sequence": 1,
    "timestamp": "2026-01-09T18:30:05Z",
    "excerpt": SAID,
}

KEPT: dict[str, Any] = {
    "mind_id": "global-user-memory",
    "turn_id": "2026-01-09-0001",
    "sequence": 1,
    "accepted_at": "2026-01-09T18:30:06.120000Z",
    "pending_tokens": 17,
    "dropped": [],
    "duplicate": False,
    "outcomes": None,
}

RESONATED: dict[str, Any] = {
    "mind_id": "global-user-memory",
    "trace_id": "123a9221c574418e9e73e0d4b95b30b0",
    "surfaced": True,
    "silence": None,
    "flashbacks": [
        {
            "id": "episode:1",
            "kind": "episode",
            "text": SAID,
            "raw": SAID,
            "label": "a few days ago",
            "date": "Jan 9",
            "occurred_at": "2026-01-09T18:30:05Z",
            "score": 1.0,
            "sources": [SOURCE],
        }
    ],
    "block": BLOCK,
    "stable": {"text": STABLE, "etag": '"ac82d745b89e005388718ca7"'},
    "volatile": {"text": BLOCK},
    "messages": [
        {"role": "system", "content": STABLE},
        {"role": "system", "content": BLOCK},
        {"role": "user", "content": "Where could I spend a weekend with my mother?"},
    ],
    "degraded": [],
    "timings_ms": TIMINGS,
    "usage": NO_COST,
    "trace": None,
}

REMEMBERED: dict[str, Any] = {
    "memories": [
        {
            "id": "fact:106dd777-e9fe-4a8f-8316-d3a2eba383f5",
            "kind": "fact",
            "text": "they told me: My mother lives in Lyon.",
            "occurred_at": "2026-01-09T18:30:05Z",
            "valid_at": "2026-01-09T18:30:05Z",
            "invalid_at": None,
            "score": 0.5,
            "sources": [SOURCE],
            "is_contradicted": False,
            "corrections": [],
            "entity_kind": None,
        }
    ],
    "degraded": [],
}

MINDS: dict[str, Any] = {
    "minds": [{"mind_id": "global-user-memory", "turns": 1, "sessions": 1, "waiting_for": None, "is_example": False}],
    "next_cursor": None,
}

MIND: dict[str, Any] = {
    "mind_id": "global-user-memory",
    "is_example": False,
    "turns": 1,
    "sessions": 1,
    "last_sequence": 1,
    "graph": {
        "available": True,
        "sequence": 1,
        "saved": 1,
        "lag": 0,
        "waiting_for": None,
        "parked": [],
        "episodes": 1,
        "entities": 3,
        "facts": 1,
    },
    "said": 0,
    "story": {
        "sequence": 0,
        "pending_turns": 1,
        "pending_tokens": 17,
        "words": 0,
        "chapters": 0,
        "last_processed": None,
        "waiting_for": None,
    },
    "text": {"sequence": 1, "facts": 1},
    "outcomes": {"acted": 0, "used": 0, "deferred": 0, "dismissed": 0, "contradicted": 0},
    "sleep": {
        "state": "awake",
        "reason": "",
        "wake_at": None,
        "cycle": 1,
        "actions": 0,
        "fatigue": "rested",
        "must_sleep": False,
        "dreams": 0,
        "last_dream_at": None,
        "waiting_for": None,
    },
    "damaged": [],
    "settings_fault": None,
    "usage": NO_COST,
}

TRACE: dict[str, Any] = {
    "trace_id": "123a9221c574418e9e73e0d4b95b30b0",
    "mind_id": "global-user-memory",
    "session_id": "telegram:43",
    "at": "2026-01-12T09:00:00+00:00",
    "message": "Where could I spend a weekend with my mother?",
    "asker": None,
    "off_the_record": False,
    "language": "en",
    "surfaced": True,
    "silence": None,
    "shown": [
        {"id": "episode:1", "sequences": [1], "text": SAID, "facts": ["fact:106dd777-e9fe-4a8f-8316-d3a2eba383f5"]}
    ],
    "block": BLOCK,
    "thought": None,
    "is_wonder": False,
    "phases": {
        "seeds": {"queries": ["Where could I spend a weekend with my mother?"], "names": [], "late": []},
        "retrieval": {
            "queries": ["Where could I spend a weekend with my mother?"],
            "candidates": [
                {
                    "id": "episode:1",
                    "kind": "episode",
                    "text": SAID,
                    "score": 1.0,
                    "boosted": False,
                    "occurred_at": "2026-01-09T18:30:05+00:00",
                    "sequences": [1],
                    "arms": {"words": 1, "vectors": 1, "facts": 1},
                }
            ],
        },
        "filters": {"dropped": {}, "relevance": {"probability": 0.9784, "needed": 0.5}, "kept": ["episode:1"]},
        "labels": {"labels": {"episode:1": "a few days ago — Jan 9"}},
        "narration": {},
        "injection": {},
    },
    "degraded": [],
    "timings_ms": TIMINGS,
    "usage": NO_COST,
}

_LEARNT = {"id": "episode:1", "outcome": "acted", "reporter": "caller", "at": "2026-01-12T09:01:00+00:00"}
TRACED: dict[str, Any] = {**TRACE, "outcomes": [_LEARNT]}

IMPORTED: dict[str, Any] = {
    "mind_id": "global-user-memory",
    "from_mind_id": "global-user-memory",
    "made_at": "2026-01-12T09:00:00Z",
    "turns": 1,
    "last_sequence": 1,
    "episodes": 1,
    "entities": 3,
    "facts": 1,
    "reembedded": False,
    "prompts_left_out": 0,
}

REBUILDING: dict[str, Any] = {"mind_id": "global-user-memory", "turns": 1}

RETRIED: dict[str, Any] = {"retrying": 0}

ALIVE: dict[str, Any] = {"status": "alive"}

READY: dict[str, Any] = {
    "status": "ready",
    "parts": {"graph": "ready", "embedder": "ready", "disk": "ready", "warm-up": "ready"},
}

METRICS = """# HELP mind_memory_turns_total Posted turns by outcome.
# TYPE mind_memory_turns_total counter
mind_memory_turns_total{outcome="accepted"} 1.0
"""


STORY: dict[str, Any] = {
    "mind_id": "global-user-memory",
    "text": "### [2026-01-09 18:30] Mother lives, Lyon\n\nThey told me: “My mother lives in Lyon.”\n"
    "<!-- CURSOR: v1 seq=1 for=2026-01-09T18:30:05.000Z -->\n<!-- LAST_PROCESSED: 2026-01-09T18:30:05.000Z -->\n",
    "etag": '"5b3f3c52c03e6a4be7c3a7a1"',
    "last_processed": "2026-01-09T18:30:05Z",
    "last_sequence": 1,
    "words": 14,
    "chapters": [
        {
            "heading": "### [2026-01-09 18:30] Mother lives, Lyon",
            "from": "2026-01-09 18:30",
            "to": "2026-01-09 18:30",
            "words": 14,
            "edited_by_person": False,
            "digest": "0f6c1d0be6a1f3c2",
        }
    ],
    "people": [],
    "open": [],
    "fidelity": {"share": 1.0, "sentences": 1, "carried": 0, "quoted": 1, "partly": 0, "in_no_turn": 0},
}
SOURCES: dict[str, Any] = {
    "etag": STORY["etag"],
    "fidelity": STORY["fidelity"],
    "chapters": [
        {
            "index": 0,
            "heading": "### [2026-01-09 18:30] Mother lives, Lyon",
            "digest": "0f6c1d0be6a1f3c2",
            "sentences": [
                {
                    "start": 43,
                    "end": 83,
                    "text": "They told me: “My mother lives in Lyon.”",
                    "state": "quoted",
                    "turns": [
                        {
                            "sequence": 1,
                            "turn_id": "01JH5ZK1B9W1S6R7P7V0J8Q2XA",
                            "session_id": "s1",
                            "occurred_at": "2026-01-09T18:30:05Z",
                        }
                    ],
                    "missing": [],
                }
            ],
        }
    ],
    "next": None,
}

_VERSION = "2026-01-09T18-31-00-000000Z"
HISTORY: dict[str, Any] = {
    "versions": [{"version": _VERSION, "saved_at": "2026-01-09T18:31:00Z", "bytes": 196}],
}
VERSION: dict[str, Any] = {"version": _VERSION, "saved_at": "2026-01-09T18:31:00Z", "text": STORY["text"]}
DIFFERENCE: dict[str, Any] = {
    "from": _VERSION,
    "to": "now",
    "diff": f"--- {_VERSION}\n+++ now\n@@ -1,3 +1,3 @@\n-### [2026-01-09 18:30] Mother lives, Lyon\n"
    "+### [2026-01-09 18:30] Lyon\n \n They told me: “My mother lives in Lyon.”",
}
CONSOLIDATED: dict[str, Any] = {
    "mind_id": "global-user-memory",
    "is_running": False,
    "pending_turns": 0,
    "pending_tokens": 0,
    "last_run": {
        "trigger": "manual",
        "started_at": "2026-01-09T18:31:00Z",
        "ended_at": "2026-01-09T18:31:00.120000Z",
        "turns": 1,
        "told": 1,
        "quoted": 0,
        "chapters": 1,
        "compressed": 0,
        "reason": "nothing is narrated yet",
        "refused": [],
        "received": 0,
        "error": None,
        "gathered": None,
        "usage": NO_COST,
    },
}
COMPACTED: dict[str, Any] = {
    "mind_id": "global-user-memory",
    "session_id": "telegram:42",
    "new_messages": 1,
    "known_messages": 1,
    "turn_ids": ["telegram:42:0d3a6a2f8b0c4f7e"],
    "dropped": [],
    "pending_tokens": 26,
}
