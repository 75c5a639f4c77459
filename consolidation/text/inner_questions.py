"""
Questions that show by a word inside the sentence or at its end: in Chinese, Japanese, Arabic, Russian, French and more.

People type them without a mark, and the word that asks stands where the answer would: "那几根鱼竿我给谁了". "Any" and
"some" are the same words with another one behind them, and who does not know something asks nothing.
"""

from __future__ import annotations

import re

LONGEST = 100  # characters of a sentence whose inside is looked at
_END = r"[\s。．.!！~〜…]*$"

# 谁都 is everybody; 没什么 is nothing; 什么的 is "and the like".
_ANY = r"(?!.{0,8}[都也就])"
_CHINESE_WORDS = (
    rf"(?<![没沒])什[么麼](?!的){_ANY}|(?:[是做干搞属屬姓叫卖賣教管])[^，,。]{{0,2}}什[么麼]的{_END}"
    rf"|(?<![没沒])啥(?!的){_ANY}|(?<![没沒冇什怎这這那多要])么[事子]{_ANY}"
    r"|(?<![没沒])多少(?!有|[都也]|.{0,6}[点點些])"
    r"|(?<![没沒不这這那好差挺才])多(?:[大高远遠深宽寬快](?![点點])|久|[长長](?!辈|大)|重)(?!.{0,6}[啊都也])"
    rf"|(?<![任随隨])哪(?![怕有能敢知吒]|里哪里|[来來]的|好意思){_ANY}|(?<![没沒])[谁誰](?!知){_ANY}"
    r"|(?<![不没沒])怎(?:[么麼]|样|樣)(?!.{0,6}[都也]|[说說]呢|可能|[会會敢]|[这這那])|(?<![不没沒])咋(?!.{0,4}[都也])"
    r"|[为為](?:什[么麼]|啥|何)|(?:^|[，,、\s])如何|何[时時地]"
    r"|百分之[几幾]|第[几幾](?!乎)|等于[几幾多]|等於[幾多]"
    r"|(?:[周週]|星期|礼拜|禮拜)[几幾]|(?<![好过過十这這那])[几幾](?:[点點号號岁歲月楼层層路]|年[级級]|口人)"
    rf"|(?<![好过過了十这這那])[几幾][次回片粒颗顆顿頓瓶]{_END}"
    r"|(?<![动時时])(?P<verb>[^\W\d_a-z动時时知])不(?P=verb)(?!容易)|有[没沒]有"
    r"|(?P<kind>[^\W\d_])[^，,。]{0,6}还是[^，,。]{0,6}(?P=kind)"
)
_NO_CHINESE_QUESTION = (
    r"[谁誰](?:让|讓|说|說)|[说說讲講]不清|不清楚|从[来來][没沒]|懒得|懶得|猜得到|不好说|[难難]说|吵了|什[么麼](?:破|鬼"
    r"|烂|爛)"
    r"|什[么麼].{1,3}什[么麼]|多少(?:年|次|回)[没沒]|哪天(?:有空|再|要是)|我[没沒]跟"
    r"|不管|[无無][论論]|不[论論]|随便|隨便|忘了|(?<![请請])[问問]|告[诉訴]|(?<![你您])(?<!你还)(?:知道|[晓曉]得"
    r"|明白"
    r"|清楚)"
    r"|(?<![你您])(?:学|學|教|看看|研究|商量|[讨討][论論]|考[虑慮]|琢磨|[纠糾][结結]|打听|打聽|[决決]定|想着)"
    r"[^，,。]{0,6}(?:怎|什|啥|哪|[谁誰]|[几幾]|[能会會要行])|[还還]在想|你[说說](?=[^\W\d_]不)"
    r"|(?P<same>\w{2,})还是(?P=same)"
)
_CHINESE_ENDS = (
    r"吗|嗎|(?:什么|什麼|哪|谁|誰|怎|几|幾|多少|为啥|还是|(?P<done>[^\W\d_])不(?P=done)).{0,40}呢"
    r"|^[^在正着著還还可住]{1,6}呢"
    r"|(?:了|着|过|過|到|完|好)(?:[没沒冇]|[没沒]有)"
    r"|(?:[晓曉]得|知道|[记記]得|可以|喜[欢歡]|行|好|[对對]|在|要|能|[会會]|有|懂)不"
)
# 何か is something, どこでも anywhere; いつも is always.
_JAPANESE_WORDS = (
    r"何(?!か(?!ら|月)|も|(?:[度回人個年日枚本冊杯]|時間|か月|週間)(?:も|.{0,4}ても)|とか|でも|より|しろ|だか|気|なり"
    r"|て(?![言い書読呼]))"
    r"|(?:どこ(?!ろ)|誰|だれ|いつ)(?!か(?!ら)|も|でも|まで?も|にも|とも|やら|の間)"
    r"|いくら(?=[だすし払か]|で(?!も)|くらい|ぐらい|なの|[\s。．.~〜]*$)"
    r"|いくつ(?!か|も)|ど(?:の|れ)[くぐ]らい(?!か|でも)|どんな(?!に|[^、。]{0,8}でも)|どっち(?!か|も|でも|み)"
    r"|どう(?:だ(?!か)|なっ(?:た|て(?![もい]ん))|なん|すれ(?:ば|ん)|やって|したら)"
    r"|どれ(?!か|も|でも|だけ|ほど)|ってなん(?:だ|です)"
    r"|な(?:ん|に)(?:だっけ|やった|だった|なん|て(?:[言書読呼]|いう|いった)|にち|じ(?:に|から|まで))"
)
_NO_JAPANESE_QUESTION = (
    r"か(?:で|について)?(?:揉|もめ|喧嘩|話す)|か.{0,14}わかっ|(?:の|か)って(?:聞|言)|何[人回度]か|何がなん|(?:何|誰"
    r"|どこ|いつ).{0,8}[てで]も|わからな|分からな|知らな|か[はをも]?(?:知|分|わか|忘|悩|迷|考|決|聞|見て|話し|調べ)"
    r"|か[^、。]{0,12}(?:聞い|聞か"
    r"|調べ|迷|悩|相談)|かな(?=、|と)"
)
_JAPANESE_ENDS = r"(?:です|ます|でした|ました|でしょう|だろう)か|っけ|かな|ったん|だん|やっけ"
# "An elder, 犬の名前は" leaves out what is asked.
_JAPANESE_TOPIC = r"^(?!.*(?:こんにち|こんばん|[はで])は[\s。．.…]*$).{2,40}は[\s。．.…]*$"
# Words of the dialects that do nothing but ask; "مين" is who, "وين" where, "ايمتى" when, "قديش" how much.
_ARABIC_WORDS = (
    r"(?<!\w)(?:[وبلعف]?(?:شو|شنو|شنهو|وش|[اإأ]يش(?<!عايش)|مين|منو|وين|فين|منين|[اإ]ي?متى|متى|[اأإ]?قديش|[أا]ديش|كام"
    r"|ليش"
    r"|شلون|[اإ]زاي|شقد|ماذا|لماذا|هل|أين|كم(?= مر[ةه]| عمر| سعر| ال| من| تبلغ| [يتأن]\w{3}))|و?ليه|(?:في |ب)?[اأ]نهي"
    r"|ب(?:كم"
    r"|كام))(?!\w)(?! ما(?!\w))"
    r"|(?:(?<=\w )[اإ]يه|^\W{0,3}[اإ]يه (?=ال|اللي))(?!\w)"
    r"|^\W{0,3}(?:و?(?:في|من|إلى|الى|على|عن|مع) )?[بلف]?[أا]ي (?!شيء|شي|حد|واحد|أحد|شخص|وقت|مكان)\w{2,}"
)
_NO_ARABIC_QUESTION = (
    r"(?<!\w)(?:[بو]?[تين]?س[أا]ل\w*|مدري|مادري)(?!\w)|(?<!\w)لم \w+ بعد|(?<!\w)(?:شو|وش) (?:ه?ال\w+،|حلو)"
    r"|(?<!\w)و?ناسي (?=شو|مين|وين|متى|كم)|(?<!\w)(?:مش|مو|لا|ما|ولا) ?(?:عارف|[أبا]?[عدف][ره][ري]?ف|[أا]دري|[أا]علم)"
    r"|(?<!\w)(?:نسيت|عرفت|عارف|[بتي]عرف)(?!\w)|(?<!\w)يا رجل"
    r"|[!！]\s*$|كل مين"
)
_RUSSIAN_ENDS = (
    r"(?<!знаю )(?<!знаем )(?<!помню )(?<!понятно )(?<!неважно )(?<![\w-])(?:сколько|когда|где|куда|откуда|кто|какой"
    r"|какая|какое|какие|зачем|почему"
    r"|чей|чья|чьё)"
)

