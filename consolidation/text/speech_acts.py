"""
What somebody does with a sentence: tells, asks, requests, or says that they do not know.

Closed classes of words, in the languages of ``LANGUAGES``: enough to tell what may be remembered from questions
and requests, which state nothing. Who denies something is known in ``denials``, who takes it back in ``retractions``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from consolidation.text.inner_questions import asks_inside
from consolidation.text.lead_ins import only_looks_asked, only_looks_requested
from consolidation.text.sentences import whole_sentences
from consolidation.text.words import accents_optional, ignoring_case

if TYPE_CHECKING:
    from collections.abc import Iterator

LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl", "ru", "pl", "zh", "ja", "ar")
# What a sentence does shows in its first words, or its last: more than this is not looked at.
LONGEST_BEGINNING = 400
_QUESTION_MARKS = "?？؟"
_APOSTROPHE = "['’]"

# What people ask of somebody or something, and whose it is: "name of my niece".
_ASKED_OF = (
    r"names?|address|(?<!a )(?:phone )?number|birthday|age|date|price|size|colou?r|nummer|geburtstag|adresse|alter"
    r"|größe"
    r"|nombre|dirección|número|cumpleaños|edad|precio|talla|nom|numéro|anniversaire|âge|prix|taille|nome|indirizzo"
    r"|numero|compleanno|età|prezzo|endereço|aniversário|idade|naam|adres|verjaardag|leeftijd|prijs"
    r"|imię|imie|nazwisko|urodziny|wiek|имя|адрес|номер|возраст"
)
_OF_SOMEBODY = (
    r"of (?:my|our|his|her|their|that)|(?:von )?(?:mein|unser|sein|ihr)e[rsm]|von \w+|de (?:mi|mis|mon|ma|mes"
    r"|nuestr[oa]|notre)|d[ei]l?(?:la)? (?:mi[oa]|nostr[oa])|d[oa] (?:meu|minha)|van (?:mijn|m['’]n|onze|ons)"
    r"|moje(?:j|go)|naszego|naszej"
    r"|мое(?:й|го)|моих"
)
# A sentence that begins so asks, whether or not a question mark follows.
_ASKS = (
    r"(?:(?:so|and|but|ok|okay|hey|hi|btw|also|oh|hm+|wait|pls|please|quick question|und|aber|also|sag mal|y|pero"
    r"|oye|et|mais|dis|e|ma|mas)(?!\w))?[,:!¿\s]*"
    r"(?:"
    # English
    rf"what(?:{_APOSTROPHE}?s)?(?! an? )|who(?:{_APOSTROPHE}?s|m|se)?|where(?:{_APOSTROPHE}?s)?"
    rf"|when(?:{_APOSTROPHE}?s)?\b(?! i\b| we\b| my\b| he\b| she\b| the\b| they\b)|why|which"
    rf"|how(?:{_APOSTROPHE}?s)?"
    r"|(?:do|does|did|is|are|am|was|were|can|could|should|shall|would|will|has|isn'?t|aren'?t|don'?t"
    r"|doesn'?t|didn'?t)\s+(?:i|you|we|he|she|it|they|my|your|the|this|that|there|his|her|our|their|anyone"
    r"|somebody|any)|is (?:a|an)"
    r"|(?:have|had)\s+(?:i|you|we|he|she|it|they)"  # "had a call" leaves out the "I"
    r"|(?:has|have|had|did|does|is|was|are) \w+ any|whit(?:['’]?s)?|wot(?:['’]?s)?|am ah|did ah|dae ah|dae ye"
    r"|any (?:idea|ideas|tips|chance|advice|recommendations?|suggestions?)|ideas? for|tips? (?:for|on)"
    # German
    r"|was(?! (?:\w+ing|a|an|the|at|on|out|just|really|very|not|with|to|sick|great|good|fun|nice|super|too)\b)"
    r"|wer|wen|wem|wessen|wo|wohin|woher|wann|warum|wieso|weshalb|wie|welche[rsnm]?|wo(?:mit|für|gegen|rüber|von"
    r"|ran|rauf|rin|raus|zu|durch|bei|nach|vor)"
    r"|(?:kann|soll|sollte|muss|darf|hab|habe|bin|war)\s+(?:ich|du|er|sie|es|wir|ihr|man)"
    r"|(?:kannst|hast|hat|ist|sind|bist|gibt|weißt|weisst|kennst"
    r"|würdest|könntest)\s+(?:ich|du|er|sie|es|wir|ihr|man|mein|meine|der|die|das)"
    r"|(?!brauch|will|mach|kauf|hol|schau|guck|find|denk|glaub)[a-zäöüß]{3,15} ich (?:noch|eigentlich|überhaupt"
    r"|immer noch)"
    # Spanish, Portuguese
    r"|qué|quién(?:es)?|dónde|cuándo|cómo|cuál(?:es)?|cuánt[oa]s?|por qué|que tal|o que|quem|onde"
    # … as people type it in a hurry, without accents
    r"|quien(?:es)?|donde|cual(?:es)?|cuant[oa]s?(?! antes)|como (?:ha|han|va|esta|está|llama|era|fue)"
    r"|cuando (?:es|era|fue|empiez[oa]|sale|salgo|llega|llego|tengo|toca|vuelve|vuelvo|hay|fui|vi|abre|cierra|vence)"
    r"|q(?= (?!va\b|bien|mal|guay|risa|fr[ií]o|calor|pena|asco|fuerte|ganas|pasada|rico|bueno|buena|tal\b|te\b"
    r"|se\b|no\b|pregui|fome|sono|saudade|bom|boa\b|legal|lind|droga|merda|raiva|vergonha|massa|del[ií]cia|susto"
    r"|sede|dor\b|medo))"
    r"|quando(?! (?:ero|eravamo|io|eu|era|sono|vado|vou|fui)\b)"
    r"|(?:a|con|in|di|da|per|su|tra) (?:che|quale|quali|quant[oaie]|chi)|che (?!palle|bell|brutt|schifo|fame|sonno|noia"
    r"|peccato|figata|ridere|voglia|freddo|caldo|fortuna|sfiga|giornata|paura|ansia|casino|stress)\w+ (?:non )?(?:mi|ti"
    r"|ci|ho|hai|ha|abbiamo"
    r"|devo|posso|prendo|uso|porto|faccio|vado)(?= \w)"
    r"|como (?:se|é|est[áa]|t[áa]|vai|foi|era|anda|posso|faço|fica|é que|(?:me |te )?chama)"
    r"|qual|quais|quant[oa]s?|por que|cadê|aonde|o ?q(?= )"
    r"|(?:em|de|a|com|pra|para) que (?:dia|horas?|mês|ano|rua|bairro|cidade|país|cor|hospital|escola|banco|hotel"
    r"|loja)(?!\w)"
    # French
    r"|est[- ]ce|qu(?:e|'|’)(?:est-ce)?|qui|où|quand(?! (?:je |j['’]|nous ))|comment|pourquoi|quel(?:le)?s?"
    r"|combien|c(?:'|’)est (?:quoi|qui"
    r"|où|quand)"
    # Italian
    r"|che cosa|cosa|chi|dove|perch[éeè]|come (?:si|va|sta|stai|è|faccio|posso|fare)|quale|quali|quanto|quanti"
    r"|quanta|quante"
    # Dutch, Russian, Polish
    r"|(?:heb|ben|moet|mag|ga|woon|werk|drink|eet|slik|betaal|kan) ik (?:nog|eigenlijk|ergens|nu|ook|een|wel|nou)"
    r"|(?:is|zijn|heeft|gaat|komt|wordt|moet|kan|mag|was) (?:mijn|m['’]n|mn|onze|ons)"
    r"|wat|wie|waar|wanneer|waarom|hoe|welke?|что|кто|где|когда(?! (?:я|мы|мне)\b)"
    r"|когда (?:я|мы) [^,.!…]{2,40}$|почему|зачем|как(?:ой|ая|ое|ие|ого|ому|им|ими|их|ом|ую)?|сколько|куда"
    r"|откуда|чей|чья|чьё|чьи|кому|кого|кем|чем|чему|co|kto|gdzie|kiedy|dlaczego|czemu|jak|jaki|jaka|jakie|jaką|jakim"
    r"|jakich|jakiej|jakiego|jakiemu|jakimi"
    r"|ile|ilu|czy|skąd|dokąd|kogo|komu|czego|czyj[ae]?|któr[yaeą]|których"
    # Arabic
    r"|هل|ما|ماذا|من هو|أين|متى|كيف|لماذا|كم"
    # A preposition before the question word: "since when", "de quoi", "mit wem".
    r"|(?:since|for|from|to|with|at|in|on|by|about) (?:when|whom?|what|which|how (?:long|many|much))"
    r"|(?:seit|mit|von|bei|für|an|in|auf|um|zu|aus|bis) (?:wann|wem|wen|was|welche[rsnm]?|wie ?viele?n?)"
    r"|(?:de|à|a|en|con|por|para|pra|desde|hasta|avec|pour|chez|dans|depuis|sur|jusqu'à|em|com|di|da|in|per|su) "
    r"(?:quoi|qui|quand|quel(?:le)?s?|combien|où|qué|q|qui[eé]n(?:es)?|cu[aá]ndo|cu[aá]l(?:es)?|cu[aá]nt[oa]s?"
    r"|d[oó]nde"
    r"|quem|quando|qual|quais|quant[oa]s?|onde|chi|che cosa|cosa|quale|quali|quanto)"
    r"|(?:met|van|sinds|bij|voor|aan|naar) (?:wie|wat|wanneer|welke?|waar)"
    r"|(?:со?|об?|у|во?|на|от|для|по|за|из|под|до|ко?|при|из-за|из-под|про|насч[её]т|через|ради|около|среди|между|без"
    r"|перед|после|против) (?:кем|ком|кому|кого|ч[её]м|чему|чего(?! же)|что"
    r"|как(?:ой|ая|ое|ие|ого|ому|им|ими|их|ом|ую)|когда|скольки?х?|сколько)"
    r"|(?:od|do|z|ze|o|u|w|we|na|za|po|przy|przez|przed|pod|dla) (?:kiedy|kim|kogo|co|czym|czego"
    r"|któr(?:ym|ej|y|ą|e|ych)"
    r"|jak(?:im|iej|i|ą|ie|ich)?|ilu|ile)"
    # A thing that is asked for without a verb: "name of my niece", "adresse de ma sœur".
    r"|(?:имя|фамили[яю]|адрес|номер|дат[ау]|кличк[ау]|название) \w+, котор\w+ [^.!]+$"
    rf"|(?:the |der |die |das |el |la |le |il |o |a |de |het )?(?:{_ASKED_OF}) (?:{_OF_SOMEBODY}) [\w'’]+"
    r"(?: (?!\w+ed\b)[\w'’]+)?[\s.!]*$"
    r")(?![\w-])"
)
# A sentence that begins so wants something done.
_REQUESTS = (
    r"(?:(?:hey|hi|ok|okay|so|now|also|and|pls|please|can you|could you|would you|will you|bitte|kannst du"
    r"|könntest du|kannst du mir|puedes|podrías|por favor|peux-tu|tu peux|pourrais-tu|s['’]il te plaît|puoi"
    r"|per favore|pode|podes|voc[êe] pode|vc pode|pfv?)[,:\s]+)*"
    r"(?:"
    r"write|fix|translate|make|give|tell|show|explain|summari[sz]e|rewrite|rephrase|proofread|correct|list|draft"
    r"|create|generate|calculate|compute|convert|find|suggest|recommend|help|remind|check|spell|define|compare"
    r"|plan|design|act|pretend|code|debug|sing|recite|describe|shorten|turn|name|put|change|format|sort|count"
    r"|solve"
    # German: "suche" and "mache" are also what somebody does.
    r"|(?:schreib|übersetz|erklär|erzähl|zeig|nenn|formulier|korrigier|verbesser|fass|erinner)(?:e|t|en)?"
    r"|macht?|mache (?:mir|uns|mal|bitte|daraus)|gib|(?:be)?rechne[tn]?|empfiehl|hilf|entwirf"
    r"|such(?:e|t)? (?:mir|uns|mal|bitte|doch|nach)|stell(?:e|t)?(?! dir vor,? (?:ich|wir|mein))"
    r"|(?:re)?send|sign|recap|enumerate|list(?:e|et)? (?:mir|alle|auf)"
    r"|zähl(?:e|t)?|schick(?:e|t)? (?:mir|uns)"
    r"|enumera|manda|mándame|envía|envíame|recuérdame|lístame"
    r"|énumère|envoie|renvoie|cite"
    r"|elenca|elencami|mandami|inviami|ricordami|manda|envia|lembra-me|enumere"
    r"|noem|stuur|перечисли|назови|скажи|подскажи|покажи|найди|отправь|составь|придумай|помоги|напомни"
    r"|(?:сочини|подготовь|порекомендуй|опиши|перепиши|сократи|сформулируй|посчитай|вычисли|проверь|предложи|сравни"
    r"|распиши|подбери|сгенерируй|нарисуй|спланируй|отредактируй|улучши|оформи|подытожь|обобщи|резюмируй|переформулируй"
    r"|процитируй|спой|продолжи)(?:те)?"
    r"|wymień|wymien|wypisz|podaj|powiedz|pokaż|pokaz|podpisz|przypomnij|policz|znajdź|znajdz|pomóż|pomoz|wyślij|wyslij"
    r"|streść|zaproponuj|ułóż|przygotuj|sprawdź|sprawdz"
    r"|escribe|escríbeme|traduce|tradúceme|haz|hazme|dame|dime|explica|explícame|cuéntame|corrige|resume"
    r"|recomienda|recomiéndame|ayúdame|calcula|pon|ponme|redacta|busca|prepárame"
    r"|écris|traduis|fais|donne|dis|explique|raconte|corrige|résume|recommande|aide|calcule|rédige|propose|trouve"
    r"|reformule|rappelle"
    # … and to whom one is polite
    r"|écrivez|traduisez|faites|donnez|dites|expliquez|racontez|corrigez|résumez|recommandez|aidez|calculez|rédigez"
    r"|proposez|trouvez|reformulez|rappelez|envoyez|listez|énumérez|cherchez|vérifiez|préparez|montrez|conseillez"
    r"|(?:mi )?(?:scriva|traduca|dica|spieghi|corregga|riassuma)"
    r"|mi (?:faccia|dia|mandi|trovi|racconti|consigli|calcoli|elenchi|ricordi|aiuti|prepari)|escriba|escríbame"
    r"|traduzca|tradúzcame|hágame|deme|dígame|explíqueme|cuénteme"
    r"|corrija|resuma|recomiéndeme|ayúdeme|redacte|recuérdeme|envíeme|mándeme|muéstreme"
    r"|napiszcie|proszę (?:mi )?(?:napisać|przetłumaczyć|wyjaśnić|podać|poprawić|przypomnieć|streścić|zaproponować)"
    r"|напишите|переведите|сделайте|дайте|объясните|расскажите|исправьте|посоветуйте|подскажите|скажите|покажите"
    r"|перечислите|назовите|составьте|придумайте|помогите|напомните|отправьте"
    r"|scrivi|traduci|fammi|dammi|dimmi|spiega|spiegami|raccontami|correggi|riassumi|consigliami|aiutami|calcola"
    r"|escreve|escreva|traduz|traduza|faz|faça|diz|diga|explica|explique|conta|conte|corrige|corrija|recomenda"
    r"|calcula|calcule|refaz|refaça|reescreve|reescreva|resuma|sugere|sugira|recomende|mande|assine"
    r"|redige|redija|liste (?:[oa]s|tod[oa]s|meus|minhas)"
    r"|me (?:conta|conte|diz|diga|fala|fale|mostra|mostre|ajuda|ajude|explique|mande|recomenda|recomende|sugere"
    r"|sugira|indique|escreva|liste|faça|lembre|d[áê] (?:uma?s?|\d|dois|duas|três|ideias|dicas)|faz uma?"
    r"|lembra (?:qual|quais|quem|onde|quando|como|quanto|o que))"
    r"|schrijf|vertaal|maak|geef|vertel|leg|verbeter|напиши|переведи|сделай|дай|объясни|расскажи|исправь"
    r"|посоветуй|napisz|przetłumacz|zrób|daj|wyjaśnij|opowiedz|popraw"
    r"|(?:اذكر|[أا]رسل|اقترح|احسب|اكتب|ترجم|اشرح|لخ+ص|رتب|رشح|جهز|حضر|عدد|سم[يّ]|دور|صحح|صح+ح|[اإ]حكي?|قول?ي?)(?: ?لي"
    r"|ها|ه|لنا)?"
    r"|[أا]عط[يِ]?ني|عط[يِ]ني|هاتلي|جيبلي|[أا]خبرني|خبرني|ساعدني|ذك+رني|[اإ]عمل(?:ي)? ?لي|سوي ?لي|قل لي"
    r")(?:-\w+)?(?![\w'’])(?! (?:is|was|are|were|has|of)\b)"
    # Chinese asks with its first words, Japanese with its last; neither parts them.
    r"|请(?!假|客|了)|請(?!假|客|了)|[帮幫]我(?![爸妈媽哥弟姐妹爷爺奶叔姨舅姑老女儿兒]|家|朋友|同事|外)|麻[烦煩]你?"
    r"|翻[译譯]|(?:再|先|快)?(?:(?:总结|總結|概括|列|讲|講|说|說"
    r"|算|改|润色|潤色|修改|解[释釋]|介[绍紹]|分析|比[较較]|整理|查"
    r"|想|起|[编編]|[画畫]|[设設][计計]|[检檢]查|生成|描述|回[复覆]|来|來)(?:一下|[个個](?!事)|一[个個份首篇段句些张張条條](?!事)"
    r"|[几幾][个個句条條])|推[荐薦](?!了|信|的)|[写寫](?:一|[封首篇段个個份句几幾])"
    r"|[给給]我(?:[讲講说說写寫列算出来來找想]|看(?!.{1,12}的)|推[荐薦]|介[绍紹]|解[释釋])(?!了|过|過))"
    r"|(?:总结|總結|概括|润色|潤色|改写|改寫)[:：]"
    r"|把[^。！!]{2,40}(?:数|數|列|说|說|讲|講|写|寫|念|理|捋)(?:一遍|一下|出[来來]|清楚)"
    r"|.*[^がはも、。\s]て(?:もらえ(?:る|ます(?:か)?|ませんか)|いただけますか|くれ(?:ますか|ませんか))[。.！!]*$|[^がはも。]{1,40}てくれる[。.！!]*$"
    r"|.*お願い(?:ね)?[。.！!]*$|.*(?:まとめ|出し|考え|書い|作っ|教え|調べ|選ん|探し|言い換え|書き換え|書き直し|並べ|数え|比べ|続け|読ん"
    r"|(?:を|[にくとも]|[ァ-ヶー一-龥]{2})し)て[。.！!]*$|.*(?:ください|下さい|お願いします"
    r"|(?:教え|書い|見せ|作っ|直し|訳し|翻訳し|要約し|説明し)て(?:くれ|ね)?)[。.！!]*$"
)
# Behind one of these, "not" says what somebody does not do: "The 15th not the 5th" is something else.
_AUXILIARIES = frozenset(
    "am is are was were be do does did has have had can could will would should may might must why if or and but so"
    " just really im i'm it's its that's thats he's she's we're they're you're there's what's certainly"
    " probably maybe".split()
)
_LONGEST_ORDER = 120  # characters
_NOT = re.compile(
    r"(?<![\w'’])([\w'’]{1,20})[\s,.!;:…–—-]{1,6}not\s+(?!sure\b|yet\b|that\b|really\b|even\b|bad\b|to\b)\w",
    re.IGNORECASE,
)
# Behind one of these, "no" with something else behind it denies no thing: "abacaxi não, morango" does.
_NO_THING = (
    "que|hoje|hoy|agora|ahora|ainda|aún|todavía|talvez|claro|por|como|se|si|e|y|o|i|ou|mas|pero|ma|eu|yo|io|ja|mim|mí"
    "|me|jeszcze|czemu|też|raczej|chyba|to|już|noch|gar|ещё|почему|perché|così|así|or|oh|ah|but|why|and|of|says?|said"
    "|there|is|was|with|have|has|had|got|or|absolutely|hell"
)
# "Anja, nicht Anna", "nicht Anna, sondern Anja", "不是五号，是十五号".
_CONTRASTS = (
    r"[,.!;:…–—-]\s{0,3}(?:und |y |et |e |en |i |а |a )?(?:nicht|no|pas|non|n[ãa]o|niet|nie|не) "
    r"(?:\w+ ){0,3}\w+\s*(?:[,.!?;:…–—-]|$)"
    r"|^(?:nicht|kein\w*) .{1,40}, (?:sondern )?\w|\bsondern\b|\bsino\b|\bbensì\b|^не .{1,40},? а \w"
    r"|^nie .{1,40},? (?:tylko|ale|a) \w"
    rf"|^(?:\w+ ){{0,3}}?(?!(?:{_NO_THING})\b)\w+ (?:n[ãa]o|no|non|nie|nein|нет)[,.:;!…–—-]\s{{0,3}}\w"
    r"|^(?:niet|geen) .{1,40},? maar \w|不是.{1,20}[，,]?(?:是|而是)|じゃなくて|ではなく|"
    r"^[^\s。、]{1,8}(?:じゃない|ではない)[^かでのねわよけ?？。、！!\s]|ليس .{1,40} بل"
)
# "Caio is NOT coming": who shouts it puts right what was said.
_SHOUTED = re.compile(r"(?<!\w)(?:NOT|NEVER|NICHT|NO|NUNCA|PAS|NON|N[ÃA]O|NIET|GEEN|NIE|НЕ)(?!\w)")
_POLITE = (
    r"(?<!\w)(?:please|pls|plz|bitte|por favor|porfa|s'il (?:te|vous) pla[iî]t|stp|svp|per favore|graag|alsjeblieft|aub"
    r"|proszę|пожалуйста)(?!\w)"
)
# Who speaks of somebody, or says that something is so, tells something.
_STATES = (
    r"(?<!\w)(?:i|i'm|im|my|me|mine|we|our|us|he|she|they|his|her|their|is|are|was|were|has|have|had|'s"
    r"|ich|mein\w*|mir|mich|wir|unser\w*|uns|er|sie|ihr\w*|ist|sind|war|waren|hat|haben|habe"
    r"|yo|mi|mis|m[ií]o|nos|nuestr\w+|su|sus|es|son|est[aá]n?|era|tiene|tengo"
    r"|je|j'\w+|mon|ma|mes|nous|notre|nos|il|elle|son|sa|ses|est|sont|ont"
    r"|io|mio|mia|miei|noi|nostr\w+|suo|sua|è|sono|ha|ho|hanno|eu|meu|minha|seu|nosso|nossa|são|tem|tenho"
    r"|ik|mijn|m'n|mn|wij|we|ons|onze|hij|zij|zijn|haar|heeft|heb|hebben"
    r"|ja|mój|moja|moje|jest|są|ma|mam|я|мой|моя|моё|мы|наш\w*|он|она|они|это)(?!\w)"
)
# Behind this, an answer says that its speaker does not know.
_KNOWS_NOT = (
    r"(?:you|she|he|they) (?:haven['’]?t|have not|didn['’]?t|never) (?:told|said|mention\w*|shar\w+)"
    r"|i (?:don['’]?t|do not) (?:know|have (?:that|any|access))|no idea|i (?:can['’]?t|cannot) (?:see|know|find"
    r"|check|tell)"
    r"|(?:you['’]ve )?not (?:told|mentioned)|never (?:told|mentioned)|das (?:weiß|weiss) ich (?:leider )?nicht"
    r"|hast du (?:mir )?(?:noch )?(?:nie|nicht)|keine ahnung|ich (?:weiß|weiss) (?:es |das )?(?:leider )?nicht"
    r"|nicht (?:gesagt|erzählt|erwähnt|verraten)"
    r"|no (?:me lo )?(?:has|habías) (?:dicho|contado|mencionado)|no (?:lo )?sé|ni idea|no me has"
    r"|tu ne (?:me )?l['’]as (?:pas|jamais)|tu ne m['’](?:as|en as)|je ne (?:sais|connais) pas|aucune idée"
    r"|pas (?:dit|mentionné)"
    r"|non (?:me )?l['’]hai|non (?:lo )?so|não (?:me )?(?:disse|contou|sei)|dat heb je|ik weet het niet|не знаю"
    r"|не говорил|nie wiem|不知道|没告诉|知りません|わかりません|分かりません"
)


def is_question(sentence: str) -> bool:
    """
    Whether *sentence* asks: by its mark, its first words or, in some languages, its last or one inside.

    "When it rains my knee hurts" begins like a question and tells something.
    """
    bare = sentence.strip()
    return (
        bare.rstrip("\"'”’) 😅😂🙈").endswith(tuple(_QUESTION_MARKS))
        or (_begins(_ASKS, bare) and not only_looks_asked(bare[:LONGEST_BEGINNING]))
        or asks_inside(bare)
    )


def with_question_mark(text: str) -> str:
    """
    *text* with a mark at its end where its last clause asks without one, as people type: "where do i live".

    Embedders have read most questions with their mark, and find less without it.
    """
    bare = text.rstrip(" .!…")
    last = re.split(r"[,;:.!…，、。\n]\s*", bare[-LONGEST_BEGINNING:])[-1]
    return f"{bare}?" if last and not bare.endswith(tuple(_QUESTION_MARKS)) and is_question(last) else text


def is_request(sentence: str) -> bool:
    """Whether *sentence* wants something done: "translate this", "a recipe for hachee please, for four"."""
    return _is_asked_for(sentence) or _is_order(sentence)


def _is_asked_for(sentence: str) -> bool:
    return _begins(_REQUESTS, sentence) and not only_looks_requested(sentence.strip()[:LONGEST_BEGINNING])


def _is_order(sentence: str) -> bool:
    """Whether *sentence* is a polite word, and what is wanted without anybody who does or is anything."""
    wanted, times = ignoring_case(_POLITE).subn(" ", sentence.casefold().replace("’", "'")[: _LONGEST_ORDER + 1])
    return times > 0 and len(sentence) <= _LONGEST_ORDER and ignoring_case(_STATES).search(wanted) is None


def told(text: str, *, language: str) -> tuple[str, ...]:
    """The sentences of *text* that tell something: neither questions nor requests."""
    return tuple(_told(text, language))


def tells(text: str, *, language: str) -> bool:
    """Whether any sentence of *text* tells something."""
    return next(_told(text, language), None) is not None


def _told(text: str, language: str) -> Iterator[str]:
    sentences = whole_sentences(text, language=language)
    return (part for part in sentences if not is_question(part) and not is_request(part))


def wants_answer(text: str, *, language: str) -> bool:
    """Whether *text* asks or requests anything, also behind a comma: "it's her birthday, write us a toast"."""
    return any(is_question(clause) or is_request(clause) for clause in _clauses(text, language))


def asks_for(text: str, *, language: str) -> bool:
    """The same without what is only a polite order: "I'm allergic to nuts, please be careful"."""
    return any(is_question(clause) or _is_asked_for(clause) for clause in _clauses(text, language))


def _clauses(text: str, language: str) -> Iterator[str]:
    for sentence in whole_sentences(text, language=language):
        yield from filter(str.strip, re.split(r"[,;:，、\n]", sentence))


def contrasts(text: str) -> bool:
    """Whether *text* says what something is beside what it is not, "the 15th, not the 5th", or shouts what is not."""
    text = text.strip()[:LONGEST_BEGINNING]
    is_english = any(found[1].casefold().replace("’", "'") not in _AUXILIARIES for found in _NOT.finditer(text))
    is_shouted = not text.isupper() and _SHOUTED.search(text) is not None
    return is_english or is_shouted or ignoring_case(_CONTRASTS).search(text) is not None


def known(text: str) -> str | None:
    """What *text* says before it says that its speaker does not know, or was not told; None where it does not."""
    found = ignoring_case(_KNOWS_NOT).search(text)
    return text[: found.start()] if found is not None else None


def _begins(pattern: str, text: str) -> bool:
    loose = pattern if pattern is _ASKS else accents_optional(pattern)  # "como" tells where "cómo" asks
    return ignoring_case(loose).match(text.strip()[:LONGEST_BEGINNING]) is not None
