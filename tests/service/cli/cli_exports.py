"""Small made-up exports, in the shapes people have."""

from __future__ import annotations

import json


def locomo(path):
    """Two sessions of a LoCoMo-shaped conversation between Ada and Ben, five utterances."""
    conversation = {
        "speaker_a": "Ada",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ada", "dia_id": "D1:1", "text": "My mother moved to Lyon last spring."},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "How often do you visit her in Lyon?"},
            {"speaker": "", "dia_id": "D1:3", "text": "Nobody said this."},
        ],
        "session_2_date_time": "10:00 am on 25 May, 2023",
        "session_2": [
            {"speaker": "Ada", "dia_id": "D2:1", "text": "I started to learn the cello with Madame Perrin."},
            {"speaker": "Ben", "dia_id": "D2:2", "text": "That takes patience!"},
        ],
    }
    path.write_text(json.dumps([{"sample_id": "conv-1", "conversation": conversation, "qa": []}]))
    return path


def jsonl(path, *, said="The bakery in Rue Mercier closes on Mondays."):
    """Two turns of our own format."""
    turns = [
        {"turn_id": "t1", "session_id": "s1", "messages": [_message(said, "2026-01-09T18:30:00Z")]},
        {
            "turn_id": "t2",
            "session_id": "s1",
            "messages": [_message("My train leaves at nine.", "2026-01-10T08:00:00Z")],
        },
    ]
    path.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    return path


def _message(content, timestamp):
    return {"role": "user", "content": content, "timestamp": timestamp}
