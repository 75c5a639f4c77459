"""
What a message wants: is it a question about somebody's life, a task, a remark, small talk?

Memory answers the first, and helps where a remark touches a life. To sums, code, trivia, translations and small talk it
has nothing to say, whatever words they share with a memory. Closed classes of words in the languages that most people
write to a bot; a message in another language is weighed by what is found alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from consolidation.text.dates import without_numeric_days
from consolidation.text.first_person import has_word, is_in_first_person
from consolidation.text.language import primary_subtag
from consolidation.text.speech_acts import is_question, is_request
from consolidation.text.words import accents_optional, both_ends, word_count, words_of
from service.retrieval.events import asks_of_event
from service.retrieval.tense import is_about_past

_QUERIES = 32  # each phase asks of the same few
_WORDS_THAT_ASK, _MOST_BEHIND = 4, 6
_MARK = re.compile("[？؟]")
_LIKE_A_CHILD = re.compile(
    r"\blike i(?:'m| am|m) (?:five|5|a (?:child|kid))\b|\bals wäre ich (?:fünf|5|ein kind)\b"
    r"|\bcomo si (?:yo )?tuviera (?:cinco|5)\b"
    r"|\bcomme si j'avais (?:cinq|5)\b|\bcome se avessi (?:cinque|5)\b|\bcomo se eu tivesse (?:cinco|5)\b",
    re.IGNORECASE,
)

type Kind = Literal["personal question", "other question", "request", "personal remark", "other remark"]

KINDS: tuple[Kind, ...] = ("personal question", "other question", "request", "personal remark", "other remark")
TASKS = ("code", "language", "how to", "sum", "trivia", "small talk", "saying")

# Words of the first person by which a list is of one's own: "list every place I lived", not "list me the planets".
_OWN = {
    "en": "i my mine our ours we i've ive i'd i'm we've we're we'd",
    "de": "ich mein meine meinem meinen meiner meines unser unsere unserem unseren unserer wir",
    "es": "mi mis mío mía míos mías nuestro nuestra nuestros nuestras he hemos",
    "fr": "je j mon ma mes notre nos",
    "it": "mio mia miei mie nostro nostra nostri nostre ho abbiamo",
    "pt": "meu minha meus minhas nosso nossa nossos nossas eu",
    "nl": "ik mijn m'n onze ons",
    "pl": "mój moja moje mojego mojej moich moją moim nasz nasza nasze naszych",
    "ru": "я мой моя моё мое мои моего моей мою моих наш наша наше наши наших мы",
    "zh": "我",
    "ja": "私 僕 俺",
    "ar": "أنا اسمي عملي بيتي شقتي",
}
_THIRD_PERSON = {
    "en": "he she it him her hers his its they them their theirs that those there this these one together",
    "de": "er sie es ihn ihm ihr ihre ihren ihrem ihrer sein seine seinen seinem denen deren dort dorthin das dessen",
    "es": "él ella ellos ellas le les lo la los las su sus suyo eso esa ese esos allí allá juntos juntas",
    "fr": "il elle ils elles lui leur leurs son sa ses l ça cela y en celui celle là ensemble",
    "it": "lui lei loro gli le suo sua suoi sue lo la quello quella lì là ci insieme",
    "pt": "ele ela eles elas lhe lhes seu sua seus suas dele dela isso aquilo lá juntos juntas",
    "nl": "hij zij ze het hem haar hun zijn dat die daar",
    "pl": "on ona ono oni one jego jej ich go mu jemu nim nią nimi to tam tego razem",
    "ru": "он она оно они его её ее их ему ей им ним ней него нее них это там того вместе",
    "zh": "他 她 它 他们 那 一起",
    "ja": "彼 彼女 それ あれ そこ",
    "ar": "هو هي هم ذلك تلك",
}
_RECALLS = (
    r"you (?:told|said|gave|suggest\w*|recommend\w*|mention\w*|wrote|came up with)|did (?:i|we)\b|remember"
    r"|remind me|again\?|du (?:hast )?(?:mir )?(?:\w+ )?(?:gesagt|empfohlen|gegeben|vorgeschlagen|geraten)|hattest du"
    r"|hast du (?:mir )?\w*(?:gesagt|empfohlen)"
    r"|nochmal|erinner\w*|dijiste|recomendaste|diste|aconsejaste|sugeriste|me (?:habías|has) \w+|recuérdame"
    r"|recuerdas|te acuerdas"
    r"|tu m['’](?:as|avais)|as dit|conseillé|rappelle|tu te souviens|hai detto|consigliat\w+|ricord\w+"
    r"|(?:voc[êe]|vc|c[êe]) (?:me )?(?:disse|falou|contou|deu|passou|mandou|indicou|sugeriu|recomendou|escreveu)"
    r"|(?:eu )?te (?:disse|falei|contei)|lembra\w*|je zei|jij zei|herinner|ook (?:al)?weer"
    r"|c['’]était (?:quoi|qui|où|quand|combien|quel(?:le)?s?)|(?:wie hie(?:ß|ss)|cómo se llamaba|come si chiamava"
    r"|como se chamava"
    r"|hoe heette|jak się nazywał[aoy]?|как звали|как называл(?:ся|ась|ось|ись)|what was (?:(?:his|her|its|their|the"
    r"|that) )?name)\b"
    r"|déjà(?=\W*$)|(?:como|qual|quem|onde|quando|por que|o que|que) (?:é |era |foi )?mesmo|っけ|来着|來著"
    r"|ど忘れ|思い出せ(?:ん|ない)|出てこ(?:ん|ない)|もっかい|もう(?:一[回度]|いちど)|记性|想不起来"
    r"|ты говорил\w*|напомни(?:те)?|помнишь|mówił\w*|przypomnij|pamiętasz|你说过|记得|言ってた|覚えて|قلت لي"
    r"|أخبرتك|أخبرتني|تتذكر|هل تذكر|ذكرني"
)
# What the assistant said, advised or wrote.
_RECALLS_ANSWER = (
    r"you(?:'d| had|'ve| have)? (?:told|said|gave|given|suggest\w*|recommend\w*|mention\w*|wrote|written|advised"
    r"|taught|showed|came up with|explained)"
    r"|did you (?:say|tell|give|suggest|recommend|mention|write|advise|teach|show|explain)"
    r"|your (?:advice|tips?|tricks?|suggestions?|recommendations?|recipe|list|wording|draft)"
    r"|(?:hast|hattest) du (?:\w+ ){0,6}(?:gesagt|empfohlen|gegeben|vorgeschlagen|geraten|geschrieben|erklärt)"
    r"|du (?:\w+ ){0,6}(?:gesagt|empfohlen|gegeben|vorgeschlagen|geraten|geschrieben|erklärt) (?:hast|hattest)"
    r"|du (?:hast|hattest) (?:\w+ ){0,6}(?:gesagt|empfohlen|gegeben|vorgeschlagen|geraten|geschrieben|erklärt)"
    r"|sagtest du|du sagtest|dein(?:e[mnrs]?)? (?:rat|tipps?|tricks?|vorschl[aä]ge?|empfehlung(?:en)?|rezept|liste)"
    r"|(?:me |nos )?(?:dijiste|recomendaste|diste|aconsejaste|sugeriste|escribiste|enseñaste|explicaste|propusiste)"
    r"|me (?:habías|has) (?:dicho|recomendado|dado|aconsejado|sugerido|escrito|enseñado|explicado)"
    r"|tus? (?:consejos?|trucos?|sugerencias?|receta|lista)"
    r"|tu (?:m'|nous |me l')(?:as|avais)|(?:m'|nous )as[- ]tu|as-tu dit|tes? (?:conseils?|astuces?|suggestions?)"
    r"|mi (?:hai|avevi) (?:detto|consigliato|dato|suggerito|scritto|insegnato|spiegato)"
    r"|(?:voc[êe]|vc|c[êe]|tu) (?:tinha )?(?:me )?(?:disse|disseste|falou|falaste|recomendou|recomendaste|sugeriu"
    r"|sugeriste|indicou|deu|deste|passou|aconselhou|escreveu|escreveste|ensinou|explicou|explicaste|mandou)"
    r"|(?:sua|tua)s? (?:dicas?|sugest(?:ão|ao|ões|oes)|recomenda(?:ção|cao|ções|coes))|(?:seu|teu)s? conselhos?"
    r"|j(?:e|ij) (?:me )?(?:zei|raadde|gaf|schreef|stelde voor|maakte|berekende)"
    r"|(?:zei|raadde|gaf|schreef|maakte|berekende|noemde) j(?:e|ij)"
    r"|you(?:'d| had|'ve| have)? (?:worked out|calculated|reckoned|came to)|(?:heb|had) j(?:e|ij) (?:\w+ ){0,5}"
    r"(?:gezegd|aangeraden|aanbevolen|voorgesteld|gegeven|geschreven|uitgelegd|bedacht)"
    r"|je (?:\w+ ){0,5}(?:gezegd|aangeraden|aanbevolen|voorgesteld|gegeven|geschreven|uitgelegd|bedacht) (?:hebt|had)"
    r"|(?:jouw|je) (?:advies|tips?|suggesties?|recept)|twoj[aąe] (?:rad[aęy]|wskazówk[ai]|przepis|lista)"
    r"|ты (?:\w+ ){0,6}(?:говорил|сказал|(?:по)?советовал|дал|(?:на)?писал|предложил|предлагал|(?:по)?рекомендовал"
    r"|придум\w+ал"
    r"|придумал|объяснил|объяснял|подсказ[ыа]\w*л|(?:на|по|под)считал|составил|перев[её]л|насоветовал)[аи]?"
    r"|(?:mówił|powiedział|polec[ai]ł|(?:po|do)?radził|(?:na|za)?pisał|dał|podał|(?:za)?proponował|(?:za)?sugerował"
    r"|wymyślił|wyjaśnił|tłumaczył)[ea]ś"
    r"|你(?:之前|上次|当时|那时|那次|刚才)?(?:[给跟对帮](?:我|我们))?(?:说|推荐|建议|告诉|写|教|讲|列|算|编|取|想|翻译"
    r"|出)|你(?:之前|上次|当时|那时|那次|刚才)叫我|(?:言って|教えて|勧めて|すすめて|書いて)(?:い?た|くれた)"
    r"|(?:作って|出して|選んで|考えて|直して|訳して|計算して|まとめて)くれた(?:よな|よね|っけ|やつ|の[はってを]"
    r"|[^、。]{0,8}(?:リスト|文|レシピ|案|表|曲|候補))"
    r"|قلت ?لي|قلتلي|أخبرتني|خبرتني|حكيتلي|نصحتني|اقترحت(?:ه|ها)?|كتبت ?لي|كتبتلي|أوصيت|دليتني|عطيتني|أعطيتني|علمتني"
    r"|شرحت ?لي|حسبت ?لي|رشحت ?لي"
)
_NOW = (
    r"now|nowadays|these days|still|currently|current|at the moment|right now|today|any ?more|lately|as of"
    r"|jetzt|derzeit|zurzeit|zur zeit|momentan|gerade|aktuell\w*|noch|inzwischen|mittlerweile|heutzutage"
    r"|ahora|actual\w*|todavía|aún|sigo|sigue|últimamente|hoy en día|ya no|maintenant|actuel\w*|encore|toujours"
    r"|en ce moment|ces jours-ci"
    r"|adesso|ora|ancora|attual\w*|agora|ainda|atual\w*|ultimamente|hoje em dia|n[eo](?:ste|sse)? momento"
    r"|nu|momenteel|nog|tegenwoordig|сейчас|теперь|ещё|еще|teraz|obecnie|jeszcze|nadal"
    r"|usually|normally|normalerweise|üblicherweise|meistens|normalmente|habitualmente|d['’]habitude"
    r"|normalement|di solito|geralmente|costuma\w*|meestal|gewoonlijk|zwykle|обычно|いつも|平时|عادة"
    r"|现在|目前|还|今|まだ|الآن|حاليا|حاليًا|لا يزال|ما زلت|ما زال"
)
_LAST_TIME = (
    r"last (?:time|see|saw|went|met|spoke|talked|had|did|was|visit\w*)|most recent|did (?:i|we) last|latest|newest"
    r"|zuletzt|das letzte mal|zum letzten mal|letztes mal|neueste\w*|última vez|por última|más reciente"
    r"|la dernière fois|dernièrement"
    r"|l['’]ultima volta|pela última|laatste keer|voor het laatst|последний раз|آخر (?:زيارة|موعد|مرّة)|ostatni raz"
    r"|ostatnio|上次|最后一次|最近|この前|最後に|آخر مرة"
)
_LISTS = (
    r"\ball\b|every\w*|\blist\b|one after (?:the other|another)|from (?:the )?\w+ .{0,40}\bto\b|how .{1,40} (?:go"
    r"|went)\b|\beach\b(?! (?:day|week|month|year))|which (?:\w+ ){0,2}(?:have|has)|who (?:all|has|have)|both"
    r"|how many(?! (?:units?|mic\w+|mi?lli\w+|mg|mcg|ml|grams?|pills?|tablets?|capsules?|drops?|puffs?|hours?|days"
    r"|minutes|euros?|pounds?|dollars?|kilos?|km|miles?|steps|calories)\b)"  # these are a measure of one thing
    r"|in (?:what )?order|so far|the \w+s\b.*\band\b|\bplaces\b|\bparts\b|\b(?:two|three|four) \w+s\b"
    r"|\b(?:which|what) \w{3,20}s\b.*\b(?:i|we|you)(?:'ve)? (?:have|had|got|been|lived|used|tried|took|taken)\b"
    r"|\w, \w{1,30},? (?:and|und|y|et|e|en|i|и) \w"  # several at once: "what do Ann, Bo and Cid eat"
    r"|\b(?:began|started|begonnen|angefangen|empezó|commencé|iniziat\w|começou)\b.{1,60}"
    r"\b(?:end(?:ed)?|finished|aus|geendet|acabó|terminó|fini|terminé|finit\w|acabou|afgelopen)\b"
    r"|\balle[sn]?\b|jede[nrsm]?|\bliste\b|\bwelche \w+(?:en|er|s)\b|\bwelche\b.*\b(?:sind|waren|haben|hatten|gab)\b"
    r"|überall|beide|der reihe nach|nacheinander|\bwelke \w+(?:en|s)\b|op volgorde"
    r"|todos|todas|\blista\b|cuáles|quiénes|qué \w+s\b|por orden|en orden|ambos|em ordem|quais"
    r"|tous|toutes|quels|quelles|dans l['’]ordre|partout|tutti|tutte|quali|in ordine"
    r"|wszystkie|wszyscy|po kolei|которые|все\b|какие|по порядку|全部|哪些|按顺序|挨个|逐个|一个个|一一|从头到尾"
    r"|从.{1,20}到|前前后后|先后"
    r"|すべて|全て|順番に|順に|それぞれ|から.{1,20}まで|ひとつずつ|流れを|جميع|كل ال|بالترتيب|من أول .{1,20} ل"
    r"|واحد واحد|\bвсе (?:мои|наши|его|её|их)\b|\bкажд(?:ый|ая|ое|ую|ого)\b(?! (?:день|недел|месяц|год|утро|вечер))"
    # A course of things: "the whole saga, start to finish", "how has it gone up over the year".
    r"|\bwhole (?:\w+ )?(?:story|saga|history|business|thing)\b|\bstart to finish\b|, the lot\b|\brecap\b"
    r"|\bstep by step\b"
    r"|\bover (?:the|this) (?:\w+ )?(?:year|yr|months|weeks)\b|\bthe old (?:ones? )?and (?:the )?new\b|\bevery step\b"
    r"|\b(?:first|old|former|previous) \w{1,20} to (?:the )?(?:last|now|today|new)\b|\bsince (?:january|february"
    r"|the start)\b|\bfrom (?:the )?(?:beginning|start) to\b"
    r"|\bim laufe\b|\bvon anfang (?:an )?bis\b|\bbis (?:jetzt|heute)\b|\bganze geschichte\b|\b(?:zwei|drei"
    r"|vier) \w+(?:en|er|e)\b|\bseit (?:januar|anfang)\b|\ba lo largo\b|\bha(?:n|s|)? ido \w+ndo\b"
    r"|\bviej[ao]s y (?:l[ao]s )?nuev[ao]s\b|\bhasta (?:hoy|ahora)\b"
    r"|\btoda la historia\b|\blos dos \w+s\b|\blas dos \w+s\b|\bdesde (?:enero|el principio)\b|récapitul"
    r"|\bau fil\b|\bdu premier\b"
    r"|\bjusqu'(?:à|ici)|\bdepuis (?:janvier|le début)\b|\btoute l'histoire\b|\bles deux \w+s\b|\bdal primo\b"
    r"|\bnel corso\b"
    r"|\btutte e due\b|\btutti e due\b|\bfino a (?:oggi|ora)\b|\bda gennaio\b|\bao longo\b|\bos dois \w+s\b"
    r"|\bas duas \w+s\b|\bdo (?:começo|início|inicio|princípio) ao fim\b|\btoda a história\b"
    r"|\bhistória (?:toda|inteira|completa)\b|\bdel? principio al? fin\b"
    r"|\bdu (?:début|commencement) (?:à|jusqu.à) la fin\b"
    r"|\bdall.inizio alla fine\b|\bvan (?:het )?begin tot (?:het )?eind|\bod początku do końca\b"
    r"|от начала до конца|\bpor ordem\b|\bum por um\b"
    # "The story of the hip from the start"
    r"|\bfrom (?:the )?(?:very )?(?:start|beginning)\b|\bvon anfang an\b|\bdesde (?:el|o) (?:principio|comienzo|inicio"
    r"|começo|início|princípio)\b|\bdepuis le (?:tout )?(?:début|commencement)\b|\bdall['’]inizio\b"
    r"|\bvan(?:af)? het begin\b|\bod (?:samego )?początku\b"
    r"|\bdesde janeiro\b|\baté (?:hoje|agora)\b|\bin de loop\b|\btot nu toe\b|\bdo tej pory\b|\bod stycznia\b"
    r"|с начала|до сих пор"
)
# What is to be told, and not made: "tell me about my jobs" asks what "what do you know about my jobs" does.
_TELLS = (
    r"(?:tell|give) (?:me|us) (?:the |my |our )?(?:whole |full )?(?:story|history) of (?:my|our)"
    r"|(?:erzähl\w*|sag\w*) (?:mir|uns) (?:\w+ ){0,2}(?:geschichte|verlauf) (?:von |mit )?(?:mein|unser)\w*"
    r"|(?:cuénta|di)(?:me|nos) (?:toda )?(?:la|mi) historia (?:de )?(?:mi|nuestr[oa])\w*"
    r"|raconte[sz]?[- ](?:moi|nous) (?:toute )?l['’]histoire de (?:mon|ma|mes|notre|nos)"
    r"|racconta(?:mi|ci) (?:tutta )?la storia d(?:i|el|ella) (?:mi[oa]|nostr[oa])"
    r"|(?:me cont[ae]|cont[ae]-me|cont[ae]) (?:toda )?a história (?:toda )?d[oa]s? (?:meu|minha|nosso|nossa)s?"
    r"|vertel (?:me|ons) (?:het hele|het) verhaal van (?:mijn|m['’]n|ons|onze)"
    r"|opowiedz (?:mi|nam) (?:całą )?historię (?:moj|nasz)\w+"
    r"|расскажи(?:те)? (?:мне |нам )?(?:всю )?историю (?:мо|наш)\w+|"
    r"(?:tell|remind) (?:me|us),? (?:(?:again|all|more|everything|something|a bit) )?"
    r"(?:about|of|(?:what|which|who|when|where|how)(?! to\b))"
    r"|(?:erzähl\w*|sag\w*|erinner\w*) (?:mir|mich|uns),? (?:(?:noch ?mal|etwas|was|mehr|alles) )?"
    r"(?:von|vom|über|an|was|wann|wo|wer|wie|welche\w*)"
    r"|(?:cuénta|di|h[aá]bla|recuérda)(?:me|nos),? (?:(?:algo|más|todo) )?"
    r"(?:de|del|sobre|qué|cuándo|dónde|quién|cómo|cuál\w*)"
    r"|(?:parle|raconte|dis|rappelle)[sz]?[- ](?:moi|nous),? (?:(?:encore|tout|plus) )?"
    r"(?:de|du|des|sur|d'|ce qu\w*|quand|où|qui|comment|quel\w*)"
    r"|(?:parla|racconta|dim|ricorda)(?:mi|ci),? (?:(?:ancora|tutto|qualcosa) )?"
    r"(?:di|del\w*|su|sul\w*|cosa|quando|dove|chi|come|qual\w*)"
    r"|(?:me (?:conta|fal[ae]|di(?:z|ga)|lembra)|(?:conta|fala|diz|lembra)-me),? (?:(?:mais|tudo|algo) )?"
    r"(?:d[eoa]s?|sobre|o que|quando|onde|quem|como|qual)"
    r"|(?:vertel|zeg|herinner) (?:me|mij|ons),? (?:(?:nog eens|iets|meer|alles) )?"
    r"(?:over|van|aan|wat|wanneer|waar|wie|hoe|welke?)"
    r"|(?:opowiedz|powiedz|przypomnij) (?:mi|nam),? (?:(?:coś|więcej|wszystko) )?(?:o|co|kiedy|gdzie|kto|jak\w*)"
    r"|(?:расскажи|скажи|напомни|подскажи|распиши|перечисли|опиши)(?:те)?,? (?:мне |нам )?,?(?:(?:ещё|еще|всё|все) )?"
    r"(?:об?|про|что|когда|где|кто|куда|как\w*)"
    r"|告诉我.{0,20}(?:什么|哪|谁|几)|(?:跟|给)我(?:说说|讲讲)|(?:について|のことを?)(?:話して|教えて)|(?:いつ|どこ|誰|何)か?(?:を)?教えて"
    r"|(?:[أا]خبرني|خبرني|[اإ]?حكي? ?لي|احكيلي|حدثني|ذكرني|قول?ي?لي|قل لي|لخص(?:لي)?|عدد(?:لي)?|سمي(?:لي)?)"
    r" (?:عن|ماذا|متى|أين|من|كيف|شو|وين|مين|كل|اسم|أسماء)"
)
# Whoever wants to be reminded of a thing, and not to do something or at a time, asks for it.
_REMINDS = (
    r"\W*(?:напомни(?:те)?,?(?! (?:мне |нам )?(?:завтра|послезавтра|через|в|во|к|до|утром|вечером|чтобы?"
    r"|\w+ть(?:ся)?)\b)|przypomnij(?! (?:mi |nam )?(?:jutro|za|o|w|żeby|\w+ć)\b)"
    r"|rappelle[-z]*[- ](?:moi|nous) (?:l['’]\w|l[ae]s? |mon |ma |mes |qu[ie])"
    r"|recu[eé]rdame (?:el|la|los|las|mis?|cu[aá]l|qui[eé]n|d[oó]nde)\b"
    r"|ricordami (?:il|la|i|le|l['’]\w+|mi[oa]|chi|dove|quale?)\b|me lembr[ae] (?:d?[oa]s?|qual|quem|meu|minha)\b"
    r"|remind me (?:of )?(?:my|the|who|which|where)\b)"
)
# What is known or was told: whoever wants a summary of it, or a list, wants it remembered.
_KNOWN = (
    r"(?:what|everything|all|anything)(?: that)?(?:"
    r" (?:all )?you(?:'ve| have)? (?:\w+ )?(?:know|remember|recall|learn(?:ed|t)|noted|stored)"
    r"| (?:i|we)(?:'ve| have|'d| had)? (?:\w+ )?(?:told|said to|shared with|mentioned to) you)"
    r"|was (?:du|sie) (?:\w+ ){0,6}(?:weißt|weisst|wissen|gemerkt|behalten)"
    r"|was (?:ich|wir) (?:dir|ihnen) (?:\w+ ){0,6}(?:gesagt|erzählt|geschrieben)"
    r"|lo que (?:tú )?(?:sabe|recuerda|conoce|te acuerda)s?|lo que (?:yo )?te (?:he |había )?(?:cont|dij|dicho)\w*"
    r"|ce que (?:tu|vous) (?:sais|savez|connaissez|connais|as retenu|avez retenu)|ce dont tu te souviens"
    r"|ce que je (?:t'|te |vous )(?:ai |avais )?(?:dit|racont\w+)"
    r"|che (?:tu )?(?:ti )?(?:sai|ricordi|conosci|sa|ricorda)|che (?:io )?ti (?:ho|avevo) (?:detto|raccontato)"
    r"|o que (?:(?:você|vc|tu) )?(?:se )?(?:sabe|lembra|conhece)s?|que (?:eu )?(?:te|lhe) (?:contei|disse|falei)"
    r"|wat (?:je|jij|u) (?:\w+ ){0,6}(?:weet|onthouden|herinnert)|wat ik (?:je|jou|u) (?:\w+ ){0,6}"
    r"(?:verteld|vertelde|gezegd|zei)"
    r"|co (?:ty )?(?:o \w+ (?:\w+ )?)?(?:wiesz|pamiętasz)|co (?:ci|tobie) (?:\w+ ){0,4}(?:powiedzi|mówi|opowi)\w+"
    r"|что (?:ты|вы) (?:\w+ ){0,4}(?:знае|помни)(?:шь|те)|что я (?:тебе|вам) (?:\w+ ){0,4}(?:рассказ|говор|сказ)\w+"
    r"|你(?:所)?(?:知道|记得|了解)|我(?:跟|和|对)?你(?:说|讲)过|我告诉(?:过)?你|(?:知って|覚えて)い?る|私が(?:話し|言っ|教え)た"
    r"|ما (?:تعرف|تتذكر|تعلم)\w*|ما (?:أخبرتك|قلت لك|قلته لك|حكيت لك)"
)
_ABOUT_ME = (
    r"(?:about|of|on) (?:me|us)|(?:über|von) (?:mich|mir|uns)|(?:sobre|de) (?:mí|mim|nosotros|nós)"
    r"|(?:sur|de) (?:moi|nous)|(?:su di|di) (?:me|noi)|(?:over|van) (?:mij|me|ons)|o (?:mnie|nas)|обо? (?:мне|нас)"
    r"|про (?:меня|нас)|عن[ين]ا?|عن \w{1,20}ي"
)
_SUMS_UP = (
    r"summar\w+|sum up|recap|zusammenfass\w*|zusammen|resum\w+|résum\w+|riassu\w+|riepilog\w+|samenvat\w*|samen"
    r"|streść|streszcz\w*|podsumuj\w*|подыто\w+|обобщи\w*|резюм\w+|总结|概括|まとめ|要約|لخص|ملخص"
)
# What belongs to a household, though nobody says "my": "what breed is the dog", "de vader van de kinderen".
_HOUSEHOLD = (
    r"(?:the|de|het|der|die|das|den|dem|el|la|los|las|il|i|le|les|o|a|os|as) (?:dogs?|cats?|kids?|children|boys?|girls?"
    r"|baby|van|car|house|hond|kat|kinderen|auto|hund|katze|kinder|perro|gato|niños|niñas|coche|chien|chat|enfants"
    r"|voiture|cane|gatto|bambini|macchina|cão|crianças|carro)"
)
# People of a family, and how they are called at home: nobody asks so of anybody else's.
_FAMILY = (
    r"mum|mom|dad|granny|grandma|nana|grandad|grandpa|hubby|(?:our|the) (?:wife|husband|missus|little one)"
    r"|mama|(?<!el )(?<!al )(?<!del )papa|oma|opa|mutti|vati|mamá|papá|(?:la|el) (?:abuel[ao]|yay[ao]|peque)"
    r"|maman|mamie|papi|papy|mémé|mamma|papà|babbo|(?:la |il )?nonn[ao]"
    r"|mamãe|papai|vovó|vovô|(?:[ao]|d[ao]|n[ao]|pr[ao]) (?:mãe|pai|avó|avô|man[ao])|ons (?:ma|pa|mam|pap)"
    r"|mam[aęy]|tat[ay]|babci[aię]|dziad(?:ek|ka)|teści\w*|żon[aęy]|mąż|męża|córk\w+|syn(?:a|ek|ka)?"
    r"|мам[аыуе]|пап[аыуе]|бабушк\w+|бабул\w+|дедушк\w+|муж[ау]?|мужем|жен[аыуе]|дочк\w+|сын[ау]?|реб[её]н\w+|свекров\w+"
    r"|爸|妈|媽|老公|老婆|女儿|女兒|儿子|兒子|闺女|爷爷|奶奶|外婆|外公"
)
# A list that is asked for without a verb: "all the places I've lived, please", "both my scores, old and new".
_BARE_LIST = (
    r"^\W*(?:(?:please|ok|so|and|bitte|und|y|et|e|oye) )?(?:all|both|every(?:one|body|thing|where)?|each|alle|beide"
    r"|jede[rs]?|sämtliche|tod[ao]s|amb[ao]s|tous|toutes|les deux|chaque|tutt[ie]|entramb[ie]|ogni"
    r"|wszystkie|все|оба|全部|所有|すべて|全て|كل)\b"
    r"(?=.*(?:\bplease\b|\bpls\b|\bin order\b|\bthis (?:year|yr|month|summer)\b|\bsince\b|\bso far\b|'ve\b|\bive\b"
    r"|\bi have\b|\bwe have\b|\bones?\b|\bbitte\b|\bseit\b|\bdieses jahr\b|\bbisher\b|\bder reihe nach\b"
    r"|\bpor favor\b"
    r"|\beste año\b|\bdesde\b|\ben orden\b|\bcette année\b|\bdepuis\b|\bs'il te plaît\b|\bdans l'ordre\b"
    r"|\bquest'anno\b"
    r"|\bper favore\b|\bin ordine\b|\beste ano\b|\bpor ordem\b|\bw tym roku\b|\bпо порядку\b|\bв этом году\b|今年"
    r"|順番|这一?年))"
    r"|^\W*(?:my|our|meine|unsere|mis|nuestr[ao]s|mes|nos|i miei|le mie|[oa]s (?:meu|minha)s|mijn|onze|moje|мои)\s"
    r"(?!.*\b(?:is|are|was|were|ist|sind|war|waren|están?|sont|est|sono|estão|zijn|są)\b).{3,80}"
    r"\b(?:in order|one after (?:the other|another)|der reihe nach|nacheinander|(?:en|por) orden|dans l'ordre|in ordine"
    r"|por ordem|op volgorde|po kolei|по порядку)\W*$"
)
_TASKS = {
    "code": (
        r"compile\w*|kernel|firmware|stack trace|exception"
        r"|python|javascript|java|typescript|\bjs\b|css|html|\bsql\b|regex|\bgit\b|\bvim\b|bash|linux|docker"
        r"|\bexcel\b|spreadsheet formula"
        r"|function (?:that|to|which)|for loop|while loop|array|\bapi\b|json|\bnpm\b|react|\brust\b|c\+\+"
        r"|null pointer|algorithm|debug"
        r"|\bbranch\b|\bcommit\b|\bcódigo\b|脚本|سكربت|скрипт|スクリプト|関数|funktion,? die|\bcode\b|schleife|bucle"
        r"|boucle|\bciclo for|terminal"
        r"|pandas|dataframe|expression régulière|expresión regular|espressione regolare|expressão regular"
        r"|regulären ausdruck|reguliere expressie|регулярн\w+ выражен|正規表現|正则|代码|コード"
    ),
    "language": (
        r"correct (?:this|my|the)|(?:corrige|corregge|corrij|korrig)\w*|translate|übersetz\w*|traduce\w*|traduis"
        r"|traduire|traduci|traduz\w*|vertaal|przetłumacz|переведи|翻译|翻訳|ترجم"
        r"|fix (?:the |this |my )?(?:grammar|sentence|spelling|text)|grammar|rewrite|rephrase|reformul\w+"
        r"|proofread|more (?:polite|formal)"
        r"|shorten|summari[sz]e|plus polie?|más formal|höflicher|korrigier\w*|corrige\w*|corrig(?:é|ez|er)"
        r"|correggi|kommas?|rechtschreibung"
        r"|ortograf\w+|orthographe|\bfautes\b|spell(?:ing)?\b|definition|define|synonym\w*|meaning of"
        r"|what does .{1,40} mean"
        r"|was (?:heißt|bedeutet)|qué significa|que veut dire|cosa significa|o que significa|how do (?:you|i"
        r"|we) (?:say|spell|write)"
        r"|wie (?:sagt|schreibt) man|cómo se (?:dice|escribe)|comment (?:on )?(?:dit|écrit|dire|écrire)"
        r"|come si (?:dice|scrive)|como se (?:diz|escreve)"
        r"|what['’]?s the \w+ (?:word )?for|in (?:english|german|french|spanish|italian|portuguese)\W*$"
        r"|en (?:inglés|anglais|francés|español|espagnol|alemán|allemand)"
        r"|auf (?:englisch|deutsch|spanisch|französisch|italienisch)"
        r"|病句|造句|(?:英|法|德|日|韩|西班牙)语(?:怎么|咋)|[英仏独中韓]語で|(?:フランス|ドイツ|スペイン|イタリア)語で"
        r"|敬語に"
        r"|по-(?:английски|немецки|французски|испански|итальянски)\W*$|исправь ошибки|بالإنجليزي|بالانجليزي|صح+ح"
    ),
    "how to": (
        r"^\W*(?!como se cham)(?:how (?:do|can|would|should|could) (?:i|you|we|one)|how to|wie (?:kann|macht|mache"
        r"|lösche"
        r"|geht(?!'s\b| es\b)|bekomm\w*|krieg\w*|stell\w*|schreib\w*)|hoe (?:krijg|maak|kan|moet|doe) (?:ik|je|men|we)"
        r"|cómo (?:se|puedo|hago|hacer|se hace)|comment (?:on|je|faire|puis)|come (?:si|faccio|posso)|como (?:se"
        r"|que faço|que eu faço|eu faço|faço|posso|consigo|\w{2,20}[aei]r))\b"
        r"(?!.*\b(?:my|mein\w*|mis?|mon|ma|mes|mi[oa]|meu|minha|mijn)\b)"
    ),
    "sum": (
        r"\d\s*(?:%|×|x|\*|/|\+|-|:|mal|por|fois|times|plus|minus|durch|divided|divisé|geteilt|entre|più|diviso"
        r"|vezes|razy)\s*(?:of|by|von|de|du|par|durch)?\s*\d"
        r"|square root|wurzel aus|raíz cuadrada|racine|percent of|prozent von|por ?ciento de|pour ?cent de"
        r"|how many \w+ (?:in|are)\b|(?:cuántos|wie viele|combien de|quante|quanti) \w+ (?:son|sind|hay en|dans"
        r"|hat|tiene|ci sono)\b|convert \d"
        r"|\d\s*(?:乘|除|加|减|減)以?上?\s*\d|等于(?:几|多少)|的平方根|\d\s*(?:的|の)\s*\d+\s?(?:[%％]|パーセント)"
        r"|\d\s*(?:かける|割る|足す|引く)\s*\d"
        r"|\d\s*(?:на|умножить на|разделить на|плюс|минус)\s*\d+(?:\s*(?:это|сколько|будет)|\W*$)|процент\w* от \d"
        r"|% от \d|% z \d|円の\d+\s?(?:[%％割]|パーセント)|\d割引|\d\s*(?:ضرب|في|على|زائد|ناقص)\s*\d|% من \d"
    ),
    "trivia": (
        r"^\W*(?:who|wer|quién|qui|chi|quem|kto|кто)\s+(?:wrote|painted|invented|composed|discovered|won|sang"
        r"|directed|built|founded|schrieb|malte|erfand|komponierte"
        r"|escribió|pintó|inventó|compuso|descubrió|ganó|a (?:écrit|peint|inventé|composé|découvert)"
        r"|ha (?:scritto|dipinto)|escreveu|pintou|napisał|написал)"
        r"|^\W*why (?:is|are|do|does) (?:the|a|an)\b|^\W*warum (?:ist|sind) (?:der|die|das)\b|^\W*por qué (?:el"
        r"|la|los|las)\b|^\W*pourquoi (?:le|la|les)\b|^\W*perché (?:il|la|le|i|gli)\b"
        r"|^\W*wer hat .{1,40} (?:geschrieben|gemalt|erfunden|komponiert|entdeckt)"
        r"|capital of|hauptstadt|capitale? (?:de|di|da)|\bjoke\b|\bwitz\b|flachwitz|chiste|blague|barzelletta"
        r"|piada|анекдот|шутк\w+|\bdowcip|\bkawał\b|\bmop(?:je)?\b|\bfıkra|笑话|冗談|ジョーク|نكتة|농담|चुटकु"
        r"|fun fact|trivia|\bcuriosidad(?:es?)?\b|\bdatos? curiosos?\b|\bfait (?:amusant|insolite)\b"
        r"|\banecdote sur\b|\bcuriosità su|\bweetje|\bciekawostk|интересн\w+ факт|冷知识"
        r"|豆知識|雑学|معلومة (?:غريبة|طريفة)"
        r"|是谁(?:写|画|发明|导演|唱|作曲|建)|谁(?:写|画|发明|发现)了|誰が(?:書い|描い|作っ|発明|歌っ|建て)|の首都"
        r"|首都是|столиц\w+ \w|عاصمة"
        r"|(?:[أا]طول|[أا]كبر|[أا]على|[أا]صغر) (?:\w+ ){1,2}في العالم|世界で(?:一番|最も)|世界上最"
        r"|من (?:كتب|رسم|اخترع|ألف) "
        r"|tallest|highest|largest|smallest|pequeño del mundo|how (?:tall|far|deep|old|high"
        r"|big) is (?!(?:my|our|your|his|her|their|she|he|it|this|that)\b)"
    ),
    "small talk": (
        r"^\W*(?:lol|haha\w*|jaja\w*|hihi|mdr|ptdr|thanks?|thx|ty|cheers|danke|(?:mil |muchas )?gracias|(?:lekker"
        r"|mooi) weer\w*|merci|grazie|obrigad\w+|hi"
        r"|hey|hello|hallo|moin|hola|buenas|salut|coucou"
        r"|k{2,}|rs(?:rs)*|valeu|vlw|obg|bom dia|boa (?:tarde|noite)|tchau|beleza|blz|opa|eita|buongiorno|buonasera"
        r"|bonjour|bonsoir|ciao|oi|olá|yo|morning|good (?:morning|night|evening|afternoon)|guten|gute|buenos"
        r"|bonne|okay|ok|vale|bueno|bah|naja|tja|puh|uff|wow|no me digas|echt jetzt"
        r"|super|perfe\w+|genau|klar|cool|nice|great|qué (?:frío|calor|bien|guay)|quel temps|finally some"
        r"|was für ein wetter|cześć|hej|dzięki|dzień dobry|dobry wieczór|dobranoc|goedemorgen|goedenavond|bedankt"
        r"|привет|спасибо|здравствуй(?:те)?|доброе утро|добрый (?:день|вечер)|доброй ночи|спокойной ночи|как дела"
        r"|صباح الخير|مساء الخير|مرحبا|أهلا|السلام عليكم|شكرا|merhaba|selam|günaydın|iyi (?:günler|akşamlar|geceler)"
        r"|नमस्ते|धन्यवाद|शुभ (?:प्रभात|रात्रि))(?![\w'’])"
        r"|^\W*(?:谢谢|你好|您好|早上好|下午好|晚上好|早安|晚安|ありがとう|こんにちは|こんばんは|おはよう|おやすみ"
        r"|(?:好的|嗯|明白).{0,8}谢谢|なるほど.{0,8}(?:ありがと|助か)|助かった.{0,4}(?:ありがと|$)"
        r"|안녕|좋은 아침|감사합니다|고마워|teşekkür)"
    ),
    "saying": (
        r"sagt man|on dit|dicen que|they say|as they say|il (?:ne )?faut|faut pas|hay que|man (?:muss|soll)"
        r"|come to it|out of the bag|can of worms|eggs in one|preaching to|sour grapes"
        r"|three come along|peau de l['’]ours|más vale|gato por liebre|bellen beißen|bellen beissen|\bhein\W*$"
        r"|\beh\W*$"
    ),
}


@dataclass(frozen=True, slots=True)
class Intent:
    """
    What a message wants.

    ``is_personal``: it speaks of its writer, names somebody known, or asks what was said. ``tasks`` are those of TASKS
    that it looks like. ``recalls_answer``: it asks for what the assistant said. ``is_about_past``: it asks for what was
    and is over. ``leans_on_talk``: who or what it means stands in the talk before it.
    """

    kind: Kind
    is_first_person: bool
    is_personal: bool
    recalls: bool
    recalls_answer: bool
    is_about_now: bool
    is_about_past: bool
    wants_latest: bool
    wants_list: bool
    leans_on_talk: bool
    tasks: frozenset[str]


@lru_cache(maxsize=_QUERIES)
def intent_of(text: str, *, language: str, names_known: bool) -> Intent:
    """What *text* wants; *names_known* says whether it names somebody or something that the mind knows."""
    text = both_ends(" ".join(text.split()))
    plain = _LIKE_A_CHILD.sub("", text.replace("’", "'"))
    low = plain.casefold()
    tag = primary_subtag(language)
    recalls_answer = _found(_RECALLS_ANSWER, low)
    recalls = recalls_answer or _found(_RECALLS, low)
    is_first_person = is_in_first_person(low, tag)
    undated = without_numeric_days(low)  # "on 3/8" is not a sum
    tasks = frozenset(task for task, pattern in _TASKS.items() if _found(pattern, undated, is_bounded=False))
    is_ours = is_question(text) and not tasks and _is_of_home(low)
    is_personal = is_first_person or names_known or recalls or is_ours
    kind: Kind
    wants_list = _found(_LISTS, _asking(low), is_bounded=False)
    # 母 is one's own mother.
    is_own = has_word(_OWN, low, tag) or (tag == "ja" and is_first_person)
    wants_done = is_request(text)
    is_of_known = (wants_done or _found(_SUMS_UP, low)) and _found(_KNOWN, low)
    if is_of_known and (is_own or names_known or _found(_ABOUT_ME, low)):
        tells, tasks = True, tasks - {"language"}
    else:
        tells = (is_own or names_known) and _found(_TELLS, low)
    if wants_done and not (tells or (wants_list and (is_own or names_known)) or _compiled(_REMINDS).match(low)):
        kind = "request"
    elif (
        wants_done
        or tells
        or is_question(text)
        or is_question(_last_clause(text))
        or _asks_first(text)
        or recalls
        or _found(_BARE_LIST, low, is_bounded=False)
    ):
        kind = "personal question" if is_personal else "other question"
    else:
        kind = "personal remark" if is_personal else "other remark"
    return Intent(
        kind,
        is_first_person,
        is_personal,
        recalls,
        recalls_answer=recalls_answer,
        is_about_now=_found(_NOW, low),
        is_about_past=is_about_past(plain, language=language),
        wants_latest=_found(_LAST_TIME, low),
        wants_list=wants_list,
        leans_on_talk=has_word(_THIRD_PERSON, low, tag),
        tasks=tasks,
    )


def _asking(text: str) -> str:
    """The last sentence where that alone asks: the "so far" of "one, so far. where did I get it" lists nothing."""
    last = re.split(r"[.!…]\s", text)[-1]
    return last if is_question(last) and not is_question(text) else text


def _last_clause(text: str) -> str:
    """What stands behind the last comma or stop, where it is long enough to ask: "… for a form, what do I put"."""
    clause = re.split(r"[,;:–—.!…]\s|[，。；！、]|(?<=[\u3040-\u9fff]),", text)[-1].strip()
    return clause if word_count(clause) >= _WORDS_THAT_ASK else ""


def _is_of_home(text: str) -> bool:
    """Whether *text* names what belongs to a household, its people, or something of theirs that happens once."""
    # With their accents: "el papa" is nobody's father.
    return words_of(f"{_HOUSEHOLD}|{_FAMILY}").search(text) is not None or asks_of_event(text)


def _asks_first(text: str) -> bool:
    """Whether *text* is a question and a few words why it is asked: "where is it again? they want to know"."""
    asked, mark, rest = text.partition("?") if "?" in text else _MARK.sub("?", text, count=1).partition("?")
    is_first = bool(mark) and not re.search(r"[.!。！…]\s", asked)
    return is_first and word_count(asked) >= _WORDS_THAT_ASK and word_count(rest) <= _MOST_BEHIND


def _found(pattern: str, text: str, *, is_bounded: bool = True) -> bool:
    return (words_of(accents_optional(pattern)) if is_bounded else _compiled(pattern)).search(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(accents_optional(pattern))
