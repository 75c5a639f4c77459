"""
What an agent does in its life, as a function of a number, so that whoever posts it posts the same; and dreams that write
every file.

Of twenty actions one is a request of a person, one a thought, one a call that fails. Each holds its token once.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta
from functools import wraps

from prompts.responses import DreamtRules

MIND, SESSION = "ada", "life"
TOKEN = re.compile(r"\bk\d{6}\b")
MANY = 20
REQUEST, THOUGHT, FAILURE = 7, 13, 17  # of twenty
TOOLS = ("shell", "browser", "editor")


def token_of(number):
    """What an action's words are found again by."""
    return f"k{number:06d}"


def request_of(number):
    """What a person asks for in the action of this number."""
    return f"Please look after the garden bed {token_of(number)} before noon."


def is_request(number):
    return number % MANY == REQUEST


def action_of(number, *, day):
    """The action of this number on this day, as it is posted."""
    at = datetime.combine(day, time(12), tzinfo=UTC) + timedelta(seconds=number)
    words = {"id": f"a{number}", "timestamp": at.isoformat()}
    if is_request(number):
        return {**words, "kind": "message", "text": request_of(number)}
    if number % MANY == THOUGHT:
        return {**words, "kind": "thought", "text": f"I have looked after the bed {token_of(number)} and get on."}
    is_ok = number % MANY != FAILURE
    said = f"{token_of(number)} is {'watered' if is_ok else 'still dry'}"
    return {
        **words,
        "kind": "tool_call",
        "tool": TOOLS[number % 3],
        "input": {"n": number},
        "ok": is_ok,
        "output": said,
    }


def rule_of(token):
    return f"After {token} look twice before the next step."


def briefing_of(token):
    return f"The newest request is {token}."


def dream_of_everything():
    """
    Let a dream without a model, which only quotes, write a rule and a briefing, too, and a deep sleep end what failed.

    Only for the process of the harness: else these files would never be written there.
    """
    from service.adapters import extractive_model

    rules = extractive_model._RULES
    rules["dream"], rules["deep_sleep"] = _with_more(rules["dream"]), _with_ends(rules["deep_sleep"])


def _with_more(quote):
    @wraps(quote)
    def dream(words):
        found = quote(words)
        asked = [one for item in words["items"] if item.who == "user" for one in TOKEN.findall(item.text)]
        if not asked:
            return found
        more = {"rules": DreamtRules(add=(rule_of(asked[-1]),)), "briefing": briefing_of(asked[-1])}
        return found.model_copy(update=more)

    return dream


def _with_ends(quote):
    @wraps(quote)
    def deep_sleep(words):
        ours = [one for one in words["observations"] if one["number"] and one["line"].startswith("YLW")]
        return quote(words).model_copy(update={"superseded": tuple(one["number"] for one in ours)})

    return deep_sleep
