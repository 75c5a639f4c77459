"""What is no memory: heartbeats, probes, and messages with nothing in them. Pure; patterns are bounded."""

from __future__ import annotations

import re

from consolidation.kernel.turns import Kind, Message, Speaker, Turn

_PROBE_SESSION = "probe-"
_LONGEST_HEARTBEAT = 4_000
_MARKUP = re.compile(r"[^A-Za-z_]+")
_BLANK = re.compile(r"[\s\u200b-\u200f\u2060\ufeff\u00ad]+")


def kind_of(turn: Turn) -> Kind:
    """The kind of *turn*: what the caller said it is, else what its words show it to be."""
    if turn.kind in {Kind.HEARTBEAT, Kind.PROBE}:
        return turn.kind
    if turn.session_id.startswith(_PROBE_SESSION):
        return Kind.PROBE
    if any(_is_heartbeat(message) for message in turn.messages):
        return Kind.HEARTBEAT
    return turn.kind


def is_blank(text: str) -> bool:
    """Whether *text* has nothing a person could see."""
    return not _BLANK.sub("", text)


def _is_heartbeat(message: Message) -> bool:
    text = message.content
    if len(text) > _LONGEST_HEARTBEAT:
        return False
    if message.role is Speaker.ASSISTANT:
        return _MARKUP.sub("", text) == "HEARTBEAT_OK"
    return "HEARTBEAT.md" in text and "HEARTBEAT_OK" in text
