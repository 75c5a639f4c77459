"""
Whether words say that something is so: they may deny it, say that it may be, or that it is wanted or asked.

Closed classes of words, in the languages of ``speech_acts``; a native reader edits this file. For other
languages the answer is None. A word that means something else as often ("no" in Portuguese) is left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from consolidation.text.language import primary_subtag
from consolidation.text.speech_acts import is_question, is_request

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 2_000  # characters of a text that are read
_DENSE = frozenset({"zh", "ja"})  # whose words stand without spaces

_NEGATIONS = {
    "en": r"not(?! only\b)|no(?! (?:doubt|matter|later)\b)|never|nobody|none|nothing|nowhere|neither|nor|without"
    r"|cannot(?! wait\b)|\w{2,6}n't(?! wait\b)|(?:do|does|did|is|was|are|ca|wo|has|have|had|would|could|should)nt",
    "de": r"nicht(?! nur\b)|nich|kein\w{0,3}|keinerlei|nie|niemals|niemand\w{0,2}|nichts|nix|nirgends|nirgendwo|ohne"
    r"|weder",
    "es": r"no(?! s[oó]lo\b)|nunca|jam[aá]s|nadie|nada|ning[uú]n[oa]?s?|tampoco|sin|ni",
    "fr": r"pas|ne|n'\w{1,30}|jamais|aucune?|rien|sans|ni|non",
    "it": r"non(?! solo\b)|mai|nessun\w{0,2}|niente|nulla|né|senza|neanche|nemmeno",
    "pt": r"n[ãa]o(?! s[óo]\b)|nunca|jamais|ningu[ée]m|nada|nenhum\w{0,2}|sem|nem|tampouco",
    "nl": r"niet(?! alleen\b)|geen|nooit|niemand|niets|niks|nergens|zonder|noch",
    "pl": r"nie(?! tylko\b)|nigdy|nikt|nikogo|nic|żaden|żadn\w{1,4}|bez|ani",
    "ru": r"не(?! только\b)|нет|нету|ни|никогда|никто|никого|ничего|ничто|нельзя|без",
    "ar": r"[وف]?لا|[وف]?ليس\w{0,3}|[وف]?لم|[وف]?لن|غير|بدون|دون",
    "zh": r"(?<!差)不(?![仅僅但过過错錯同少]|好意思)|[没沒](?!关系|關係)|[无無](?![论論])",
    "ja": r"(?<!しれ)(?<!なら)(?<!いけ)(?<![少危切])ない(?!と(?:いけ|だめ|ダメ|なら))"
    r"|(?<!しれ)(?<!なり)(?<!いけ)(?<!すみ)ません|なかった|なくな|ずに",
}
# What may be so, or is so on a condition.
_SUPPOSITIONS = {
    "en": r"might|(?:i|you|he|she|it|we|they) may|maybe|perhaps|possibly|probably|could|would|should|if|unless|wish"
    r"|not (?:\w{1,12} )?sure|unsure",
    "de": r"vielleicht|eventuell|evtl|möglicherweise|womöglich|wahrscheinlich"
    r"|(?:könnt|würd|dürft|müsst|sollt|wär|hätt)e(?:n|st|t)?|wenn|falls|ob",
    "es": r"quiz[aá]s?|tal vez|a lo mejor|puede que|posiblemente|probablemente|(?:podr|deber|ser|habr|ir|gustar)[ií]a"
    r"(?:s|n|mos)?|quisiera|si|ojal[aá]",
    "fr": r"peut-être|sans doute|probablement|éventuellement|(?:pourr|devr|ser|aur|ir|voudr|aimer)(?:ai[st]|aient|i?ons"
    r"|iez)|si|s'ils?|au cas où",
    "it": r"forse|magari|probabilmente|eventualmente|(?:pot|dov|vo|sa|av|and)(?:r|rr)e(?:i|sti|mmo|ste|bbe(?:ro)?)|se"
    r"|qualora|piacerebbe",
    "pt": r"talvez|quem sabe|provavelmente|possivelmente|(?:pode|deve|se|te|i|gosta)ria(?:s|m|mos)?|tomara"
    r"|se (?:eu|ele|ela|voc[êe]|n[óo]s|for|tiver|der|puder)",
    "nl": r"misschien|wellicht|mogelijk|waarschijnlijk|zou|zouden|eventueel|tenzij|indien"
    r"|als (?:ik|je|jij|hij|ze|zij|we|wij|het|er|mijn)",
    "pl": r"może|chyba|prawdopodobnie|ewentualnie|możliwe|jeśli|jeżeli|o ile|gdyby\w{0,4}|jakby\w{0,4}|powin\w{2,6}"
    r"|\w{2,20}(?:[łl]a?by[mś]?|libyśmy|liby)",
    "ru": r"может|возможно|наверное?|вероятно|вдруг|если|бы|б|пожалуй",
    "ar": r"ربما|لعل\w{0,3}|إذا|لو|يمكن|محتمل|قد [يتأن]\w{1,20}",
    "zh": r"如果|要是|假如|可能|也[许許]|或[许許]|[说說]不定|万一|大概|恐怕",
    "ja": r"かも|もし|たぶん|多分|おそらく|でしょう|だろう|(?<!なけ)れば|たら",
}
# What is wanted, planned, thought about, proposed or asked.
_INTENTIONS = {
    "en": r"whether|think\w*|thought|consider\w*|plan\w*|want\w*|hope\w*|hoping|intend\w*|wonder\w*|possib\w*"
    r"|going to|will|\w{1,8}'(?:ll|d)|when|whenever|uncertain|undecided|suggest\w*|recommend\w*|ask\w*"
    r"|advi[cs]e\w*|dream\w*",
    "de": r"überleg\w*|denk\w*|gedacht|dachte\w*|plan\w*|geplant|will|willst|woll\w*|möcht\w*|hoff\w*|gehofft|wünsch\w*"
    r"|frag\w*|gefragt|empf\w*|vorgeschlagen|vorschlag\w*|geraten|möglich\w*|unsicher|werden?|wirst|wird|sobald",
    "es": r"pens\w*|piens\w*|plan\w*|quier\w*|quer\w*|esper\w*|duda\w*|sug[ie]\w*|recom\w*|pregunt\w*|posib\w*|cuando"
    r"|vas? a",
    "fr": r"pens\w*|envisag\w*|prév\w*|veu[xt]|voul\w*|espér\w*|dout\w*|propos\w*|suggér\w*|recommand\w*|conseill\w*"
    r"|demand\w*|possib\w*|quand|lorsque|vas?",
    "it": r"pens\w*|prev\w*|vuo[il]\w*|vole\w*|sper\w*|dubb\w*|propos\w*|sugger\w*|consigli\w*|raccomand\w*|chie[ds]\w*"
    r"|domand\w*|possib\w*|quando",
    "pt": r"pens\w*|plan\w*|quer\w*|quis\w*|esper\w*|d[úu]vid\w*|suger\w*|recom\w*|pergunt\w*|poss[íi]v\w*|quando"
    r"|vais?",
    "nl": r"denk\w*|dacht\w*|gedacht|overweeg\w*|overwoog|plan\w*|wil|wilt|wild\w*|willen|wou|hoop\w*|twijfel\w*"
    r"|vraag\w*|vroeg\w*|gevraagd|aanbevolen|voorgesteld|of|wanneer|zal|gaan?|gaat",
    "pl": r"myśl\w*|rozważ\w*|plan\w*|chc\w*|zamierz\w*|nadziej\w*|zastanaw\w*|pyta\w*|zapyta\w*|polec\w*|sugero\w*"
    r"|propon\w*|czy|kiedy|będ\w*",
    "ru": r"дума\w*|план\w*|хоч\w*|хот\w*|собира\w*|наде\w*|сомнева\w*|предл\w*|совету\w*|посовет\w*|рекоменд\w*"
    r"|спраш\w*|спрос\w*|ли|когда|буд\w*",
    "ar": r"[أتين]فكر|خطط\w*|[أتين]ريد|[أتين]نوي|[أتين]أمل|سأل\w*|اقترح\w*|سوف|عندما",
    "zh": r"想|考[虑慮]|打算|[计計][划劃]|希望|[问問]|建[议議]|推[荐薦]|[会會]|要|是否",
    "ja": r"考え|検討|予定|つもり|たい|希望|迷|聞かれ|勧め|提案|と思",
}


# Words with which a person begins to tell something.
_SUBJECTS = re.compile(
    r"\W{0,4}(?:(?:and|so|but|und|aber|y|pero|et|mais|mas|ma|en|maar|а|и|но)\s)?(?:(?:i|i'm|i've|im|my|we|our|he|she|they"
    r"|his|her|ich|wir|mein\w{0,2}|unser\w{0,2}|er|sie|yo|mis?|nosotros|nuestr[oa]s?|je|j'\w{1,20}|mon|ma|mes|nous|notre"
    r"|il|elle|io|mi[ao]|noi|nostr[oa]|eu|meu|minha|nós|noss[oa]|ik|mijn|wij|ons|onze|ja|mój|moja|mam|my|nasz\w?"
    r"|я|мой|моя|мы|наш\w?|у меня|أنا)(?!\w)|我|私)"
)
_BETWEEN_CLAUSES = re.compile(r"[,;:，、،؛。—–\n]|\s(?=(?:and|but|und|aber|pero|et|mais|maar|ale|и|но)\s)")
_FEWEST_WORDS = 2  # that a clause shares with what is told of it


def _patterns(words: dict[str, str], after: str = "") -> dict[str, re.Pattern[str]]:
    return {
        tag: re.compile(f"(?:{one}){after}" if tag in _DENSE else rf"(?<!\w)(?:{one})(?!\w){after}")
        for tag, one in words.items()
    }


_NEGATES = _patterns(_NEGATIONS, after=r"(?!\s?[,،，、])")  # "No, she does" denies what was said before
_SUPPOSES, _INTENDS = _patterns(_SUPPOSITIONS), _patterns(_INTENTIONS)


def negates(text: str, *, language: str) -> bool | None:
    """Whether *text* has a word that denies; None where *language* (a tag such as "en") is not known here."""
    return _found(_NEGATES, text, language)


def supposes(text: str, *, language: str) -> bool | None:
    """Whether *text* says that something may be so, or is so on a condition; None as for ``negates``."""
    return _found(_SUPPOSES, text, language)


def leaves_open(text: str, *, language: str) -> bool | None:
    """Whether *text* supposes, or tells a wish, a plan, a proposal or a question; None as for ``negates``."""
    found = supposes(text, language=language)
    return found or _found(_INTENDS, text, language)


def clause_of(sentence: str, words: frozenset[str], *, stems: Callable[[str], frozenset[str]]) -> str:
    """The clause of *sentence* that has all of the *words* which *sentence* has, where there is one; else all of it."""
    shared = words & stems(sentence)
    if len(shared) < _FEWEST_WORDS:
        return sentence
    clauses = (part.strip() for part in _BETWEEN_CLAUSES.split(sentence[:LONGEST]))
    return next((part for part in clauses if shared <= stems(part)), sentence)


def tells_beside(part: str, sentence: str) -> bool:
    """Whether *part* of a *sentence* that asks or requests tells something: "I am in Lyon, what is there?"."""
    is_own = part != sentence and not is_question(part) and not is_request(part)
    return is_own and _SUBJECTS.match(part.casefold().replace("’", "'")) is not None


def _found(patterns: dict[str, re.Pattern[str]], text: str, language: str) -> bool | None:
    pattern = patterns.get(primary_subtag(language))
    low = text[:LONGEST].casefold().replace("’", "'")
    return None if pattern is None else pattern.search(low) is not None
