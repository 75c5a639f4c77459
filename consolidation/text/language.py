"""
Guesses the language of a message: by its script where the script tells, else by py3langid.

A guess on too little is worse than none, since it picks the stemmer and the prompt's language: where a few words could
be several languages, the fallback (what this person wrote before) decides. A question says more: "¿Dónde vivo?" is two
words long, and only Spanish asks so.
"""

from __future__ import annotations

import copy
import functools
import re
import threading
import unicodedata
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from consolidation.text.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    Classifier = Callable[[str], list[tuple[str, float]]]

LONGEST_SAMPLE = 2_000
FEWEST_WORDS = 3
LEAST_CONFIDENCE = 0.5
_FEWEST_GUESSED_WORDS = 2  # "Soy enfermera", where the words and the model say the same
_LEAST_SHARE = 0.7  # of what the model gives to all languages that have as many of the words
# Where the language is sure, not only likely: a few foreign names or a quoted word must not decide.
FEWEST_SURE_WORDS = 5
SURE_CONFIDENCE = 0.95
SURE_SHARE = 0.8  # of the letters, in the script of most of them
_LEAST_FOREIGN = 0.6  # in a language that whoever writes has not used so far
_FIRST_WORDS = 2  # among which a question word stands: "a qué", "since when"

_WITH_HAN = ("zh", "ja", "ko")

# By the first word of a letter's Unicode name.
SCRIPTS = {
    "LATIN": "latin", "CYRILLIC": "cyrillic", "CJK": "han", "IDEOGRAPHIC": "han", "HIRAGANA": "kana",
    "KATAKANA": "kana", "KATAKANA-HIRAGANA": "kana", "HANGUL": "hangul", "THAI": "thai", "ARABIC": "arabic",
    "HEBREW": "hebrew", "GREEK": "greek", "DEVANAGARI": "devanagari",
}  # fmt: skip
# A letter of these says as much as several of the others.
WEIGHTS = {"han": 3, "kana": 2, "hangul": 2}
# The first is meant where nothing tells them apart; the fallback, where it is among them.
LANGUAGES = {
    "latin": ("en", "es", "de", "fr", "it", "pt", "nl", "pl", "sv", "da", "no", "fi", "ro", "hu", "tr", "cs", "ca",
              "id", "vi", "et", "lt", "ga", "eu"),
    "cyrillic": ("ru", "uk", "bg", "sr"),
    "han": ("zh",), "kana": ("ja",), "hangul": ("ko",), "thai": ("th",), "hebrew": ("he",), "greek": ("el",),
    "arabic": ("ar", "fa", "ur"),
    "devanagari": ("hi", "mr", "ne"),
}  # fmt: skip
# Letters that one language of a script has and its neighbours lack; the first match wins.
TELLING_LETTERS = {
    "cyrillic": (("uk", "іїєґ"), ("sr", "ђјљњћџ"), ("ru", "ыэё")),
    "arabic": (("ur", "ٹڈڑںےہھ"), ("fa", "پچژگکی")),
}
# The code page of Japanese has some letters that only Chinese still uses.
_NEVER_JAPANESE = frozenset("們嗎麼沒給讓還過說對這那很她荐无")
# Words that a question begins with. Those that begin one in English as well stand there, too: "was", "come".
QUESTION_WORDS = {
    "en": "what where when who whom whose which why how was come comment",
    "de": "was wo wann wer wen wem wessen warum wieso weshalb wie woher wohin wofür wogegen womit worüber welche "
          "welcher welches welchen welchem",
    "es": "qué que quién quien quiénes quienes dónde donde adónde cuándo cuando cómo como cuál cual cuáles cuánto "
          "cuanto cuánta cuanta cuántos cuantos cuántas cuantas",
    "fr": "qu que quoi qui où quand comment pourquoi quel quelle quels quelles combien",
    "it": "che cosa chi dove quando come perché quale quali qual quanto quanta quanti quante",
    "pt": "que quem onde aonde quando como qual quais quanto quanta quantos quantas",
    "nl": "wat waar wie wanneer waarom hoe hoeveel welk welke",
    "pl": "co kto kogo komu gdzie kiedy dlaczego jak jaki jaka jakie jakim jakiego jakiej ile czy który która które "
          "skąd dokąd",
    "ru": "что кто кого кому кем чем где когда почему зачем как какой какая какое какие каком сколько куда откуда чей",
    "uk": "що хто кого кому ким чим де коли чому навіщо як який яка яке які скільки куди звідки чий",
    "bg": "какво кой кого къде кога защо как каква какви колко откъде чий",
    "sr": "шта ко кога коме где када зашто како који која које колико куда одакле",
}  # fmt: skip
_QUESTION_MARKS = "?？؟"

