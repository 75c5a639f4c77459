"""Conversations as ChatGPT exports them: trees of messages."""

from __future__ import annotations

from datetime import UTC, datetime

NOON = datetime(2026, 1, 28, 12, tzinfo=UTC)
BEGAN = datetime(2026, 1, 28, 11, tzinfo=UTC)


def message(role, *parts, at=NOON.timestamp(), **more):
    content = {"content_type": "text", "parts": list(parts)}
    return {
        "id": "m",
        "author": {"role": role},
        "content": content,
        "create_time": at,
        "recipient": "all",
        "metadata": {},
        **more,
    }


def chain(*messages, **more):
    """A conversation whose messages follow each other under an empty root."""
    mapping = {"n0": {"id": "n0", "message": None, "parent": None, "children": ["n1"]}}
    for index, each in enumerate(messages, start=1):
        mapping[f"n{index}"] = {"message": each, "parent": f"n{index - 1}", "children": [f"n{index + 1}"]}
    mapping[f"n{len(messages)}"]["children"] = []
    return {
        "conversation_id": "c1",
        "title": "Tea",
        "create_time": BEGAN.timestamp(),
        "mapping": mapping,
        "current_node": f"n{len(messages)}",
        **more,
    }
