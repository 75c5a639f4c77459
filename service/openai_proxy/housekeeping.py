"""
Recognises what a chat front end asks on its own: a title, tags, follow-up questions, a search query, an emoji.

Such a prompt comes under the person's name and through the same model, but the person did not say it. It is known by
the shape of the whole message that was asked last, and of the instructions above a conversation that is pasted as one
message. A person who speaks of titles or tags does not have that shape. Patterns are bounded: a message may be long.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from consolidation.text.content import text_of
from service.openai_proxy.messages import INSTRUCTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_HEAD, _FOOT = 800, 200  # characters: where the orders of a prompt are; between them is the conversation
_ASKING = INSTRUCTIONS | {"user"}

# Open WebUI: its templates put the history between these marks, and nothing of the person's after it. Its template for
# documents begins alike, and is followed by the person's question.
_TASK = re.compile(r"### Task:\s|Create a concise, 3-5 word ")
_HISTORY, _END_OF_HISTORY = "<chat_history>", "</chat_history>"
_AFTER_HISTORY = re.compile(r"\s*(?:<type>[^<]{0,40}</type>\s*<text>.*</text>\s*(?:#### Output:)?\s*)?", re.DOTALL)

# A title in many words: LibreChat, NextChat, n8n. The order, how long it may be, and how it is to be written.
_TITLE = re.compile(
    r"(?:please\s)?(?:generate|provide|create)\sa\s(?:very\s)?(?:concise|short|brief|\w{3,5}\sto\s\w{3,5}\sword)\b"
    r"(?:,?\s[\w-]{1,20}){0,4}?,?\stitle\b[^\n.]{0,40}?\b(?:the|this|our|a)\s(?:conversation|chat|discussion)\b",
    re.IGNORECASE,
)
_LENGTH = re.compile(r"\b(?:\d{1,3}|three|four|five|six|seven|eight|ten)[\s-](?:words?|characters?)\b", re.IGNORECASE)
_FORM = re.compile(
    r"\bpunctuation\b|\btitle case\b|\bquot(?:es|ation marks)\b|\btitle:\s*\Z"
    r"|\b(?:only|just)\s(?:return|output|respond|reply|answer)|\b(?:return|output|respond|reply|answer)\s(?:with\s)?only\b",
    re.IGNORECASE,
)

_PROMPTS = (
    # LibreChat: a title and its language
    r"Analyze this conversation and provide:\s+1\. The detected language of the conversation\s",
    # Open WebUI: an emoji for a message that is read aloud
    r"Your task is to reflect the speaker's likely facial expression through a fitting emoji\.\s",
    # NextChat: a title in Chinese; the summary of a long chat
    r"使用四到五个字直接返回这句话的简要主题",
    r"Summarize the discussion briefly in 200 words or less to use as a prompt for future context\.",
    # Chatbox: a name for the chat
    r"Based on the chat history, give this conversation a name\.\s",
)
_INSTRUCTED = (
    # LobeChat, in its newer and its older form
    r"You are a professional conversation summarizer\. Generate a concise title ",
    r"你是一名擅长会话的助理，你需要将用户的会话总结为",
    # The template of Vercel's chatbot
    r"[\s-]*you will generate a short title based on the first message a user begins a conversation with",
    # Open WebUI: which tool to call
    r"Available Tools: .*?(?:Your task is to choose and return the correct tool|Return an empty string if no tools)",
)
_PROMPT = re.compile("|".join(_PROMPTS), re.IGNORECASE)
_INSTRUCTION = re.compile("|".join(_INSTRUCTED), re.IGNORECASE | re.DOTALL)


def is_housekeeping(messages: Sequence[Mapping[str, Any]], *, patterns: Sequence[str]) -> bool:
    """
    Whether a front end asks on its own, and no person speaks.

    *patterns* are regular expressions of the operator's, each for the whole of such a message.
    """
    asked = messages[-1]
    if asked["role"] not in _ASKING:
        return False  # a tool has answered, or an answer is to be continued
    text = text_of(asked.get("content")).strip()
    return _is_prompt(text) or _is_instructed(messages) or any(_matches(text, pattern) for pattern in patterns)


def _is_prompt(text: str) -> bool:
    return _PROMPT.match(text) is not None or _is_task(text) or _is_title(text)


def _is_task(text: str) -> bool:
    """Whether all of *text* is a task over a history."""
    if _TASK.match(text) is None or _HISTORY not in text:
        return False
    _, end, rest = text.rpartition(_END_OF_HISTORY)
    return bool(end) and _AFTER_HISTORY.fullmatch(rest) is not None


def _is_title(text: str) -> bool:
    orders = f"{text[:_HEAD]}\n{text[_HEAD:][-_FOOT:]}".rstrip()
    return all((_TITLE.match(text), _LENGTH.search(orders), _FORM.search(orders)))


def _is_instructed(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the instructions are about one message that holds the whole conversation."""
    if [one["role"] in INSTRUCTIONS for one in messages] != [True, False]:
        return False
    text = text_of(messages[0].get("content")).strip()
    return _INSTRUCTION.match(text) is not None or _is_title(text)


def _matches(text: str, pattern: str) -> bool:
    return re.fullmatch(pattern, text, re.DOTALL | re.IGNORECASE) is not None
