"""
Recognises what a chat front end asks on its own: a title, tags, follow-up questions, a search query, a summary.

Such a prompt comes under the person's name and through the same model, but the person did not say it. It is known by
the shape of the whole message that was asked last, and of the instructions above a conversation that is pasted. A
person who speaks of titles or tags does not have that shape. Patterns are bounded: a message may be long.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from consolidation.text.content import text_of
from service.openai_proxy.messages import INSTRUCTIONS
from service.openai_proxy.title_prompts import is_title_prompt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FOOT = 600  # characters: where orders are that stand below a conversation
_MOST_INSTRUCTIONS = 4  # messages at the beginning, of which one may be a front end's
_ASKING = INSTRUCTIONS | {"user"}

# Open WebUI: its templates put the history between these marks, and nothing of the person's after it. Its template for
# documents begins alike, and is followed by the person's question.
_TASK = re.compile(r"### Task:\s|Create a concise, 3-5 word ")
_HISTORY, _END_OF_HISTORY = "<chat_history>", "</chat_history>"
_AFTER_HISTORY = re.compile(r"\s*(?:<type>[^<]{0,40}</type>\s*<text>.*</text>\s*(?:#### Output:)?\s*)?", re.DOTALL)

_PROMPTS = (
    # LibreChat: a title and its language
    r"Analyze this conversation and provide:\s+1\. The detected language of the conversation\s",
    # Open WebUI: an emoji for a message that is read aloud
    r"Your task is to reflect the speaker's likely facial expression through a fitting emoji\.\s",
    # NextChat: a title in Chinese; the summary of a long chat
    r"使用四到五个字直接返回这句话的简要主题",
    r"Summarize the discussion briefly in 200 words or less to use as a prompt for future context\.",
    # Chatbox: a name for the chat. Jan: a title of a message, which it quotes. Dify: a title, in JSON
    r"Based on the chat history, give this conversation a name\.\s",
    r"Summarize in an? \d{1,2}-word Title\. Give the title only\.(?: Here is the message:)? \"",
    r"You need to decompose the user's input into \"subject\" and \"intention\" in order to ",
    # Open WebUI: several answers made into one
    r"You have been provided with a set of responses from various models to the latest user query: \"",
    # SillyTavern: the story so far, and what its person might say next
    r"Ignore previous instructions\. Summarize the most important facts and events in the story so far\.",
    r"\[Write your next reply from the point of view of [^\n,]{1,80}, using the chat history so far as a guideline ",
    # Roo Code, Cline and OpenCode: what a long chat is replaced by
    r"Summarize the conversation so far, as described in the prompt instructions\.\s*\Z",
    r"Your task is to create a (?:detailed|comprehensive) summary of the conversation so far, paying close attention ",
    r"Provide a detailed prompt for continuing our conversation above\.\s",
)
# Dify and Flowise: what a person might ask next; the conversation stands above it.
_QUESTIONS = re.compile(
    r"\bPlease help me predict the three most likely questions that human would ask,? and keep(?:ing)? each question "
    r"(?:under \d{1,3} characters|short and concise)\."
)
_INSTRUCTED = (
    # LobeChat, in its newer and its older form
    r"You are a professional conversation summarizer\. Generate a concise title ",
    r"你是一名擅长会话的助理，你需要将用户的会话总结为",
    # The template of Vercel's chatbot
    r"[\s-]*you will generate a short title based on the first message a user begins a conversation with",
    # Cherry Studio, in Chinese
    r"将给定的对话总结为一个\s?\d{1,2}\s?字以内的标题",
    r"You are an assistant skilled at conversations\. You need to summarize the user's conversation into a title ",
    # aider: what a long chat is replaced by, and what is said of a commit
    r"\*?Briefly\*? summarize this partial conversation about programming\.",
    r"You are an expert software engineer that generates concise, one-line Git commit messages based on the ",
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
    is_known = _PROMPT.match(text) is not None or _QUESTIONS.search(text[-_FOOT:]) is not None
    return is_known or _is_task(text) or is_title_prompt(text)


def _is_task(text: str) -> bool:
    """Whether all of *text* is a task over a history."""
    if _TASK.match(text) is None or _HISTORY not in text:
        return False
    _, end, rest = text.rpartition(_END_OF_HISTORY)
    return bool(end) and _AFTER_HISTORY.fullmatch(rest) is not None


def _is_instructed(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Whether instructions are about all that follows: a conversation that is pasted, or its first words."""
    first = list(takewhile(lambda one: one["role"] in INSTRUCTIONS, messages))
    if not first or any(one["role"] != "user" for one in messages[len(first) :]):
        return False
    texts = [text_of(one.get("content")).strip() for one in first[:_MOST_INSTRUCTIONS]]
    return any(_INSTRUCTION.match(text) is not None or is_title_prompt(text) for text in texts)


def _matches(text: str, pattern: str) -> bool:
    return re.fullmatch(pattern, text, re.DOTALL | re.IGNORECASE) is not None
