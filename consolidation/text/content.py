"""What a message of a model's API says, in words: its text, marks for what is not text, and the tools it calls."""

from __future__ import annotations

AUDIO_MARK = "[audio]"
_MARKS = {
    "image_url": "[image]",
    "image": "[image]",
    "input_image": "[image]",
    "input_audio": AUDIO_MARK,
    "file": "[file]",
    "input_file": "[file]",
}
_REASONING = frozenset({"thinking", "redacted_thinking", "reasoning"})  # of a model, before its answer


def text_of(content: object) -> str:
    """Return the words of a message's content, as OpenAI's API has it; what is not text becomes a mark."""
    if isinstance(content, str):
        return content
    return "\n".join(filter(None, map(_part, content))) if isinstance(content, list) else ""


def is_mark(text: str) -> bool:
    """Whether *text* is only marks for what is not text, of which nobody knows what it says."""
    return all(line in _MARKS.values() for line in text.strip().split("\n"))


def call_in_words(name: str, arguments: str) -> str:
    """Return a call of a tool as it is stored."""
    return f"[calls {name}({arguments})]"


def _part(part: object) -> str:
    if not isinstance(part, dict):
        return ""
    text = part.get("text", part.get("refusal"))
    if isinstance(text, str):
        return text
    kind = str(part.get("type", ""))
    if kind in _REASONING:
        return ""
    return _MARKS.get(kind, f"[{kind[:40]}]" if kind else "")
