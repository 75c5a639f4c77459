"""What is not a memory: heartbeats, probes, and empty messages. Patterns are bounded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from consolidation.kernel.turns import NOISE, Message, Speaker, Turn, TurnKind

if TYPE_CHECKING:
    from collections.abc import Sequence

_PROBE_SESSION = "probe-"
_LONGEST_HEARTBEAT = 4_000
_OK, _FILE = "HEARTBEAT_OK", "HEARTBEAT.md"
# The order is a message of its own: it begins by sending the bot to the file and ends with what to reply, and when.
_ORDER = re.compile(
    r"[\s>*_`#-]{0,20}(?:system\s?:\s{0,8})?(?:\[[^\]\n]{1,200}\]\s{0,8}){0,3}(?:(?:please|bitte)\s{1,3})?(?:"
    r"(?:read|check|open|review|consult|follow|look\s(?:at|into)"
    r"|(?:lies|lese|prüfe?|überprüfe?|öffne|befolge|beachte|schaue?|sieh)(?:\sbitte)?)"
    r"\s[^.!?\n\"“”„«»]{0,80}HEARTBEAT\.md"
    r"|HEARTBEAT\.md[`*]{0,3}\s{0,3}[:—–]\s{0,3}(?:if|when|wenn|falls|read|check|follow|lies|prüfe?|befolge)\s)",
    re.IGNORECASE,
)
_REPLY = re.compile(
    r"\b(?:(?:reply|respond|answer|return|say|send|write|output)\s{1,3}"
    r"(?:(?:only|just|exactly|back|with|by|saying)[:\s]\s{0,3}){0,3}"
    r"|(?:antworte?|schreibe?|sende?|melde|gib)\s{1,3}(?:(?:bitte|nur|einfach|genau|mit)[:\s]\s{0,3}){0,3})"
    r"[`\"'*“„]{0,4}HEARTBEAT_OK[`\"'*”“]{0,4}(?:\szurück|\saus)?"
    r"(?:,?\s{1,3}(?:if|when|unless|wenn|falls|sofern)\s[^.,;!?\n]{0,40}\b(?:nothing|no|all|everything|something"
    r"|anything|nichts|kein\w{0,2}|alles|etwas)\b[^.,;!?\n]{0,40})?(?!\s{0,3}\?)",
    re.IGNORECASE,
)
_GATEWAY_LINE = re.compile(r"current time:", re.IGNORECASE)  # what gateways add below the order
_WORD = re.compile(r"[A-Za-z_]+")
# Of a gateway, such as [[reply_to_current]], and of HTML.
_TAG = re.compile(r"\[\[[a-z_:]{1,40}\]\]|</?[a-z][a-z0-9]{0,15}(?:\s[^<>\n]{0,200})?/?>", re.IGNORECASE)
_ALL_IS_WELL = frozenset(
    """
    all good clear quiet fine ok okay well everything is looks nothing no new news needs need attention to report
    update updates urgent right now at the moment here today so far still and
    """.split()
)
_MOST_WORDS = 10
# White space, controls, and what has no ink: joiners, direction marks, fillers, variation selectors, tags.
_BLANK = re.compile(
    r"[\s\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]+"
)


def kind_of(turn: Turn) -> TurnKind:
    """The kind of *turn*: what the caller said it is, else what its words show it to be."""
    if turn.kind in NOISE:
        return turn.kind
    if turn.session_id.startswith(_PROBE_SESSION):
        return TurnKind.PROBE
    if any(_is_heartbeat(message) for message in turn.messages):
        return TurnKind.HEARTBEAT
    return turn.kind


def kind_before(session_id: str, messages: Sequence[Message], *, kind: TurnKind) -> TurnKind:
    """The kind of the turn that *messages*, the context window, lead to: what was asked last decides."""
    last = next((one for one in reversed(messages) if one.role in {Speaker.USER, Speaker.SYSTEM}), None)
    return kind_of(Turn("", session_id, (last,) if last is not None else (), kind))


def is_blank(text: str) -> bool:
    """Whether *text* has nothing a person could see."""
    return not _BLANK.sub("", text)


def _is_heartbeat(message: Message) -> bool:
    text = message.content
    if len(text) > _LONGEST_HEARTBEAT or _OK not in text:
        return False
    return _says_all_is_well(text) if message.role is Speaker.ASSISTANT else _is_order(text)


def _says_all_is_well(text: str) -> bool:
    """Whether a reply is HEARTBEAT_OK, in any markup, with nothing beside it but that all is well."""
    words = _WORD.findall(_TAG.sub("", text))
    rest = [word for word in words if word != _OK]
    return (
        len(words) - len(rest) == 1 and len(rest) <= _MOST_WORDS and all(word.lower() in _ALL_IS_WELL for word in rest)
    )


def _is_order(text: str) -> bool:
    """Whether a message is the order to read HEARTBEAT.md and to reply HEARTBEAT_OK, and nothing else."""
    if _ORDER.match(text) is None or (reply := _REPLY.search(text)) is None:
        return False
    below = text[reply.end() :].splitlines()
    return not any(_WORD.search(line) for line in below if not (_FILE in line or _GATEWAY_LINE.match(line.lstrip())))
