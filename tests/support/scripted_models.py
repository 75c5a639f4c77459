"""What a hosted model says in a test, by prompt; and settings that ask it."""

from __future__ import annotations

import re

from tests.support.service import QUICK, settings_of
from tests.twins.provider import ScriptedProvider

_OPENINGS = {
    "extraction": "Read one turn",
    "identities": "New names came up",
    "settlements": "New facts came up",
    "seeds": "You are the part of",
    "narration": "You are the memory of",
    "ask": "You answer a question from the memory of",
    "story_first": "You are the assistant, and you write",
    "story_next": "You are the assistant, and you go on",
    "dream": "You are the consolidating mind of the assistant, an autonomous agent that is asleep",
    "deep_sleep": "You are the consolidating mind of the assistant, an autonomous agent in deep sleep",
}
_SAID = re.compile(r"^<said [^\n]*>\n(.*?)\n</said>$", re.DOTALL | re.MULTILINE)
_NAME = re.compile(r"\b[A-Z][a-z]+\b")


class Brain:
    """Answers each prompt by a rule that a test may replace: a function of the prompt's text, or an answer."""

    def __init__(self, **rules):
        self.rules = {
            "extraction": read_turn,
            "identities": {"identities": []},
            "settlements": {"settlements": []},
            "seeds": {"entities": [], "queries": [], "wonders": []},
            "narration": as_found,
            **rules,
        }

    def __call__(self, body):
        prompt = body["messages"][0]["content"]
        rule = self.rules[prompt_of(body)]
        return rule(prompt) if callable(rule) else rule


def prompt_of(body):
    """Which of our prompts a request is."""
    text = body["messages"][0]["content"]
    return next(name for name, opening in _OPENINGS.items() if text.startswith(opening))


def between(text, mark):
    """What stands between ``<mark>`` and ``</mark>``."""
    return text.partition(f"<{mark}>\n")[2].partition(f"\n</{mark}>")[0]


def read_turn(prompt):
    """Every capitalised word is an entity; every sentence with two of them a fact of both."""
    entities, facts = {}, []
    for said in _SAID.findall(between(prompt, "turn")):
        for sentence in re.split(r"(?<=[.!?])\s+", said):
            names = list(dict.fromkeys(_NAME.findall(sentence)))
            entities |= dict.fromkeys(names)
            if len(names) > 1:
                facts.append({"source": names[0], "relation": "SAID", "target": names[1], "fact": sentence})
    return {"entities": [{"name": name} for name in entities], "facts": facts}


def as_found(_prompt):
    """What would surface without a model does, in its own words."""
    return {"lines": []}


def telling(**texts):
    """A narration that chooses the candidates in whose words a key stands, and tells each as its value says, if any."""

    def answer(prompt):
        chosen = {}
        for number, text in numbers(prompt).items():
            known = next((key for key in texts if key in text), None)
            if known and texts[known] is not None:
                chosen[number] = texts[known]
        return {"surfaces": list(chosen), "lines": [{"number": n, "text": said} for n, said in chosen.items()]}

    return answer


def numbers(prompt):
    """The candidates of a narration prompt by number."""
    found = re.findall(r"^(\d+)\. \[[^\]]*\] (.*)$", between(prompt, "candidates"), re.MULTILINE)
    return {int(number): text for number, text in found}


def prompts(provider, name):
    """The prompts of one kind that a provider was asked, in order, repairs left out."""
    asked = [one.body for one in provider.chats if len(one.body["messages"]) == 1]
    return [body["messages"][0]["content"] for body in asked if prompt_of(body) == name]


def turns_read(provider):
    """The words of each turn whose extraction was asked for, in order."""
    return ["\n".join(_SAID.findall(between(prompt, "turn"))) for prompt in prompts(provider, "extraction")]


def hosted(home, provider, *roles, digestion=QUICK, at_once=4, **more):
    """Settings with *roles* (all the service asks, when left out) at *provider*, *at_once* calls to it together."""
    timeout = {"timeout_seconds": more.pop("timeout_seconds")} if "timeout_seconds" in more else {}
    models = models_of(provider, *(roles or ("extraction", "subconscious")), **timeout)
    return settings_of(home, models={**models, "at_once": at_once}, digestion=digestion, **more)


def models_of(provider, *roles, **more):
    """The settings of *roles* at *provider*."""
    return {role: {"model": "openai/scripted", "api_base": provider.url, "api_key": "k", **more} for role in roles}


def provider_of(brain, **more):
    """A provider that answers as *brain* says."""
    return ScriptedProvider(respond=brain, **more)


def free(provider):
    """Let every caller go that a provider lets hang, so that the service need not wait for them when it ends."""
    provider._over.set()
