"""
Whether a text speaks of its writer: "I", "my", or a verb that says "I" by its form.

Closed classes of words, by language. "We" is somebody else as well, and "tell me" is not of oneself.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from consolidation.text.language import primary_subtag
from consolidation.text.words import both_ends, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

_UNPARTED = frozenset({"zh", "ja"})  # languages that part no words
# Letters, and the marks that are vowels in the scripts of India: "मैं" is one word.
_WORD = re.compile(r"(?:[^\W\d_]|[\u0900-\u0dff])+(?:'[^\W\d_]+)?")
_ELIDED = re.compile(r"\b([jml])'")  # j'ai, m'a, l'ai

_FIRST_PERSON = {
    "en": "i me my mine myself we us our ours i'm im i've ive i'd id i'll we've weve we're we'd we'll",
    "de": "ich mich mir mein meine meinem meinen meiner meins wir uns unser unsere unserem unseren unserer",
    "es": "yo me m mi mis mío mía míos mías mí conmigo nosotros nosotras nos nuestro nuestra nuestros nuestras",
    "fr": "je j m moi mon ma mes me nous notre nos nôtre nôtres mien mienne miens miennes",
    "it": "io mi mio mia miei mie noi ci nostro nostra nostri nostre",
    "pt": "eu me mim meu minha meus minhas comigo nós nos nosso nossa nossos nossas",
    "nl": "ik mij me mijn mijne m'n wij we ons onze ek my",  # Afrikaans is read as Dutch
    "pl": "ja mnie mi mną mój moja moje mojego mojej moją moim my nas nam nami nasz nasza nasze",
    "ru": "я меня мне мной мой моя моё мое мои моего моей моему мою моим моими моём моем моих мы нас нам нами наш наша "
    "наше наши "
    "нашу нашей нашего нашему нашим нашими наших",
    "zh": "我 我们",
    # Of one's own family Japanese has words of their own: 母, where anybody's mother is お母さん. It does not
    # say whose the rent, the pay and the work are, where they are one's own.
    "ja": (
        "私 僕 俺 わたし 私たち 家賃 給料 実家 職場 上司 うちの 妻の 妻は 妻が 夫の 夫は 夫が "
        "母の 母は 母が 父の 父は 父が "
        "兄の 兄は 兄が 姉の 姉は 姉が 弟の 弟は 弟が 妹の 妹は 妹が "
        "妻について 夫について 母について 父について 兄について 姉について 弟について 妹について 祖母について "
        "祖父について 祖母の 祖母は 祖父の 祖父は 甥の 甥は 甥っ子 姪の 姪は 姪っ子 勤務先 年収 有給 大家さん "
        "うちの 俺ん 親父 おやじ お袋 おふくろ 姉貴 兄貴 姉ちゃん 兄ちゃん ばあちゃん じいちゃん 元嫁 嫁さん 旦那 "
        "娘の 娘は 娘が 娘に 娘と 息子の 息子は 息子が 息子に 息子と 嫁の 嫁は 嫁が"
    ),
    # Arabic says "my" by an ending; these are the nouns that people say most of themselves.
    "ar": (
        "أنا لي عندي معي مني لدي نحن لنا عندنا اسمي أمي أبي والدي والدتي أختي أخي زوجتي زوجي ابني ابنتي بنتي صديقي "
        "صديقتي بيتي شقتي عملي مديري مديرتي طبيبي كلبي قطتي سيارتي ميلادي راتبي إيجاري عنواني جدتي جدي خالي خالتي عمي "
        "عمتي هاتفي دوائي أطفالي أولادي خطيبتي خطيبي منزلي رئيسي زميلي زملائي جيراني وزني طولي عمري نومي أسناني زفافي "
        "حيواني طعامي رقمي حسابي بنكي معلمي أستاذي موعدي سفري تخصصي دوامي جوالي بيتنا منزلنا شقتنا إيجارنا عائلتنا "
        "ابننا بنتنا جارنا جيراننا سيارتنا مدرستنا علينا معنا لدينا "
        # … without the sign above the alif, and as people say it at home
        "انا امي ابي اختي اخي ابنتي ابني بابا ماما أبوي ابوي أبويا أمي امي اخوي أخوي اخواتي إخوتي مرتي مراتي جوزي "
        "ولدي عيالي "
        "ولادي حبيبتي حبيبي خطيبي صاحبي صاحبتي رفيقي رفيقتي شغلي وظيفتي مدرستي جامعتي جيرانى ستي تيتا معاي معايا عندى "
        "عليا ليا بتاعي بتاعتي رايح رايحة عايز عايزة "
        "إلي "
        "إلنا عنا بدنا رقمي دكتوري حالي بيتي طليقتي طليقي"
    ),
    "tr": "ben beni bana bende benden benim benimle benimki biz bizi bize bizde bizden bizim",
    "ko": (
        "나 나는 난 나도 내 내가 나의 나를 날 나한테 나에게 내게 나랑 저 저는 전 저도 제 제가 저의 저를 저한테 저에게 "
        "제게 저랑 우리 우리는 우린 우리가 우리의 우리집 저희 저희는 저희가"
    ),
    "hi": "मैं मैंने मुझे मुझको मुझसे मुझमें मेरा मेरी मेरे हम हमें हमने हमसे हमारा हमारी हमारे अपना अपनी अपने",
    "uk": "я мене мені мною мій моя моє мої мого моєї моєму мою моїх ми нас нам нами наш наша наше наші",
    "sv": "jag mig min mitt mina vi oss vår vårt våra",
    "da": "jeg mig min mit mine vi os vores",
    "no": "jeg meg min mitt mine mi vi oss vår vårt våre",
    "cs": "já mě mi mně mnou můj moje má mého mé mému mou my nás nám náš naše",
}
# Verbs that say "I" by their form, where the pronoun is left out.
_FIRST_PERSON_VERBS = {
    "es": (
        r"tengo|estoy|voy|soy|vivo|hago|quiero|puedo|debo|trabajo|pago|tomo|gano|llevo|vuelvo|salgo|conozco"
        r"|comparto|conduzco|manejo|aprendo|bebo|duermo|recibo|cobro|necesito|mido|calzo|empiezo|fui"
        r"|hice|tuve|estuve|dije|compré|dejé|[a-zà-ÿ]{2,}[éí]|hemos|tenemos|vamos|vivimos|estamos|fuimos|hicimos"
        r"|[a-zà-ÿ]{2,}amos"
    ),
    "it": (
        r"ho|sono|sto|vado|faccio|posso|devo|voglio|abito|vivo|lavoro|pago|prendo|guido|imparo|bevo|mangio|guadagno"
        r"|spendo|torno|parto|compro|uso|tengo|metto|corro|leggo|esco|fumo|gioco|studio|cucino|suono|spalmo"
        r"|conosco|dormo|abbiamo|siamo|andiamo"
    ),
    "pt": (
        r"a gente|tenho|estou|t[ôo]|vou|sou|moro|vivo|faço|quero|posso|devo|trabalho|pago|tomo|conduzo|dirijo|aprendo"
        r"|bebo|recebo|conheço|durmo|sei|consigo|preciso|gosto|dou|saio|volto|ganho|calço|fui|fiz|tive|disse|vi|li"
        r"|vendi|comi|bebi|perdi|recebi|aprendi|escrevi|ouvi|pedi|decidi|conheci|nasci|esqueci|escolhi|saí|caí"
        r"|[a-zà-ÿ]{3,}(?:ei|amos)|temos|somos|fomos|fizemos|tivemos"
    ),
    "fr": r"on (?:va|part|fait|mange|prend|loue|habite|paie|paye|reçoit|fête)",
    "pl": (
        r"[a-zà-ÿąćęłńśźż]+(?:łem|łam|liśmy|łyśmy|uję|aję)|mam|jestem|biorę|płacę|chcę|muszę|mogę|idę|jadę|jeżdżę"
        r"|palę|jem|wolę|wstaję|tknę|uczę|piję|śpię|noszę|wożę|znam|gram|robię|lecę|lubię|chodzę|widzę|piszę"
        r"|(?:bieg|bier|boj|czek|czyt|gr|koch|korzyst|mieszk|nazyw|oglą?d|opiek|otrzym|pamięt|pływ|pyt|słuch|spotyk|śpiew"
        r"|szuk|trzym|uprawi|używ|wrac|wybier|wynajm|wyjeżdż|zarabi|zażyw|znam)am"
    ),
    "ru": (
        r"живу|плачу|езжу|учу|пью|хочу|могу|помню|хожу|ношу|вожу|сплю|ем|курю|люблю|учусь|боюсь|лечусь|занимаюсь|держу"
        r"|храню"
        r"|кладу|пеку|шью|иду|еду|лечу|беру|жду|\w{2,}(?:аю|яю|ею)"
    ),
    # What follows a word that asks for the rest of a sentence, and begins so, is what "I" do; so is what begins with "I
    # will". A verb that ends in "me" and a feminine noun that ends in "my" are of oneself as well.
    "ar": (
        r"(?:ماذا|متى|كم|كيف|لماذا|الذي|التي|أين|وين|مم|مما) "
        r"(?!أ(?:نتم?|فضل|كثر|كبر|صغر|هم|ول|على|طول|سرع|قرب|حسن|جمل|شهر|قل|حد|حمد)(?!\w))[أآ]\w{2,20}"
        r"|(?:أسكن|أعيش|أقيم|أعمل|أشتغل|أدرس|أملك|أدفع|أشرب|أقود|أسافر|أنام|أعاني|أكمل|أكره|ألعب|أعزف|أمارس|أربي|أدخن"
        r"|أصلي|أخاف|أخشى|أنتظر|أقرأ|أصوم|آكل|آخذ)(?:ها?|هم)?"
        r"|أ(?:ت|ست)\w{3,18}|س[أآ]\w{3,20}|تزوجت|ولدت|(?:ما|لا) ?زلت|بدي"
        r"|[يت]\w{2,12}[^\Wا]ني|(?!ال|كويتي)\w{1,15}[^\Wأآ]تي"
    ),
    "tr": (
        r"(?!yardım)\w{1,30}(?:yorum|yoruz|[dt][ıiuü]m|acağım|eceğim|acağız|eceğiz|m[ıi]şım|m[ıi]şim)"
        r"|(?:ad|anne|baba|kardeş|abla|ağabey|abi|eş|koca|kar|oğl|kız|ev|iş|kedi|köpe[kğ]|doktor|patron|müdür|araba"
        r"|adres|maaş|kira|ilac|arkadaş|sevgili|nişanlı|telefon|randevu|doğum gün)[ıiuü]?m"
        r"(?:ın|in|un|ün|[aeıiuü]|[dt][ae]n?|l[ae])?"
    ),
    # What one asks oneself: "what did I buy again".
    "ko": r"\S{0,30}(?:[았었했갔왔샀봤됐였렸겼쳤켰꼈])(?:지|더라)",
}
# Of those, the ones that several people say.
_PLURAL = {
    "en": "we us our ours we've weve we're we'd we'll",
    "de": "wir uns unser unsere unserem unseren unserer",
    "es": "nosotros nosotras nos nuestro nuestra nuestros nuestras",
    "fr": "nous notre nos nôtre nôtres",
    "it": "noi ci nostro nostra nostri nostre",
    "pt": "nós nos nosso nossa nossos nossas",
    "nl": "wij we ons onze",
    "pl": "my nas nam nami nasz nasza nasze",
    "ru": "мы нас нам нами наш наша наше наши",
    "zh": "我们",
    "ja": "私たち",
    "ar": (
        "نحن لنا عندنا بيتنا منزلنا شقتنا إيجارنا عائلتنا ابننا بنتنا جارنا جيراننا سيارتنا مدرستنا علينا معنا لدينا"
    ),
    "tr": "biz bizi bize bizde bizden bizim",
    "ko": "우리 우리는 우린 우리가 우리의 우리집 저희 저희는 저희가",
    "hi": "हम हमें हमने हमसे हमारा हमारी हमारे",
    "uk": "ми нас нам нами наш наша наше наші",
    "sv": "vi oss vår våra",
    "da": "vi os vores",
    "no": "vi oss vår våre",
    "cs": "my nás nám náš naše",
}
_PLURAL_VERBS = {
    "es": r"hemos|[a-zà-ÿ]+mos",
    "it": r"[a-z]+iamo",
    "pt": r"a gente|[a-zà-ÿ]+mos",
    "pl": r"[a-zà-ÿąćęłńśźż]+(?:liśmy|łyśmy)",
}
# The writer asks to be told, or says that they think or do not know: what follows need not be of them.
_ASIDE = {
    "en": (
        r"(?:tell|give|show|send|help|remind|let|teach|explain to) me|i (?:think|guess|suppose|wonder|forgot|forget"
        r"|hear|heard|don't know|dont know|(?:want|need|would like) to know)|i'd like to know|i'm not sure"
    ),
    "de": (
        r"(?:sage?|gib|zeige?|hilf|erklär|schreib|nenn|schicke?|erzähle?|erinnere?|verrate?) (?:mir|mich)"
        r"|(?:kannst|könntest|würdest|magst) du (?:mir|mich)"
        r"|ich (?:glaube?|denke?|weiß nicht|frage? mich|hab(?:e)? gehört)"
    ),
    "es": r"me (?:puedes|podrías|dices|das|recuerdas|ayudas)|creo que|no sé",
    "fr": (
        r"(?:dis|donne|montre|rappelle|aide|explique)-moi|(?:peux-tu|tu peux|pourrais-tu) m(?:e|')"
        r"|je (?:crois|pense|me demande)"
    ),
    "it": r"mi (?:puoi|sai|dici|dai|ricordi|aiuti)|credo che|non so",
    "pt": r"me (?:diz|diga|fala|fale|conta|conte|dá|lembra|lembre|ajuda|ajude)|(?:pode|podes) me|acho que|não sei",
    "nl": r"(?:vertel|zeg|geef|help|stuur) (?:me|mij)|(?:kun|kan|wil) je (?:me|mij)|ik (?:denk|geloof|weet niet)",
    "pl": r"(?:powiedz|daj|pokaż|przypomnij|pomóż) mi|możesz mi|nie wiem",
    "ru": r"(?:скажи|дай|покажи|напомни|помоги) мне|можешь мне|я (?:думаю|не знаю)",
}


def is_in_first_person(text: str, tag: str) -> bool:
    """Whether *text*, in lower case, says "I" or "we" by the words of the language *tag*."""
    return has_word(_FIRST_PERSON, text, tag) or _has_verb(text, tag)


def says_i(text: str, *, languages: Iterable[str]) -> bool:
    """Whether *text* says "I" or "we", read in any of *languages*: of few words, one may be wrong."""
    low = _low(text)
    return any(is_in_first_person(low, primary_subtag(one)) for one in set(languages))


def speaks_of_oneself(text: str, *, language: str) -> bool:
    """Whether *text* says "I" or "my" of its writer alone, and not only "we" or "tell me"."""
    tag = primary_subtag(language)
    low = _low(text)
    for one in (_ASIDE, _PLURAL_VERBS):
        low = words_of(one[tag]).sub(" ", low) if tag in one else low
    for word in _PLURAL[tag].split() if tag in _UNPARTED else ():
        low = low.replace(word, " ")
    return has_word(_singular(), low, tag) or _has_verb(low, tag)


def says_we(text: str, tag: str) -> bool:
    """Whether *text*, in lower case, has a word or a verb that says "we" in the language *tag*."""
    has_verb = tag in _PLURAL_VERBS and words_of(_PLURAL_VERBS[tag]).search(text) is not None
    return has_word(_PLURAL, text, tag) or has_verb


def has_word(words: dict[str, str], text: str, tag: str) -> bool:
    """Whether *text*, in lower case, has one of the *words* of the language *tag*."""
    own = words.get(tag, words["en"]).split()
    if tag in _UNPARTED:
        return any(word in text for word in own)
    parted = _ELIDED.sub(r"\1 ", text) if tag == "fr" else text
    return not set(own).isdisjoint(_WORD.findall(parted))


def _low(text: str) -> str:
    """What is read of *text*, in lower case and on one line."""
    return both_ends(" ".join(text.split())).replace("’", "'").casefold()


def _has_verb(text: str, tag: str) -> bool:
    return tag in _FIRST_PERSON_VERBS and words_of(_FIRST_PERSON_VERBS[tag]).search(text) is not None


@cache
def _singular() -> dict[str, str]:
    """The words that say "I" and not "we"."""
    return {
        tag: " ".join(word for word in words.split() if word not in _PLURAL[tag].split())
        for tag, words in _FIRST_PERSON.items()
    }
