"""
Which names a speaker may have, and how one is shown: on a printable line, as no other role and none of our own words.

What a memory says of its speaker stands in front of the words: "Ann told me: …". A name that is a role's word, or that
ends the line, would make one speaker's words another's.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

LONGEST = 60  # letters
_NOT_SHOWN = str.maketrans("", "", '"“”„«»「」『』<>')  # they would end an attribute of a prompt, or a quotation
_COLONS = frozenset(":\u2236\ua789\u02d0\u02f8\u05c3\u0589\u1804\u205a\ufe30")  # and what looks like one
_JOINERS = dict.fromkeys((0x200C, 0x200D))  # within Persian words and emoji
_STOP = re.compile(r"[.!?]+(?=\s)")  # "Dr. Ann": to whoever reads the story, a stop in an introduction ends a sentence
# Letters of other alphabets that look like Latin ones.
_LOOK_ALIKES = str.maketrans("аеіјорѕсухһԁԛԝαεικνορτυχ", "aeijopscyxhdqwaeikvoptux")
# What roles are called, and the words by which our own introductions name a speaker.
_ROLES = {
    "user": (
        "user human usuario usuaria benutzer nutzer utilisateur utente usuário 用户 用戶 ユーザー пользователь مستخدم"
    ),
    "assistant": "assistant bot model asistente assistent assistente 助手 アシスタント ассистент помощник مساعد",
    "system": "system developer sistema système 系统 系統 システム система نظام",
    "tool": "tool function herramienta werkzeug outil strumento ferramenta 工具 ツール инструмент أداة",
    "thought": "thought",
    "": "i me myself you they them we us ich man je on 我 对方 對方 私 僕 俺 я أنا",
}
_NAMES_TOO = frozenset("man on je".split())  # a person's where they begin with a capital
_ARTICLES = frozenset("the a an your my der die das dein el la le les il lo o os".split())
_BETWEEN = re.compile(r"[\W\d_]+")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", _seen(name).casefold())


def _seen(name: str) -> str:
    plain = unicodedata.normalize("NFKC", name)
    return "".join(letter for letter in plain if unicodedata.category(letter) != "Cf")


_RESERVED = {_folded(word): role for role, words in _ROLES.items() for word in words.split()}


def fault_in(name: str, *, role: str) -> str:
    """Why somebody with *role* may not have this *name*; "" when they may."""
    if not name.translate(_JOINERS).isprintable() or len(name) > LONGEST:
        return f"must be one printable line of at most {LONGEST} letters"
    spelled = _BETWEEN.split(_seen(name))
    if any(word[:1].isupper() and word.casefold() in _NAMES_TOO for word in spelled):
        return ""
    words = _BETWEEN.split(_folded(name))
    for spelling in (words, [word.translate(_LOOK_ALIKES) for word in words]):
        meant = [word for word in spelling if word and word not in _ARTICLES]
        roles = {_RESERVED.get(word) for word in meant}
        if None not in roles and roles - {role}:
            return "must not be a word for another speaker, such as a role"
    return ""


def role_named(word: str) -> str:
    """The role that a word means, such as "Bot" or "Benutzer"; "" for any other."""
    return _RESERVED.get(_folded(word), "")


@lru_cache(maxsize=4096)
def shown_name(name: str | None, *, role: str) -> str:
    """
    *name* as it is shown; "" where there is none, or where it could make one speaker's words another's.

    That is a name that somebody with *role* may not have, the role's own word, or one with a colon ("Dr: X"): what a
    speaker said stands behind one.
    """
    if name is None or fault_in(name, role=role) or not _COLONS.isdisjoint(unicodedata.normalize("NFKC", name)):
        return ""
    shown = " ".join(_STOP.sub("", name.translate(_NOT_SHOWN)).split())
    return "" if _RESERVED.get(_folded(shown)) == role else shown