# Code, addresses, mentions, paths. Bounded where it looks ahead: \S+@ takes quadratic time over one endless word.
_NOT_PROSE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\b(?:https?://|www\.)\S+|[^\s@]{1,64}@\S+|(?<!\w)[@#/]\w\S*", re.DOTALL
)
_WORD = re.compile(r"[^\W\d_]+")
_LOADING = threading.Lock()


def primary_subtag(tag: str) -> str:
    """The language of a tag alone: "de" of "de-AT", "DE" and "de_AT"."""
    return re.split(r"[-_]", tag.casefold(), maxsplit=1)[0]


def detect(text: str, *, fallback: str = "en", spoken: Collection[str] = ()) -> str:
    """
    Name the language most of *text* is written in by its two-letter code; *fallback* where it does not say.

    *spoken* are the languages of whoever writes: another one has to be more than a guess.
    """
    prose = _prose(text)
    found = _detected(prose, fallback=fallback)
    script = _main_script(prose)
    is_said_by_script = script != "latin" and not any(one in LANGUAGES.get(script or "", ()) for one in spoken)
    if not spoken or found in {fallback, *spoken} or is_said_by_script or script not in _classifiers():
        return found
    return _doubted(found, prose, script, spoken=spoken) or fallback


def _prose(text: str) -> str:
    return unicodedata.normalize("NFKC", _NOT_PROSE.sub(" ", text[: 5 * LONGEST_SAMPLE])[:LONGEST_SAMPLE])


def _doubted(language: str, prose: str, script: str, *, spoken: Collection[str]) -> str | None:
    """*language*, which is none of the *spoken*, or the one of these that *prose* is rather in; None for neither."""
    shares = dict(_classifiers()[script](prose))
    if likely := next((own for own in spoken if shares.get(own, 0) >= SURE_CONFIDENCE), None):
        return likely
    words = {word.casefold() for word in _WORD.findall(prose)}
    counts = {one: len(words & own) for one, own in _function_words().items() if one == language or one in spoken}
    most = max(counts, key=lambda one: counts[one], default=language)
    if counts.get(most, 0) > counts.get(language, 0):
        return most
    return language if shares.get(language, 0) >= _LEAST_FOREIGN or language in _asked_in(prose) else None


def _detected(prose: str, *, fallback: str) -> str:
    script = _main_script(prose)
    if script is None:
        return fallback
    candidates = LANGUAGES[script]
    if script == "han" and fallback == "ja" and not _is_surely_chinese(prose):
        return fallback
    return (
        _by_letters(prose, script)
        or _by_model(prose, script, fallback=fallback)
        or (fallback if fallback in candidates or script == "latin" else candidates[0])
    )


def sure_language(text: str) -> str:
    """The language that *text* is written in, by its two-letter code; "" where that is not sure."""
    prose = _prose(text)
    script, weights = _main_script(prose), _script_weights(prose)
    if script is None or weights[script] < SURE_SHARE * weights.total():
        return ""
    by_letters = _by_letters(prose, script)
    if script == "han" and not _is_surely_chinese(prose):
        return ""
    if len(LANGUAGES[script]) == 1:
        return LANGUAGES[script][0]
    words = {word.casefold() for word in _WORD.findall(prose) if _script(word[0]) == script}
    if len(words) < FEWEST_SURE_WORDS:
        return ""
    language, confidence = _classifiers()[script](prose)[0]
    return language if confidence >= SURE_CONFIDENCE and by_letters in (None, language) else ""


def is_in_another_script(text: str, *, language: str) -> bool:
    """Whether *text* is written in letters that *language* is not written in: Chinese in a talk in English."""
    script = _main_script(text)
    return script is not None and primary_subtag(language) not in LANGUAGES[script]


def is_surely_foreign(text: str, *, language: str) -> bool:
    """
    Whether *text*, which may be one word, can not be of *language*, by its letters alone.

    Latin ones prove nothing: names, commands and what they print have them in every language.
    """
    script = _main_script(unicodedata.normalize("NFKC", _NOT_PROSE.sub(" ", text)))
    if script in (None, "latin") or (script == "han" and primary_subtag(language) in _WITH_HAN):
        return False
    return is_in_another_script(text, language=language)


def _main_script(prose: str) -> str | None:
    """The script of most letters."""
    weights = _script_weights(prose)
    script, weight = max(weights.items(), key=lambda pair: pair[1], default=("", 0))
    return script if weight and script in LANGUAGES else None


