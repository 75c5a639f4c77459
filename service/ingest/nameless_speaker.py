"""
Whether a fact tells of who speaks in a mind where nobody has a name: as "I", as "the user", or by what they are called.

What somebody is called there is read from what they said: "ich heiße Jana".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from consolidation.corrections.wording import names_any
from consolidation.kernel.turns import Speaker
from consolidation.text.first_person import says_i
from consolidation.text.language import detect
from consolidation.text.names import name_key
from consolidation.text.relations import is_relation_word
from consolidation.text.words import stems, tokens
from service.retrieval.lead_words import without_lead
from service.retrieval.tellers import people_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from consolidation.kernel.turns import Message
    from service.mind.minds import Mind

_MOST_TURNS = 30  # that may say a name
_PERSON = re.compile(
    r"(?:(?<!\w)|(?<=['’]))(?:users?|(?:be)?nutzer(?:in|s|innen)?|usuari[oa]|usuári[oa]|utilisat(?:eur|rice)|utente"
    r"|gebruik(?:er|ster)s?|użytkowni\w{1,6}|пользовател\w{1,6}|(?:ال|لل)مستخدم\w{0,2})(?!\w)"
    r"|用户|用戶|ユーザー?|利用者",
    re.IGNORECASE,
)
# Words by which people say their name, and what full text knows them by.
_SAYS_NAME = (
    r"my name is|my name's|my name’s|i am called|i'm called|i’m called|just call me|you can call me"
    r"|(?:hi|hello|hey)[,!. ]+(?:i am|i'm|i’m|im|this is)"
    r"|ich hei(?:ß|ss)e|mein name ist|nenn mich|(?:hallo|hi|servus|moin)[,!. ]+ich bin(?: die| der)?"
    r"|me llamo|mi nombre es|(?:hola|buenas)[,!. ]+soy"
    r"|je m['’]appelle|mon (?:nom|prénom) est|(?:bonjour|salut)[,!. ]+(?:moi c['’]est|je suis)"
    r"|mi chiamo|il mio nome è|(?:ciao|salve)[,!. ]+sono"
    r"|(?:eu )?me chamo|chamo-me|meu nome é|(?:olá|oi)[,!. ]+(?:eu )?sou (?:o |a )?"
    r"|ik heet|mijn naam is|(?:hallo|hoi)[,!. ]+ik ben"
    r"|nazywam się|mam na imię|na imię mi"
    r"|меня зовут|мо[её] имя"
)
_NAME = r"[^\W\d_][^\W\d_'’-]*(?:['’-][^\W\d_]+)*"
_INTRODUCES = re.compile(
    rf"(?<!\w)(?:{_SAYS_NAME})[\s:„“\"«]+(?P<name>(?-i:(?=[^\W\d_a-zß-öø-ÿа-яё])){_NAME})", re.IGNORECASE
)
_INTRODUCES_DENSE = re.compile(
    r"(?:我叫|我的名字[是叫]|我名叫)(?P<zh>[\u4e00-\u9fff]{1,4}?)(?=[，。,.！!、\s]|$)"
    r"|(?:名前は|[私僕俺]は)(?P<ja>[\u3040-\u30ff\u4e00-\u9fff]{1,8}?)(?:です|と申します|といいます|と言います)"
    r"|(?:اسمي|أدعى)\s+(?:هو\s+)?(?P<ar>[\u0620-\u064a]{2,15})"
)
_ASKED_AS = (
    "name call heiße Name llamo nombre appelle nom prénom chiamo nome chamo heet naam nazywam imię зовут имя اسمي"
)


def introduced(texts: Iterable[str]) -> frozenset[str]:
    """The names of which somebody says in *texts* that they are theirs."""
    found = (one for text in texts for one in (*_INTRODUCES.finditer(text), *_INTRODUCES_DENSE.finditer(text)))
    return frozenset(name for one in found for name in one.groupdict().values() if name)


def names_said(mind: Mind, text: str) -> frozenset[str]:
    """
    The names in *text* of which somebody in *mind* said that they are theirs; none where a person has a name.

    Raises IndexUnusable, TranscriptUnreadable; it blocks.
    """
    if people_in(mind):
        return frozenset()
    languages = {*mind.text.languages(), detect(text)}
    words = tuple(one for language in languages for one in stems(f"{_ASKED_AS} {text}", language=language))
    found = [hit.number for hit in mind.text.search("turns", words, limit=_MOST_TURNS)]
    said = (one for turn in mind.transcript.read_now(sorted(found)) for one in turn.turn.messages)
    names = introduced(one.content for one in said if one.role is Speaker.USER)
    return frozenset(one for one in names if names_any(text, (name_key(one),)))


def speaks_alone(said: Iterable[Message]) -> bool:
    """Whether a person without a name speaks, and nobody who has one."""
    return {one.known_as for one in said if one.role is Speaker.USER} == {""}


def are_of_the_speaker(one: str, other: str, *, names: Collection[str]) -> bool:
    """Whether two facts tell of who speaks, who has these *names*, and neither of a relative of theirs alone."""
    bare = [without_lead(text) for text in (one, other)]
    first, second = ({word for word in tokens(text) if is_relation_word(word)} for text in bare)
    return first == second and all(_is_of_the_speaker(text, names) for text in bare)


def _is_of_the_speaker(text: str, names: Collection[str]) -> bool:
    is_named = names_any(text, map(name_key, names))
    return is_named or _PERSON.search(text) is not None or says_i(text, languages=(detect(text),))
