"""
Finds secrets by their label: ``password=…``, "I changed my password to …", "Password for the wifi: …", "my PIN is …",
``api_key: …``, ``Authorization: Bearer …``, ``scheme://user:…@host``.

What follows such a word is a secret when it looks like one: no plain word, no name of a variable, no placeholder. The
less a sentence says that it comes, the more it must look like one. Only the secret is found, not what calls it so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from consolidation.secrets.labels import (
    AMBIGUOUS,
    CALLED,
    NAMES_NEXT,
    NO_NAME,
    OURS,
    POLISH,
    PREPOSITIONS,
    SIGNS,
)
from consolidation.secrets.likeness import (
    is_credential,
    is_date,
    is_described,
    is_exclaimed,
    is_filled,
    is_key,
    is_mixed,
    is_number,
    is_password,
    is_secret,
    is_striking,
    is_unlike_a_name,
    is_worded,
    plain,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

PASSWORD, PIN, SECRET = "password", "PIN", "secret value"
_NOT_IN_WORD = r"(?![a-zà-ÿ\u0100-\u017fа-я])"
_IS = (
    r"(?<![a-z])(?:(?:is|was|are|were)(?:\sset\sto|\scalled)?|(?:will|would|shall|should|must|can|could) be"
    r"|used to be|has been"
    r"|ist|lautet|lautete|war|wird|wäre|sei|sind|heißt|heisst|bleibt|luidt"
    r"|wordt|werd|zal|c['’]est|est|était|etait|sera|serait|es|era|fue|será|sería|foi|ser[áa]|è|é|e['’]|sarà|är|er|var|blir"
    r"|jest|było|będzie|brzmi"
    r"|je|bylo|bude|este|là|adalah|ialah|יהיה|הוא|היא|זה|είναι|ήταν|है|था|হল|је|е|це"
    r"|это|был|будет|هي|هو|كانت|ستكون|az|lett|lesz)(?=[\s:：*\"'`“„«])"
    r"|は|が|คือ|เป็น|就?是|为|為|는|은|이|가|(?:改成|改为|改為|换成|換成|设为|設為|设成|設成)了?"
)
_NOW = (
    r"(?:\s(?:now|still|currently|actually|again|just|simply|probably|jetzt|nun|noch|wieder|einfach|wohl|nu|nog|gewoon"
    r"|ahora|simplemente|maintenant|encore|toujours|simplement|agora|adesso|ora|semplicemente"
    rf"|teraz|nadal|теперь|сейчас|просто){_NOT_IN_WORD})?"
)
_ARTICLE = r"(?:\s(?:the|der|die|das|el|la|le|il|lo|o|a|de|het|to|az)(?=\s))?"
_TO_WORD = r"\s(?:[^\s,.;:=!?\"'’]|['’](?=\w)){1,30}"
_PIECE = (  # a word, or more in brackets or quotes: "for", "the", "flat", "(2.4 GHz)", "https://a.example"
    r"(?:\s(?!\[redacted:)[^\s,.;:=!?\"“”„«»'’()\[\]|<>]"
    r"(?:[^\s,.;:=!?\"“”„«»'’()\[\]|<>]|[.'’](?=\w)|['’](?=\s)|:(?=//)){0,40}"
    r"|\s?\([^()\n]{1,40}\)|\s?\[(?!redacted:)[^\[\]\n]{1,40}\]|\s[\"“„«][^\"“”„»\n]{1,40}[\"“”»]|\s'[^'\n]{1,40}')"
)
_TO = (  # "changed my password to …", where a word says that it was changed
    rf"(?:\s\[redacted: (?:password|PIN)\]|{_TO_WORD}){{0,2}}?\s(?P<way>to|from|auf|in|zu|von|naar|op|van|a|por|en|de"
    r"|para|pra|à|pour|par|con|till|från|na|z|на|с|إلى)(?=\s)"
    r"|[を를을]"
)
_CHANGED = re.compile(  # beginnings, in small letters
    r"(?<![^\W_])(?:chang|set(?![a-z])|reset|updat|switch|änder|geändert|setz|gesetzt|gewechsel|umgestellt|verander"
    r"|wijzig|gewijzigd|cambi|actualiz|puse|mud(?:ei|ar|ou|amos)|alter(?:ei|ar|ou)|troc|troquei|modifi|mis(?![a-z])"
    r"|impost|byt(?:t|a|er|te)?(?![a-z])|zmien|zmian|ustaw|смен|помен|измен|постав)|変|し|바꾸|바꿨|변경|غير"
)
_CERTAINLY_TO = frozenset({"to", "auf", "naar", "para", "pra", "till", "на", "إلى"})  # "in 2024" is when
_AROUND = 50  # characters within which such a word must be
_LETTERS = (  # in which they are written
    r"!#-&*+\-./0-:?@A-Z^_a-z~\u00a1-\u00aa\u00ac-\u00ba\u00bc-\u024f\u0370-\u052f\u0660-\u0669\u06f0-\u06f9"
)
_ODD = r"\d!#-&*+:?@^~\u00a1-\u00a9\u00ac-\u00b4\u00b6-\u00b9"  # some of which words do not have
_VALUE = (
    r"[\s*_]{0,4}(?:\"(?P<double>[^\s\"]{4,256})\"|'(?P<single>[^\s']{4,256})'|`(?P<tick>[^\s`]{4,256})`"
    rf"|(?:«\s)?(?=\S{{0,256}}?[{_ODD}])[\"'`“„«\\]{{0,2}}"
    rf"(?P<plain>\d{{4,12}}(?=[!?.,;:]{{0,3}}(?![{_LETTERS}]))|[{_LETTERS}]{{6,256}}={{0,2}}))"
)
_VALUES = ("double", "single", "tick", "plain")
_SIGN = r"[\"'`*_\\]{0,4}\s{0,3}(?:=>|:=|[:=：＝]{1,2}|→|\|(?=\s))|\s->(?=\s)|\s[—–-]{1,2}(?=\s)|[—–]"
_GIVEN = re.compile(  # "password: …"; and ``name: PASSWORD, value: …``
    rf"(?:{_SIGN}|['’]s(?=\s)|[\"'`]?[,;]?\s{{1,20}}[\"'`]?value[\"'`]?\s{{0,3}}[:=]){_VALUE}", re.IGNORECASE
)
_ELEMENT = re.compile(r"(?:\s[^<>\n]{0,80})?>\s{0,8}(?P<plain>[^\s<>]{4,256})\s{0,8}</")  # <password>…</password>
_TOLD = re.compile(  # "the password for the flat is …"
    rf"(?P<between>(?:,?{_PIECE}{{1,6}}?,?)?)\s{{0,2}}(?:{_IS}){_NOW}{_ARTICLE}[:：]?{_VALUE}", re.IGNORECASE
)
_OF = re.compile(rf"(?P<between>{_PIECE}{{1,8}}?)(?:{_SIGN}){_VALUE}", re.IGNORECASE)  # "password for the flat: …"
_CHANGED_TO = re.compile(rf"(?:{_TO}){_VALUE}", re.IGNORECASE)
_NEXT = re.compile(  # "user bob password …"
    rf"(?P<between>{_PIECE}{{0,3}}?)(?P<pause>[,;…]|\.{{3}})?[ \t]{_VALUE}", re.IGNORECASE
)
_CLAUSE_ENDS = re.compile(r"\s*(?:$|[\n.,;:!?()\[\]\"“”'’`|—。，、！？])|\s(?:and|or|but|und|oder|y|et|e|en|i|и)\s")
_UNIT = re.compile(
    r"\s?(?:[%€$£°]|-\w|(?:times|years?|days?|hours?|minutes?|characters?|chars|bytes?|bits?|digits?|letters?"
    r"|users?|people|entries|mal|jahre|tage|zeichen|stellen|veces|caracteres|dígitos|fois|caractères|volte"
    r"|caratteri|vezes|keer|tekens|razy|znak|раз|символ|次|位|個|个|文字|桁|번|자리)"
    r"|(?:px|mm|cm|km|m|kg|g|kb|mb|gb|ms)(?![a-z]))",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
    r"(?:(?P<scheme>bearer|basic|token|apikey|negotiate|digest)\s{1,3})?(?P<value>[\w.~+/=:-]{8,}+)",
    re.IGNORECASE | re.ASCII,
)
_BEARER = re.compile(r"(?<![A-Za-z])bearer\s{1,3}(?P<value>[\w.~+/-]{16,}+={0,2})", re.IGNORECASE | re.ASCII)
_USERINFO = re.compile(r"://[^\s/?#:@\"'<>]{0,100}:(?P<value>[^\s/?#\"'<>\[\]]{1,200})@(?=[\w\[$%{])")
_PARAMETER = re.compile(
    r"[?&](?:api[_-]?key|apikey|access[_-]?token|auth[_-]?token|secret|client[_-]?secret|password|passwd|pwd"
    r"|x-amz-signature|x-amz-security-token|(?P<bare>key|token|sig|signature))=(?P<value>[^\s&\"'#<>\[\]{}()|]{6,}+)",
    re.IGNORECASE,
)


class _Form(Enum):
    """How a sentence says that a secret comes."""

    GIVEN = auto()
    TOLD = auto()
    OF = auto()
    CHANGED_TO = auto()
    NEXT = auto()


_FORMS = (
    (_Form.GIVEN, _ELEMENT),
    (_Form.GIVEN, _GIVEN),
    (_Form.TOLD, _TOLD),
    (_Form.OF, _OF),
    (_Form.CHANGED_TO, _CHANGED_TO),
    (_Form.NEXT, _NEXT),
)
_MOST_BARE = 4  # words between "password" and ":" that no preposition leads
_BRACKETS = str.maketrans(dict.fromkeys("()[]\"“”„«»'’`,", " "))


@dataclass(frozen=True, slots=True)
class _Found:
    """What may be a secret: how it was called and said, the words between, its place and itself."""

    form: _Form
    called: re.Match[str]
    said: re.Match[str]
    low: str
    words: tuple[str, ...]
    start: int
    end: int
    value: str

    @property
    def text(self) -> str:
        return self.said.string

    @property
    def written(self) -> str:
        """The label as it is written, in capitals or not."""
        return self.text[slice(*self.called.span())]

    @property
    def before(self) -> str:
        """What stands before the label."""
        return self.low[max(0, self.called.start() - _AROUND) : self.called.start()]

    @property
    def is_ours(self) -> bool:
        """Whether it is said to be somebody's, before the label or by its end, "şifrem"."""
        return self.called[0].endswith("m") or OURS.search(self.before) is not None

    @property
    def is_option(self) -> bool:
        """Whether the label is an option of a command, and this its value."""
        return self.form is _Form.NEXT and not self.words and self.before.endswith("--")


