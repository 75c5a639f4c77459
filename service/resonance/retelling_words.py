"""
The words around what a retelling tells, in every language that labels speak; a native reader edits this file.

"I remember that the user said" frames a memory, and says nothing of it.
"""

from __future__ import annotations

import functools
import re

from consolidation.text.words import is_dense, tokens
from service.retrieval.lead_words import LEADS

_FRAMES = {
    "en": "remember remembered recall recalled remind reminded know knew think user person assistant bot say said says "
    "saying tell told tells telling mention mentioned mentions ask asked asks note noted heard once me you i they",
    "de": "erinnere erinnern erinnerst erinnerung weiß wissen nutzer nutzerin benutzer benutzerin person assistent "
    "sagte gesagt sagen sagt erzählte erzählt erzählen erwähnte erwähnt fragte gefragt gehört notiert einmal daran",
    "es": "recuerdo recordar recuerda acuerdo usuario usuaria persona asistente dijo dijiste dicho contó contaste "
    "contado mencionó mencionaste mencionado preguntó preguntaste anoté sé oí",
    "fr": "souviens souvenir rappelle rappeler utilisateur utilisatrice personne assistant dit disait raconté "
    "racontait mentionné demandé noté sais entendu",
    "it": "ricordo ricordare ricordi utente persona assistente detto diceva disse raccontato raccontò menzionato "
    "menzionò chiesto chiese annotato so sentito",
    "pt": "lembro lembrar lembra recordo usuário usuária utilizador pessoa assistente disse disseste dito contou "
    "contaste contado mencionou mencionado perguntou perguntaste anotei sei ouvi",
    "nl": "herinner herinneren weet gebruiker persoon assistent zei zegt gezegd vertelde verteld noemde genoemd "
    "vroeg gevraagd noteerde gehoord eens",
    "pl": "pamiętam pamiętać wiem użytkownik użytkowniczka osoba asystent powiedział powiedziała powiedziałeś "
    "powiedziałaś mówił mówiła mówiłeś mówiłaś wspomniał wspomniała opowiadał opowiadała pytał pytała zapytał zapytała",
    "ru": "помню помнить вспоминаю знаю пользователь пользовательница человек ассистент сказал сказала сказали "
    "говорил говорила говорили рассказал рассказала рассказали рассказывал рассказывала упомянул упомянула упоминал "
    "упоминала спросил спросила спросили однажды",
    "ar": "أتذكر أذكر تذكرت أعرف المستخدم المستخدمة مستخدم شخص الشخص المساعد قال قالت قلت قيل أخبرني أخبرتني أخبر ذكر "
    "ذكرت ذكرتِ سأل سألت سألني أنه أنها أنك",
    "zh": "记得 記得 想起 回忆 回憶 知道 用户 用戶 使用者 对方 對方 助手 提到 告诉 告訴 说过 說過",
    "ja": "覚えている 覚えています 覚えて 記憶 思い出す 思い出 知っている 知っています ユーザー 相手 利用者 "
    "助手 言った 言っていた 言っていました 話した 話していた 話していました 聞いた 聞きました",
}
# Of Chinese and Japanese, alone in a word: who speaks, and what only joins words.
FUNCTION_CHARACTERS = frozenset(
    "我你您他她它们們的了是在有不没這这那说說话話和也都就会會要很到个個着著过過给給对對吗嗎呢吧与與及把被让讓从從"
    "私僕俺君彼者言聞事時"
)
# How Japanese sentences end and are joined.
_ENDINGS = (
    "なかった ました ません でした ている ています ていた していた します したい です ます って "
    "こと もの から ので という"
)

# How a bot says that it was the bot who said something; the first person is in the verb, or before it.
_I_SAID = re.compile(
    r"(?<!\w)(?:i (?:\w{1,12} ){0,2}(?:said|told|suggest\w*|recommend\w*|mention\w*|propos\w*|named|answer\w*|advised"
    r"|replied)|ich (?:\w{1,12} ){0,4}(?:sagte|gesagt|empfahl|empfohlen|schlug|vorgeschlagen|nannte|genannt|erwähn\w+"
    r"|riet|geraten|geantwortet)|(?:sagte|empfahl|schlug|nannte|erwähnte|riet) ich|(?:te |le )?(?:dije|suger[íi]"
    r"|recomendé|mencioné|propuse|respondí)|(?:he|te he|le he) (?:dicho|sugerido|recomendado|mencionado|propuesto)"
    r"|(?:je |j'|t'|vous )?ai (?:dit|suggéré|recommandé|conseillé|proposé|mentionné|répondu)"
    r"|ho (?:detto|suggerito|consigliato|raccomandato|proposto|menzionato|risposto)|(?:eu )?(?:disse-te|sugeri"
    r"|recomendei|mencionei|propus|respondi|eu disse)|ik (?:\w{1,12} ){0,4}(?:zei|gezegd|stelde|voorgesteld|noemde"
    r"|genoemd|aanbevolen|aangeraden|raadde)|(?:powiedział|polecił|zaproponował|zasugerował|wspomniał|odpowiedział)[ae]m"
    r"|я (?:\w{1,12} ){0,2}(?:сказал|говорил|предложил|посоветовал|рекомендовал|порекомендовал|упомянул|ответил)а?"
    r"|(?:اقترحت|أوصيت|نصحت|ذكرت|قلت) (?:لك|عليك|لكم))(?!\w)|我(?:[对對向跟给給]?[你您])?(?:[说說]|推[荐薦]|建[议議]"
    r"|提[到议議])"
    r"|私[がは](?:\w{0,12}(?:言|勧め|提案|薦め|答え))",
    re.IGNORECASE,
)


