"""Small made-up exports, in the shapes people have."""

from __future__ import annotations

import json


def conversation(path):
    """Two sessions between Ada and Ben in our own format: four turns, and a line that is none."""
    said = (
        ("conv-1:1", "user", "Ada", "2023-05-08T13:56:00Z", "My mother moved to Lyon last spring."),
        ("conv-1:1", "assistant", "Ben", "2023-05-08T13:56:30Z", "How often do you visit her in Lyon?"),
        ("conv-1:2", "user", "Ada", "2023-05-25T10:00:00Z", "I started to learn the cello with Madame Perrin."),
        ("conv-1:2", "assistant", "Ben", "2023-05-25T10:00:30Z", "That takes patience!"),
    )
    turns = [
        {"session_id": session, "messages": [{"role": role, "name": name, "content": text, "timestamp": at}]}
        for session, role, name, at, text in said
    ]
    path.write_text("".join(json.dumps(turn) + "\n" for turn in (*turns[:2], [], *turns[2:])))
    return path


def jsonl(path, *, said="The bakery in Rue Mercier closes on Mondays."):
    """Two turns of our own format."""
    turns = [
        {"turn_id": "t1", "session_id": "s1", "messages": [_message(said, "2026-01-09T18:30:00Z")]},
        {
            "turn_id": "t2",
            "session_id": "s1",
            "messages": [_message("My train to Lyon leaves at nine.", "2026-01-10T08:00:00Z")],
        },
    ]
    path.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    return path


def _message(content, timestamp):
    return {"role": "user", "content": content, "timestamp": timestamp}
