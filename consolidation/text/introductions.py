"""How people say their own name, and how they ask for it: "ich heiße Jana", "what's my name?"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# Words by which people say their name.
_SAYS_NAME = (
    r"my name is|my name's|my name’s|i am called|i'm called|i’m called|calls? me|i go by"
    r"|(?:hi|hello|hey)[,!. ]+(?:i am|i'm|i’m|im|this is)"
    r"|ich hei(?:ß|ss)e|mein name ist|nennt? mich|(?:hallo|hi|servus|moin)[,!. ]+ich bin(?: die| der)?"
    r"|me llamo|mi nombre es|ll[aá]m[ae]me|(?:hola|buenas)[,!. ]+soy"
    r"|je m['’]appelle|appelle[sz]?-moi|mon (?:nom|prénom) est|(?:bonjour|salut)[,!. ]+(?:moi c['’]est|je suis)"
    r"|mi chiamo|chiamami|il mio nome è|(?:ciao|salve)[,!. ]+sono"
    r"|(?:eu )?me chamo|me chame de|me chamar de|chamo-me|meu nome é|(?:olá|oi)[,!. ]+(?:eu )?sou (?:o |a )?"
    r"|ik heet|noemt? (?:me|mij)|mijn naam is|(?:hallo|hoi)[,!. ]+ik ben"
    r"|nazywam się|mam na imię|na imię mi|mów mi"
    r"|меня зовут|(?:зови|называй)(?:те)? меня|мо[её] имя"
)
_NAME = r"[^\W\d_][^\W\d_'’-]*(?:['’-][^\W\d_]+)*"
_INTRODUCES = re.compile(
    rf"(?<!\w)(?:{_SAYS_NAME})[\s:„“\"«]+(?P<name>(?-i:(?=[^\W\d_a-zß-öø-ÿа-яё])){_NAME})", re.IGNORECASE
)
_INTRODUCES_DENSE = re.compile(
    r"(?:我叫|我的名字[是叫]|我名叫)(?P<zh>[\u4e00-\u9fff]{1,4}?)(?=[，。,.！!、\s]|$)"
    r"|(?:(?<!の)名前は|[私僕俺]の名前は)(?P<ja>[\u3040-\u30ff\u4e00-\u9fff]{1,8}?)(?:です|と申します|といいます|と言います)"
    r"|[私僕俺]は(?P<ja_i>[\u3040-\u30ff\u4e00-\u9fff]{1,8}?)(?:と申します|といいます|と言います)"
    r"|(?:اسمي|أدعى)\s+(?:هو\s+)?(?P<ar>[\u0620-\u064a]{2,15})"
)
_ASKS = re.compile(
    r"\bmy (?:own |full |first |given |last |real )?name\b(?! (?:tag|badge|day|plate)s?\b)|\bwho (?:am i|i am)\W*$"
    r"|\bwhat am i called\b"
    r"|\b(?:what|how) (?:do|should|can) (?:you|people|they) call me\b"
    r"|\bmein(?:en)? (?:voller |vollen )?(?:vor|nach|familien)?namen?\b|\bhei(?:ß|ss)e ich\b|\bich hei(?:ß|ss)e\b"
    r"|\bwer (?:bin ich|ich bin)\W*$|\bwie nennst du mich\b"
    r"|\bmi nombre\b|\bme llamo\b|\bqui[eé]n soy(?: yo)?\W*$"
    r"|\bmon (?:pré)?nom\b|\bje m['’]appelle\b|\bm['’]appell?é-je\b|\bqui (?:je suis|suis-je|est-ce que je suis)\W*$"
    r"|\bil mio nome\b|\bmi chiamo\b|\bchi sono(?: io)?\W*$"
    r"|\bmeu nome\b|\bme chamo\b|\bchamo-me\b|\bquem (?:é que )?(?:eu )?sou(?: eu)?\W*$"
    r"|\bmijn (?:voor|achter)?naam\b|\bheet ik\b|\bik heet\b|\bwie (?:ben ik|ik ben)\W*$"
    r"|\bmam na (?:imię|nazwisko)\b|\bmoje (?:imię|nazwisko)\b|\bsię nazywam\b|\bnazywam się\b|\bkim jestem\W*$"
    r"|\bменя зовут\b|\bмо[её] имя\b|\bкто я\W*$"
    r"|我(?:的名字)?叫(?:什么|什麼|啥)|我的名字|我是[谁誰]|[私僕俺]の名前|[私僕俺]は[誰だ]|ما اسمي|\bاسمي\b|من أنا\W*$",
    re.IGNORECASE,
)


def introduced(texts: Iterable[str]) -> frozenset[str]:
    """The names of which somebody says in *texts* that they are theirs."""
    found = (one for text in texts for one in (*_INTRODUCES.finditer(text), *_INTRODUCES_DENSE.finditer(text)))
    return frozenset(name for one in found for name in one.groupdict().values() if name)


def asks_own_name(question: str) -> bool:
    """Whether *question* asks what its writer is called."""
    return _ASKS.search(question) is not None


def is_of_own_name(text: str) -> bool:
    """Whether *text* says what its writer is called, also in small letters, or asks for it."""
    return asks_own_name(text) or bool(introduced((text,)))