def find_assigned(text: str) -> Iterator[tuple[int, int, str]]:
    """Labelled secrets: start, end, kind."""
    low = text.replace("İ", "i").lower()  # the one letter that would become two: places would be wrong
    if "authorization" in low:
        for found in _HEADER.finditer(text):
            if (is_credential if found["scheme"] else is_secret)(found["value"]):
                yield *found.span("value"), "Authorization header"
    if "bearer" in low:
        for found in _BEARER.finditer(text):
            if is_credential(found["value"]):
                yield *found.span("value"), "bearer token"
    yield from _in_addresses(text)
    if any(sign in low for sign in SIGNS):
        yield from _assigned(text, low)


def _in_addresses(text: str) -> Iterator[tuple[int, int, str]]:
    if "://" in text:
        for found in _USERINFO.finditer(text):
            if is_filled(found["value"]):
                yield *found.span("value"), "password in a URL"
    if "=" in text:
        for found in _PARAMETER.finditer(text):
            if is_secret(found["value"]) if found["bare"] is not None else is_mixed(found["value"]):
                yield *found.span("value"), "key in a URL"


def _assigned(text: str, low: str) -> Iterator[tuple[int, int, str]]:
    for called in CALLED.finditer(low):
        if text[called.start() - 1 : called.start()] in {"?", "&"} or low.endswith("[redacted: ", 0, called.start()):
            continue
        for found in _said(text, low, called):
            if _is_meant(found):
                yield found.start, found.end, _kind(called)
                break