# Whom a line speaks to, and how one says that one remembers or was told something.
_YOU = re.compile(
    r"(?<![\w'])(?:you(?:r|rs|rself)?|du|dich|dir|dein(?:e[mnrs]?)?|tú|ti|tus?|usted|contigo|toi|ton|tes|vous|votre|vos|tuo|tua"
    r"|tuoi|tue|você|teus?|tuas?|jij|jou|jouw|ty|ciebie|cię|tobie|tobą|tw[oó]j\w{0,3}|ты|тебя|тебе|тобой|тво[йяёеи]\w{0,3}"
    r"|أنتِ?|أنك)(?!\w)|你|您|あなた",
    re.IGNORECASE,
)
_I_REMEMBER = re.compile(
    r"(?<!\w)(?:i(?:'ve| have| can| do| still| also| once| just){0,2} (?:remember\w*|recall|know|knew|think|thought"
    r"|hear|heard|note|noted|learned|believe|was told|got told|asked)"
    r"|(?:told|asked|reminded|said to|wrote to|assured|let) me"
    r"|ich (?:erinnere mich|weiß|wusste|glaube|denke|habe gehört|hörte|notierte)(?: noch| gehört)?"
    r"|(?:hat|hatte|erzählte|sagte|wurde) (?:es )?mir(?: \w+){0,2} (?:erzählt|gesagt)|(?:erzählte|sagte|schrieb) mir"
    r"|mir wurde (?:erzählt|gesagt)|recuerdo|me acuerdo|sé|creo|me (?:contó|dijo|contaron|dijeron|ha (?:contado|dicho))"
    r"|je (?:me souviens|sais|crois|pense)|m'(?:a|avait|ont) (?:dit|raconté|confié)|on m'a dit|ricordo|so|credo"
    r"|mi ha(?:nno)? (?:detto|raccontato)|(?:eu )?(?:me )?lembro|sei|acho|me (?:contou|disse)"
    r"|ik (?:herinner me|weet)(?: nog)?"
    r"|(?:vertelde|zei|heeft) (?:het )?(?:me|mij)|mij werd verteld)(?!\w)",
    re.IGNORECASE,
)


def says_you(text: str) -> bool:
    """Whether *text* speaks to somebody."""
    return _YOU.search(text) is not None


def without_remembering(text: str) -> str:
    """*text* without the words by which a bot says that it remembers something, or was told it."""
    return _I_REMEMBER.sub(" ", text.replace("’", "'"))


def says_that_it_said(text: str) -> bool:
    """Whether a bot says in *text* that it said something itself."""
    return _I_SAID.search(text.replace("’", "'")) is not None


@functools.cache
def frame_words() -> frozenset[str]:
    """The words that frame a memory, in all languages, as ``words.tokens`` has them; no script without spaces."""
    texts = (*_FRAMES.values(), *(lead.format(name="", text="") for words in LEADS.values() for lead in words.values()))
    return frozenset(word for text in texts for word in tokens(text) if not is_dense(word))


@functools.cache
def frame_phrases() -> tuple[str, ...]:
    """The phrases that do so in a script without spaces, the longest first."""
    told = (lead.format(name="", text="") for words in LEADS.values() for lead in words.values())
    bare = (lead.strip(" ：:“”「」") for lead in told)
    phrases = {phrase for phrase in (*" ".join(_FRAMES.values()).split(), *bare) if phrase and is_dense(phrase)}
    return tuple(sorted(phrases, key=lambda phrase: (-len(phrase), phrase)))


@functools.cache
def endings() -> frozenset[str]:
    """Pairs of characters that Japanese sentences have whatever they are about, as ``words.tokens`` has them."""
    return frozenset(tokens(_ENDINGS))
