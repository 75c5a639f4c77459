"""The names that were said in a talk, in whatever form: inflected, in small letters, by their initials."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import takewhile
from typing import TYPE_CHECKING

from consolidation.kernel.turns import Speaker
from consolidation.text.redaction_marks import without_marks
from consolidation.text.relations import is_relation_word
from consolidation.text.words import content_words, is_dense, tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

_SAME_BEGINNING = 0.6  # of a name: "Krakowie" is Kraków, "Москве" is Москва
_SHORTEST_BEGINNING = 3
_INSIDE_NAMES = "of the de la van von der da do and"
# Who speaks, where nobody has a name, and what stands inside names.
SPEAKER_WORDS = " ".join(
    (
        *Speaker,
        _INSIDE_NAMES,
        "bot human person speaker I me you",
        "Benutzer Nutzer Nutzerin Assistent usuario usuaria asistente utilisateur utilisatrice utente assistente",
        "usuário usuária gebruiker użytkownik asystent пользователь ассистент ich yo je io eu ik ja я",
        "用户 助手 我 ユーザー アシスタント 私 المستخدم المساعد أنا",
    )
)
_KNOWN = frozenset(tokens(SPEAKER_WORDS))
_SPEAKERS = _KNOWN - frozenset(tokens(_INSIDE_NAMES))
_CAPITALISED = re.compile(r"(?<![^\W_])[^\W\d_a-zà-öø-ÿа-я]\w*")
_LONGEST_SHORT = 5  # letters of a word that is not inflected
_FEWEST_INITIALS = 3
_GOOD_PART = 0.3  # of the letters of a text


class SaidNames:
    """The names that some texts hold, in whatever form."""

    def __init__(self, texts: Sequence[str], *, speakers: Sequence[str]) -> None:
        """*speakers* are the names of those who speak: they are known, as are words like "user"."""
        texts = tuple(map(without_marks, texts))
        self._texts = (*texts, *speakers, SPEAKER_WORDS)
        self._words = frozenset(word for text in self._texts for word in tokens(text))
        self._folded = "".join(word for text in self._texts for word in tokens(text))
        self._scripts = scripts_of("".join((*texts, *speakers)))

    def can_tell(self, text: str) -> bool:
        """Whether *text* is not in other letters than the texts: "Moscow" is, in a talk of Москва."""
        own = scripts_of(text)
        return not own or not self._scripts or bool(own & self._scripts)

    def hold(self, name: str) -> bool:
        """Whether the texts have a word of *name*, as far as can be told."""
        words = tokens(name)
        if not words:
            return self._stands(name)
        initials = "".join(word[0] for word in words) if len(words) >= _FEWEST_INITIALS else ""
        telling = tuple(content_words(f"{name} {initials}", language="en")) or words  # "NYC" is New York City
        return not self.can_tell(name) or self._have_any(telling, name)

    def _have_any(self, telling: tuple[str, ...], name: str) -> bool:
        """Whether one of the *telling* words of *name* was said; "user's mother" has none, "user's brother Max" one."""
        telling = tuple(word for word in telling if word not in _KNOWN and not is_speaker(word))
        if any(map(is_speaker, tokens(name))):
            capitals = {word for one in capitalised(name) if not is_relation_word(one) for word in tokens(one)}
            telling = tuple(word for word in telling if word in capitals)
        return not telling or any(self._has(word) for word in telling)

    def _stands(self, name: str) -> bool:
        """Whether *name*, which has no word, has symbols, an emoji for one, and a text holds them in a row."""
        symbols = "".join(one for one in _without_joiners(name) if unicodedata.category(one)[0] == "S")
        return bool(symbols) and any(symbols in _without_joiners(text) for text in self._texts)

    def _has(self, word: str) -> bool:
        if word in self._words or (is_dense(word) and word in self._folded):
            return True
        return any(begin_alike(word, one) for one in self._words)


def _without_joiners(text: str) -> str:
    """*text* without what only joins or varies symbols, and may be left out of an emoji."""
    return "".join(one for one in text if unicodedata.category(one) not in ("Cf", "Mn", "Me"))


def capitalised(text: str) -> list[str]:
    """The words of *text* that begin with a capital, or with a letter of a script that has none."""
    return _CAPITALISED.findall(text)


def is_speaker(word: str) -> bool:
    """Whether *word* is one for who speaks, maybe inflected: "Nutzers"."""
    return word in _SPEAKERS or (len(word) > _LONGEST_SHORT and any(begin_alike(word, one) for one in _SPEAKERS))


def begin_alike(one: str, other: str) -> bool:
    """Whether two words begin as forms of one word do."""
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    return shared >= max(_SHORTEST_BEGINNING, _SAME_BEGINNING * max(len(one), len(other)))


def scripts_of(text: str) -> frozenset[str]:
    """The scripts of a good part of the letters of *text*, as their Unicode names begin: LATIN, CYRILLIC, CJK …"""
    letters = Counter(re.findall(r"[^\W\d_]", text))
    scripts: Counter[str] = Counter()
    for letter, times in letters.items():
        scripts[unicodedata.name(letter, "?").partition(" ")[0]] += times
    return frozenset(script for script, times in scripts.items() if times >= _GOOD_PART * scripts.total())
