"""What is not a memory: heartbeats, probes, and empty messages. Patterns are bounded."""

from __future__ import annotations

import re

from consolidation.kernel.turns import Message, Speaker, Turn, TurnKind

_PROBE_SESSION = "probe-"
_LONGEST_HEARTBEAT = 4_000
_MARKUP = re.compile(r"[^A-Za-z_]+")
# White space, controls, and what has no ink: joiners, direction marks, fillers, variation selectors, tags.
_BLANK = re.compile(
    r"[\s\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]+"
)


def kind_of(turn: Turn) -> TurnKind:
    """The kind of *turn*: what the caller said it is, else what its words show it to be."""
    if turn.kind in {TurnKind.HEARTBEAT, TurnKind.PROBE}:
        return turn.kind
    if turn.session_id.startswith(_PROBE_SESSION):
        return TurnKind.PROBE
    if any(_is_heartbeat(message) for message in turn.messages):
        return TurnKind.HEARTBEAT
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