# French asks so when it is spoken: "il bosse dans quoi mon frère", "c'est où déjà".
_FRENCH_WORDS = (
    r"(?<![\w'’])(?:(?:dans|avec|chez|pour|de|à|en|sur|par|vers) (?:quoi|qui|où|quand|combien|quel(?:le)?s?)"
    r"|combien(?= de| d['’])"
    r"|c['’]était (?:quoi|qui|où|quand|combien|comment|quel(?:le)?s?))(?!\w)"
    rf"|(?<!\w)(?:quoi|où|quand|combien|(?:appelle|fait|va|est|marche) comment|lequel|laquelle)(?: déjà| exactement"
    rf"| au juste| cet?(?:te)? \w+"
    rf"| finalement){{0,2}}{_END}"
)
_NO_FRENCH_QUESTION = (
    r"(?<!\w)(?:n['’]importe|peu importe|sais|sait|savais|savait|demand\w+|dis|dit|explique\w*|comprend\w*|oubli\w+"
    r"|vois|voir"
    r"|merci|ce|tout ce|là) (?:[\w'’]+ ){0,3}(?:quoi|qui|où|quand|combien|comment|quel)"
)
_FRENCH = re.compile(
    rf"^(?!.*(?:{_NO_FRENCH_QUESTION}))(?=\W*(?:et |mais |du coup |bon )?(?:j['’]|je|tu|il|elle|on|nous|vous|ils|elles"
    rf"|c['’]|ça|ma|mon"
    rf"|mes|la|le|les|l['’]|notre|nos)).*?(?:{_FRENCH_WORDS})",
    re.IGNORECASE,
)
# "A gente vai onde", "y eso era cuándo".
_ENDS_IN_LATIN = re.compile(
    rf"(?<!sabe )(?<!sei )(?<!sé )(?<!so )(?<!sai )(?<!tanto )(?<!\w)(?:onde|quem|quanto|dónde|cuándo|quién|cuánto"
    rf"|cuál)(?: mesmo)?{_END}",
    re.IGNORECASE,
)
_CHINESE = re.compile(rf"^(?!.*(?:{_NO_CHINESE_QUESTION}))[^。！!]*?(?:{_CHINESE_WORDS})")
_JAPANESE = re.compile(rf"^(?!.*(?:{_NO_JAPANESE_QUESTION}))[^。！!]{{0,60}}?(?:{_JAPANESE_WORDS})|{_JAPANESE_TOPIC}")
_ARABIC = re.compile(rf"^(?!.*(?:{_NO_ARABIC_QUESTION})).*?(?:{_ARABIC_WORDS})")
_ENDS = (
    re.compile(rf"(?:{_CHINESE_ENDS}|{_JAPANESE_ENDS}){_END}|っけ(?=[、,，(（笑])"),
    re.compile(rf"(?:{_RUSSIAN_ENDS}){_END}", re.IGNORECASE),
    _ENDS_IN_LATIN,
)
# By a letter that a sentence has; Japanese has those of Chinese, too.
_INSIDE = (
    (re.compile("[ぁ-ヶ]"), _JAPANESE),
    (re.compile("[\u4e00-\u9fff]"), _CHINESE),
    (re.compile("[\u0620-\u064a]"), _ARABIC),
    (re.compile(r"^\W*[a-zà-ÿ]", re.IGNORECASE), _FRENCH),
)


def asks_inside(sentence: str) -> bool:
    """Whether *sentence* asks by its end, or, where it has no more than 100 characters, by a word inside it."""
    if any(pattern.search(sentence[-LONGEST:]) for pattern in _ENDS):
        return True
    pattern = next((one for letter, one in _INSIDE if letter.search(sentence)), None)
    return len(sentence) <= LONGEST and pattern is not None and pattern.match(sentence) is not None
