"""
What a message wants the bot to make or explain, if it does: what standing instructions of a person bear on.

A request, or a question that is answered at length. Small talk, thanks, remarks and what is asked of one's own life
want none of it. Closed classes of words, in the languages that most people write to a bot.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from consolidation.text.code import without_code
from consolidation.text.concepts import concepts
from consolidation.text.sentences import sentences
from consolidation.text.speech_acts import is_question, is_request
from consolidation.text.subjectless import subject_words
from consolidation.text.task_kinds import task_kinds
from consolidation.text.words import tokens
from service.retrieval.intent import intent_of

_LONGEST_BEGINNING = 200  # characters of a sentence
_SENTENCES = 2  # at the beginning and at the end, that may want something
_WORDS_OF_ORDER = 2  # "tell me", before a question
_SHORTEST_PREFIX = 5  # letters from which one word may begin another: docker, Dockerfile
_AT_LENGTH = re.compile(
    r"^\W*(?:(?:so|and|ok|hey|hi|btw|und|also|sag mal|y|oye|et|e|en|a|а|и)[\s,]{1,3})?(?:"
    r"how (?:do|does|can|could|should|would|to|is it|come)\b|why\b|explain|what(?:'s| is) the (?:difference|best)"
    r"|(?:any )?(?:ideas?|tips?|advice)\b|(?:what|which|where) .{0,30}?(?:should|can|could|shall) (?:i|we)\b|should"
    r" (?:i|we)\b"
    r"|wie (?:kann|könnte|soll|macht|mache|geht|schreib|lös|bekomm|funktionier|richte|stell|bau)\w*|warum\b|wieso\b"
    r"|was (?:ist der unterschied|soll|kann|könnte|koche?n?|mache?n?) (?:ich|wir)?|soll(?:te)? (?:ich|wir)\b"
    r"|(?:ideen|tipps)\b|wohin soll"
    r"|¿?(?:cómo (?:puedo|se|hago|hacer|debería|funciona)|por qué|qué (?:puedo|debería|hago|cocino|me recomiendas"
    r"|diferencia)|debería)\b"
    r"|(?:comment (?:je|on|faire|puis|fonctionne|est-ce)|pourquoi|qu'est-ce que je (?:peux|pourrais|dois)|que (?:faire"
    r"|cuisiner|puis-je)|est-ce que je (?:dois|devrais)|dois-je|quelle est la différence)\b"
    r"|(?:come (?:si|posso|faccio|funziona|dovrei)|perché|cosa (?:posso|dovrei|cucino|faccio)|dovrei|che differenza)\b"
    r"|(?:como (?:posso|faço|se|eu faço|funciona|devo)|por que|o que (?:posso|devo|faço|cozinho)|devo|qual a"
    r" diferença)\b"
    r"|(?:hoe (?:kan|moet|doe|maak|werkt|krijg)|waarom|wat (?:kan|moet|zal|kook|eten) (?:ik|we)|moet ik|wat is het"
    r" verschil)\b"
    r"|(?:jak (?:mogę|mam|zrobić|działa|napisać|się)|dlaczego|czemu|co (?:mogę|mam|powin\w+|ugotować|zrobić)|czy"
    r" powin\w+)\b"
    r"|(?:как (?:мне|можно|сделать|работает|написать|лучше|настроить)|почему|зачем|что (?:мне|приготовить|можно"
    r"|делать)"
    r"|стоит ли|в ч[её]м разница)(?!\w)"
    r"|(?:怎么|怎麼|怎样|如何|为什么|為什麼|请问怎|我(?:该|应该))|.{0,20}?(?:怎么(?:做|写|办|弄|用|部署)|做什么(?:菜"
    r"|好)|吃什么|有什么(?:建议|区别))"
    r"|.{0,20}?(?:どうやって|どうすれば|どうしたら|なぜ|なんで|違いは|何を作)"
    r"|(?:كيف (?:أ|يمكن|ا)|لماذا|ماذا (?:أطبخ|أفعل|يمكنني)|ما الفرق|هل يجب)"
    r")",
    re.IGNORECASE,
)
_NEEDS = re.compile(
    r"^\W*(?:(?:ok|hi|hey|so|und|also|y|et|e)[\s,]{1,3})?(?:i (?:need|want)\b|i'd (?:like|need)\b|need (?:an?|some"
    r"|help)\b"
    r"|(?:can|could|would) you\b|(?:kannst|könntest|würdest|magst) du\b|können sie\b|¿?(?:puedes|podrías)\b"
    r"|(?:peux-tu|tu peux|pourrais-tu)\b|(?:puoi|potresti|pode|podes|poderia|kun je|kan je|zou je|możesz|mógłbyś)\b"
    r"|(?:ты )?(?:можешь|мог бы)(?!\w)|你(?:能|可以)|هل يمكنك"
    r"|ich (?:brauche?|bräuchte|hätte gern)\b|brauche?\b|necesito\b|quiero (?:un|una)\b|j'ai besoin|j'aimerais|il me"
    r" faut"
    r"|ho bisogno|mi serve|vorrei\b|preciso de|quero (?:um|uma)\b|ik (?:heb .{0,30}nodig|wil graag)|potrzebuję|chc[ęe]"
    r"|мне (?:нуж|надо)|我(?:需要|想要)|.{0,30}(?:が欲しい|が必要)|أحتاج|اريد|أريد)",
    re.IGNORECASE,
)
# Orders of languages that part no words: "write me …" at the beginning of a Chinese one, at the end of a Japanese one.
_ORDERS = re.compile(
    r"^\W*(?:好的?|那|再|请)?(?:写(?![了过完得])|寫(?![了過完得])|给我(?:写|做|推荐|讲|列)|推荐|解释|介绍一?下"
    r"|修(?:复|改)|改一?下|生成|列出|设计)"
    r"|(?:書いて|作って|直して|訳して|翻訳して|説明して|教えて|考えて|提案して|まとめて)[。!！]{0,2}\s*$"
)
# What says what is to be done with something, and nothing of the thing.
_FRAME = frozenset(
    tokens(
        "write writes writing use using used give make suggest suggesting recommend mention ask asks asking answer"
        " answers reply"
        " replies respond explain show send find create add fix explanation explanations short long never always"
        " schreib schreibe schreibst schreiben texte text gib mach mache machst nutze benutze verwende frage frag"
        " antworte"
        " antworten erklär erkläre zeig vorschlagen schlag empfiehl immer nie nur kurze lange keine"
        " escribe escríbeme escribas usa usar uses haz dame responde respuestas pregunta pida recomienda recomiendes"
        " siempre"
        " nunca sin écris utilise donne fais fait réponds réponses demande propose toujours jamais pas scrivi usa"
        " usare dammi"
        " fai rispondi risposte chiedo consiglia sempre mai niente escreve escreva usa use faz faça responda"
        " respostas pedir"
        " recomende sempre nunca sem schrijf gebruik geef maak antwoord antwoorden vraag altijd nooit geen napisz"
        " pisz używaj"
        " daj zrób odpowiadaj proszę proponuj zawsze nigdy bez напиши пиши используй дай сделай отвечай прошу"
        " предлагай всегда"
        " никогда без اكتب استخدم أجب دائما أبدا بدون أطلب منك"
    )
)


@dataclass(frozen=True, slots=True)
class WorkWanted:
    """What a message wants done: its kinds of task, the stems of what it is about, and what its words mean."""

    tasks: frozenset[str]
    stems: frozenset[str]
    concepts: frozenset[str]


def work_wanted(message: str, *, language: str) -> WorkWanted | None:
    """What *message* wants made or explained; None where it wants nothing of the kind."""
    prose = "\n".join(without_code(message))
    every = sentences(prose[: 4 * _LONGEST_BEGINNING], language=language)
    tail = sentences(prose[-4 * _LONGEST_BEGINNING :], language=language)
    asked = tuple(dict.fromkeys((*every[:_SENTENCES], *tail[-_SENTENCES:])))
    kinds = task_kinds(message)
    intent = intent_of(message, language=language, names_known=False)
    if "code" in intent.tasks and "```" in message:
        kinds |= {"code"}
    asks_of_task = intent.kind == "other question" and bool(kinds & {"code", "recipe", "translation"})
    if intent.recalls or not (asks_of_task or any(_wants(one, kinds) for one in asked)):
        return None
    return WorkWanted(kinds, telling_stems(prose, language=language), concepts(prose, language=language))


def _wants(sentence: str, kinds: frozenset[str]) -> bool:
    beginning = sentence[:_LONGEST_BEGINNING]
    if is_request(beginning):
        # "Tell me where my aunt lives" is told in a word.
        return not is_question(" ".join(beginning.rstrip("?").split()[_WORDS_OF_ORDER:])) or bool(kinds)
    if _ORDERS.search(beginning):
        return True
    return _AT_LENGTH.match(beginning) is not None or (bool(kinds) and _NEEDS.match(beginning) is not None)


def telling_stems(text: str, *, language: str) -> frozenset[str]:
    """The stems of the words of *text* that say what it is about."""
    words = subject_words(text, language=language).items()
    return frozenset(stem for word, stem in words if word not in _FRAME)


def share_subject(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two sets of stems share one, or a word of one begins with one of the other: docker, Dockerfile."""
    if not one.isdisjoint(other):
        return True
    return any(_begins(short, long) or _begins(long, short) for short in one for long in other)


def _begins(short: str, long: str) -> bool:
    return len(short) >= _SHORTEST_PREFIX and long.startswith(short)