def _script_weights(prose: str) -> Counter[str]:
    """How much the letters of each script weigh; any kana makes the ideographs Japanese."""
    weights: Counter[str] = Counter()
    for letter, count in Counter(filter(str.isalpha, prose)).items():
        script = _script(letter)
        weights[script] += count * WEIGHTS.get(script, 1)
    if weights["kana"]:
        weights["kana"] += weights.pop("han", 0)
    return weights


@functools.cache
def _script(letter: str) -> str:
    return SCRIPTS.get(unicodedata.name(letter, "").partition(" ")[0], "")


def _by_letters(prose: str, script: str) -> str | None:
    if len(LANGUAGES[script]) == 1:
        return LANGUAGES[script][0]
    lower = prose.casefold()
    for language, letters in TELLING_LETTERS.get(script, ()):
        if any(letter in lower for letter in letters):
            return language
    return None


def _is_surely_chinese(prose: str) -> bool:
    """Whether *prose*, which has no kana, has a letter that Japanese never has: 家賃 may be of either."""
    return any(
        letter in _NEVER_JAPANESE or not letter.encode("cp932", "ignore") for letter in filter(str.isalpha, prose)
    )


def _by_model(prose: str, script: str, *, fallback: str) -> str | None:
    words = {word.casefold() for word in _WORD.findall(prose) if _script(word[0]) == script}
    asked = _asked_in(prose)
    if len(words) < _FEWEST_GUESSED_WORDS and not asked:
        return None
    # Of so few words the model knows little; it takes "Где мама живет?" for Serbian, though it tells "Que carro
    # conduzo?" from Spanish. "Come stai?" and "Was ist?" begin like English, and seldom are.
    few = FEWEST_SURE_WORDS if script == "cyrillic" else FEWEST_WORDS
    if len(words) < few and fallback in asked and fallback != "en":
        return fallback
    ranked = _classifiers()[script](prose)
    language, confidence = ranked[0]
    is_contradicted = bool(asked) and language not in asked and language in QUESTION_WORDS
    is_between = script == "cyrillic" and len(words) < few and confidence < SURE_CONFIDENCE
    if confidence >= LEAST_CONFIDENCE and len(words) >= FEWEST_WORDS and not (is_contradicted or is_between):
        return language
    if asked:
        return _first_of(asked, ranked, least_share=LEAST_CONFIDENCE)
    spoken = _spoken_in(words, fallback=fallback)
    if len(words) < FEWEST_WORDS and (spoken != {language} or confidence < LEAST_CONFIDENCE):
        return None
    return _first_of(spoken, ranked, least_share=_LEAST_SHARE)


def _first_of(languages: Collection[str], ranked: Sequence[tuple[str, float]], *, least_share: float) -> str | None:
    """The likeliest of *languages*, if it has *least_share* of what they all have; else None."""
    left = [(code, share) for code, share in ranked if code in languages]
    return left[0][0] if left and left[0][1] >= least_share * sum(share for _, share in left) else None


def _spoken_in(words: Collection[str], *, fallback: str) -> frozenset[str]:
    """
    The languages of whose function words *words* has most: "mi" and "en" stand together in Spanish alone.

    None where one is of the *fallback*: "I met Jean de la Fontaine" has more of others, and is English.
    """
    counts = {language: sum(word in own for word in words) for language, own in _function_words().items()}
    most = max(counts.values())
    if not most or counts.get(fallback):
        return frozenset()
    return frozenset(language for language, count in counts.items() if count == most)


@functools.cache
def _function_words() -> dict[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in STOP_WORDS.items()}


def _asked_in(prose: str) -> frozenset[str]:
    """The languages that have the question word which *prose* begins with; none where it is not a question."""
    bare = prose.strip()
    if not bare.endswith(tuple(_QUESTION_MARKS)):
        return frozenset()
    first = (found[0].casefold() for found in islice(_WORD.finditer(bare), _FIRST_WORDS))
    return next((asked for word in first if (asked := _asking().get(word))), frozenset())


@functools.cache
def _asking() -> dict[str, frozenset[str]]:
    """The languages that each question word is of."""
    found: dict[str, set[str]] = {}
    for language, words in QUESTION_WORDS.items():
        for word in words.split():
            found.setdefault(word, set()).add(language)
    return {word: frozenset(languages) for word, languages in found.items()}


def _classifiers() -> dict[str, Classifier]:
    with _LOADING:
        return _load()


@functools.cache
def _load() -> dict[str, Classifier]:
    # Takes 0.8 s. One model, viewed once a script: each view knows only the languages of its script.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    model = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    classifiers: dict[str, Classifier] = {}
    for script in ("latin", "cyrillic", "arabic", "devanagari"):
        view = copy.copy(model)
        view.set_languages(LANGUAGES[script])
        classifiers[script] = view.rank
    return classifiers