def _said(text: str, low: str, called: re.Match[str]) -> Iterator[_Found]:
    """What may be the secret that was called so, by each form in which people say it."""
    for form, pattern in _FORMS:
        said = pattern.match(text, called.end())
        if said is None:
            continue
        groups = said.groupdict()
        place = next(name for name in _VALUES if groups.get(name) is not None)
        start, end = said.span(place)
        if place == "plain":
            if text[end : end + 1] in {"(", "[", "{"}:  # a call: the name of what gives it
                continue
            end = start + len(plain(said[place]))
        words = (groups.get("between") or "").lower().translate(_BRACKETS).split()
        yield _Found(form, called, said, low, tuple(words), start, end, text[start:end])


def _kind(called: re.Match[str]) -> str:
    if called["password"] is not None:
        return PASSWORD
    return SECRET if called["pin"] is None else PIN


def _is_meant(found: _Found) -> bool:
    """Whether it is what was called a password, a PIN or a key, by how it looks and by the words between."""
    is_pin = found.called["pin"] is not None
    if found.called["password"] is None and not is_pin:
        return _is_meant_as_key(found)
    if found.form is _Form.CHANGED_TO and not _is_changed(found):
        return False
    if found.value.isdigit() or is_pin:
        return _is_meant_as_number(found)
    if found.form is _Form.NEXT:
        return _is_next(found)
    if found.form is _Form.TOLD or found.form is _Form.OF:
        is_word = is_exclaimed(found.value) or is_described(found.value) or not _is_of(found.words)
    else:
        is_word = found.called[0] in AMBIGUOUS and is_worded(found.value)
    return not is_word and is_password(found.value)


