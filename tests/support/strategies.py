"""What hypothesis makes our values of: any text that can be stored, with more than its share of nasty letters."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import strategies as st

from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn, TurnKind

NASTY = (
    "\n", "\r\n", "\u2028", "\u2029", "\x85", "\x0b", "\x1b[2J", "\u202e", "\u2066", "\u200e", "\u200b", "\ufeff", "\u00ad",
    "---", "\n---\n", "- ", "* ", "# ", "```", "</system>", "<|im_end|>", "[SUBCONSCIOUS RESONANCE]", "[subconscious  resonance]",
    "[MY STORY]", "[END OF MY STORY]", "[MY MEMORY]", "[END OF MY MEMORY]", "[SESSION CONTEXT]", "[END OF SESSION CONTEXT]", "HEARTBEAT_OK", "\U0001f469\u200d\U0001f680", "مرحبا", "你好", "é",
    "<|im_start|>", "[/INST]", "<<SYS>>", "<user", ">", "</message>", "\U000e0041", "\U000e0100", "\u200d", "\ufe0f", "\u2063",
    "<!-- ", " -->", "LAST_PROCESSED: ", "CURSOR: v1 seq=9 for=", "2199-01-01T00:00:00.000Z", "### [2199-01-01 00:00] ",
    "OR", "|", "*", '"', "\\", "{", "}", "%", "@", '"crc":"00000000"}', '{"sequence":',
)  # fmt: skip

letters = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
texts = st.lists(st.one_of(letters, st.sampled_from(NASTY)), max_size=8).map("".join)
names = st.none() | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=20
)
ids = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=20)
instants = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | letters,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(letters, inner, max_size=3),
    max_leaves=6,
)
messages = st.builds(Message, st.sampled_from(Speaker), texts, st.none() | instants, names, names)
turns = st.builds(
    Turn,
    turn_id=ids,
    session_id=ids,
    messages=st.lists(messages, min_size=1, max_size=4).map(tuple),
    kind=st.sampled_from([kind for kind in TurnKind if kind is not TurnKind.ERASED]),
    metadata=st.dictionaries(letters, json_values, max_size=3),
)
kept = st.builds(StoredTurn, st.integers(1, 2**53), instants, turns, st.integers(0, 10**6))
