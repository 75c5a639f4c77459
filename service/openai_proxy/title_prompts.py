"""
Recognises an order to name a conversation, as front ends word it, and not a person's for a title of their own text.

Such an order says what is to be named (this conversation, this chat), how long the name may be, and how it is to be
written. It does not say "my". It stands at the beginning of a prompt, or below the conversation that is pasted above
it. Patterns are bounded: a message may be long.
"""

from __future__ import annotations

import re

_HEAD, _FOOT, _BELOW = 800, 200, 900  # characters: where orders are, above, at the end, and at the end with examples

_MAKE = (
    r"(?:generate|provide|create|write|produce|give|find|suggest|propose|extract|devise"
    r"|come\sup\swith|(?:reply|respond|answer|return)\swith)"
)
_CHAT = r"(?:conversation|chat|discussion|dialog(?:ue)?)"
_TITLE = r"an?\s(?:[\w'’-]{1,20},?\s){0,6}?titles?\b"
# The conversation itself. "The chat group of my choir" and "a conversation about grief" are something else.
_GOES_ON = (
    r"so\sfar|above|below|history|messages?|log|transcript|menu|based\son|into|within|using|without|omitting|ignoring|later"
    r"|that(?!\s(?:i|we)\b)|between\s(?:an?|the)\s(?:user|human)|with\s(?:an?\s)?(?:max|at\smost|no\s|up\sto|\d)"
    r"|in\s(?:at\smost|no\smore|under|fewer|less|the\s(?:user|same|chat)|\d|\w{3,5}\s(?:to\s\w{3,5}\s)?words?)"
)
_WHOLE = (
    r"\b(?:the|this|our|an?|given|following|above|current)\s(?:ongoing\s|entire\s|whole\s)?"
    rf"(?:{_CHAT}(?:\sthread)?|(?:chat|coding|current)\ssession)(?=\s{{0,3}}(?:[.,;:()\n!]|\Z)|\s(?:{_GOES_ON})\b)"
)
_NAMED = rf"(?:an?\s(?:[\w'’-]{{1,20}},?\s){{0,5}}?{_CHAT}\s(?:thread\s)?title\b|{_TITLE}[^\n.]{{0,80}}?{_WHOLE})"

_ORDERS = (
    # LibreChat, NextChat, n8n, Zed
    rf"(?:please\s|now\s)?{_MAKE}\s{_NAMED}",
    # Cherry Studio
    rf"(?:please\s)?summari[sz]e\s(?:[\w'’]{{1,12}}\s){{0,3}}?(?:{_CHAT}|session)\b[^\n.]{{0,40}}?\b(?:into|as|in|to)\s{_TITLE}",
    # Continue, big-AGI
    rf"(?:given|analy[sz]e|based\son|read|considering|review)\b[^\n]{{0,160}}?\b{_MAKE}\s{_NAMED}",
    # apps without a name
    rf"(?:[^\n]{{0,80}}?\b)?(?:tasked\swith|your\s(?:task|job|role)\sis\sto)\s(?:generat|creat|provid)\w{{1,3}}\s{_NAMED}",
)
_ORDER = re.compile(rf"(?:<\w{{1,12}}>\s{{0,3}})?(?:{'|'.join(_ORDERS)})", re.IGNORECASE)
# Instructions that make a model a maker of titles, of chats: OpenCode, HuggingChat, Agent Zero.
_MAKER = re.compile(
    r"(?:[^\n]{0,40}\n){0,2}?[\s#*-]{0,8}You\s(?:(?:will\s)?generate\s(?:[\w-]{1,12},?\s){0,4}?titles?\b"
    r"|are\san?\s(?:[\w-]{1,20}\s){0,5}?(?:titles?|titling|naming)\s(?:generator|assistant|expert)\b)",
    re.IGNORECASE,
)
_OF_CHATS = re.compile(
    rf"\b(?:{_CHAT}|thread|session)\s(?:titles?|names?|titling|naming)\b|\b(?:chat|conversation)\sthread\b"
    r"|\bthis\sconversation\b|\buser['’]s\sfirst\smessage\b|\bfirst\suser\smessage\b",
    re.IGNORECASE,
)
# The order stands below what is to be named: Page Assist, an older Open WebUI, Dify, LobeChat.
_LAST_ORDER = re.compile(
    rf"\n[\s>#*-]{{0,5}}(?:please\s|now\s)?(?:{_MAKE}\san?\s(?:[\w'’-]{{1,20}},?\s){{0,6}}?(?:phrase|title)\b"
    rf"[^\n.]{{0,60}}?\b(?:previous|above|preceding)\s(?:query|{_CHAT})\b"
    rf"|summari[sz]e\sthe\s(?:above|previous)\s{_CHAT}\s(?:into|as)\s{_TITLE}"
    r"|help\sme\ssummari[sz]e\sthe\sintent\sof\swhat\sthe\shuman\ssaid\sand\sprovide\sa\stitle\b)",
    re.IGNORECASE,
)
_LENGTH = re.compile(
    r"\b(?:\d{1,3}|three|four|five|six|seven|eight|ten|few|couple\sof)[\s-](?:words?|char(?:acter)?s?|letters)\b",
    re.IGNORECASE,
)
_FORM = re.compile(
    r"\bpunctuation\b|\btitle case\b|\bquot(?:es?|ation marks?)\b|\btitle:\s*\Z|\btitle\s(?:only|itself)\b|\bpreamble\b"
    r"|\b(?:only|just)\s(?:the|return|output|respond|reply|answer)\b|\b(?:return|output|respond|reply|answer)\s(?:with\s)?only\b"
    r"|\b(?:nothing|anything)\s(?:else|but|except|other\sthan)\b|\bno\s(?:additional|extra|explanations?)\b",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:my|mine|i(?!\.e)|i['’]m|i['’]ve)\b", re.IGNORECASE)  # who has a text, and wants it named


def is_title_prompt(text: str) -> bool:
    """Whether *text* is an order to name a conversation, and perhaps that conversation."""
    head, foot = text[:_HEAD], text[-_BELOW:]
    order = _ORDER.match(head) or (_OF_CHATS.search(head) and _MAKER.match(head))
    if order:
        return _is_meant(head, order, f"{head}\n{text[_HEAD:][-_FOOT:]}")
    last = _LAST_ORDER.search(foot)
    return last is not None and _is_meant(foot, last, foot[last.start() :])


def _is_meant(text: str, order: re.Match[str], orders: str) -> bool:
    """Whether nobody says "my" beside the *order* in *text*, and the *orders* have a length and a form."""
    line = order[0] + text[order.end() :].partition("\n")[0]
    return all((_OWN.search(line) is None, _LENGTH.search(orders), _FORM.search(orders.rstrip())))