def _is_meant_as_key(found: _Found) -> bool:
    if found.words and (found.form is _Form.NEXT or found.words[0] not in PREPOSITIONS):
        return False
    is_said = found.form in {_Form.GIVEN, _Form.TOLD} and (found.called["key"] or not found.words)
    is_named = found.called["key"] or (found.called["secret"] and not is_worded(found.value))
    return is_secret(found.value) or bool(is_named and (is_said or found.form is _Form.OF) and is_key(found.value))


def _is_meant_as_number(found: _Found) -> bool:
    """A PIN, or a password of digits, and no year, count or amount."""
    is_pin = found.called["pin"] is not None
    is_clear = found.form is _Form.GIVEN or found.is_option
    if not is_number(found.value) and (is_pin or not is_password(found.value)):
        return False
    if is_clear:
        is_many = found.called[0].endswith("s")
        return not is_many and (found.called[0] not in AMBIGUOUS or not is_date(found.value))
    if _UNIT.match(found.text, found.end) is not None or not _is_of(found.words):
        return False
    is_last = _CLAUSE_ENDS.match(found.text, found.end) is not None
    if is_date(found.value):
        is_told = found.form is _Form.TOLD or (found.form is _Form.CHANGED_TO and found.said["way"] in _CERTAINLY_TO)
        return is_last and is_told
    if found.form is _Form.NEXT:
        is_unmistakable = is_pin and found.said["pause"] is None and (found.written != "pin" or found.is_ours)
        is_called = is_pin or found.is_ours or found.called[0] == "passcode" or is_password(found.value)
        return not found.words and (is_unmistakable or (is_last and is_called))
    return found.form is not _Form.OF or is_pin or found.words[0] in PREPOSITIONS or is_password(found.value)


def _is_of(words: tuple[str, ...]) -> bool:
    """Whether the words after the label say what it is for, and make no other word of it ("password policy")."""
    if not words or words[0] in PREPOSITIONS:
        return True
    return len(words) <= _MOST_BARE and NO_NAME.isdisjoint(words)


def _is_next(found: _Found) -> bool:
    """Whether it looks so much like a password that the word before it is enough."""
    if found.is_option:
        return is_password(found.value)
    if found.called[0] in AMBIGUOUS and not found.is_ours:
        return False
    if not found.words and found.said["pause"] is None:
        return is_striking(found.value)
    is_name = not NAMES_NEXT.isdisjoint(found.words[-1:]) or not _is_of(found.words)
    return not is_name and is_unlike_a_name(found.value)


def _is_changed(found: _Found) -> bool:
    """Whether a word around "password to …" says that it was changed, or that "to" is Polish for "is"."""
    before, between = found.before, found.low[found.called.end() : found.start]
    after = found.low[found.said.end() : found.said.end() + _AROUND]
    if found.said["way"] == "to" and (" do " in between or POLISH.search(before + found.called[0]) is not None):
        return True
    return any(_CHANGED.search(one) is not None for one in (before, between, after))
