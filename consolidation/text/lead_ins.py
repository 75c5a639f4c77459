"""
How sentences begin that look like a question or a request and tell something: "When Anna was born we lived in Lyon".

A question word also begins a clause ("Wo ich wohne, regnet es"), a cry ("Qué alegría, …") and a set phrase ("Jak
wiesz, …"), and the stem of a verb what somebody does who leaves out the "I" ("Mach jeden Tag Yoga"). People type
questions without a mark, also with a comma in them, so only what can hardly ask stands here.
"""

from __future__ import annotations

import re
from functools import cache

_FIRST = r"(?:(?:so|and|but|also|well|und|aber|naja|y|pero|et|mais|e|ma|mas|en|maar|i|ale|и|а|но)(?!\w)[,\s]*)?[¡\s]*"
_ASKS_WHEN = (
    r"do|does|did|is|are|am|was|were|will|can|could|should|shall|would|have|has|had|might|must|may|isn|aren|wasn"
    r"|won|didn|don|doesn|exactly|next|again|roughly|about|to|you|u|ya|and"
)
_A_TIME = r"day|morning|afternoon|evening|night|week|weekend|month|year|summer|winter|\w{3,6}day"
_EIN_TAG = r"tag|morgen|mittag|abend|nacht|woche|monat|jahr|sommer|winter|\w{3,7}tag"
_NOT_ASKED = (
    # Of all languages: "Why I left: my boss yelled at me."
    r"(?:\w+ )?(?:what|why|how|who|where|was|wo\w*|wie|warum|wen|wem|qui|quoi|comment|pourquoi|où|chi|че[мё]м?|кем"
    r"|где|как"
    r"|почему|czym|kim|gdzie|dlaczego) (?:i|we|ich|mich|mir|je|j['’]\w+|vivo|я|мы|się)\b[^:?]{0,80}: \S"
    # English
    rf"|when (?!(?:{_ASKS_WHEN})\b|[^,]*, (?:who|what|where|which|how|will|would|can|could|should|do|does|is|are)\b)"
    rf"(?:[^,]{{2,80}},|(?:\S+ ){{4}})|when it\b"
    r"|when you [^,]{2,80}, (?!(?:who|what|where|which|how|will|would|can|could|should|do|does|is|are)\b)"
    r"|what (?:i|we|he|she|they) (?:(?!(?:if|when|while|that|who|which|should|can|must|do) )[^,]){3,80}? "
    r"(?:is|was|are|were)\b"
    r"|what (?!do|does|did|can|could|is|are|was|were|will|would|should|has|have)(?:\w+ ){1,3}(?:me|us)(?: \w+){0,3} "
    r"(?:is|was|are|were)\b|what (?:luck|fun|joy|nonsense|rubbish)\b"
    r"|how (?:lovely|wonderful|sweet|kind|nice|awful|sad|exciting|funny|annoying|embarrassing|great|beautiful|silly)\b"
    r"(?! (?:is|was|are|were|do|does|did|of|would|will|can|should|a|an)\b)"
    r"|which (?:reminds me|means (?:i|we|that|my|he|she|they)|leaves (?:me|us|only)|brings me|is (?:why|because))\b"
    r"|who (?:knew(?=\s*[,.!…]|$| that\b)|(?:would have|i \w[^,]{2,60} (?:is|was))\b)|do you know what,"
    r"|where (?:i|we) (?:live|work|lived|worked|grew up|come from),? (?:it|the|we|there|nobody|everybody|everyone"
    r"|you)\b"
    r"|was (?:\w{3,}ed|ill|late|busy|tired|born|away|stuck|told|given|taken|pretty|quite)\b"
    r"|is an? (?:\w+ ){0,2}\w+, my\b"
    r"|did (?:my|the|some) (?:homework|laundry|dishes|shopping|cleaning|washing|ironing|driving test|taxes)"
    r"(?=\s*(?:[,.;!…]|$)| (?:today|yesterday|this|last|on|at|in|before|after|and|with|all|for|by|again|early)\b)"
    # German
    r"|wie (?:gesagt|immer|üblich|gewohnt|gehabt|erwähnt|versprochen|besprochen|angekündigt|geplant|erwartet"
    r"|befürchtet"
    r"|vereinbart|bekannt|jedes jahr|dem auch sei|auch immer|man (?:sieht|weiß|so schön sagt|hört)"
    r"|(?:du|ihr|sie) (?:ja )?(?:weißt|weisst|wisst|wissen|siehst|seht|meinst)"
    r"|ich (?:\w+ ){0,3}(?:sagte|schrieb|erwähnte|gesagt|erzählt|geschrieben|erwähnt))\b"
    r"|wie (?:schön|toll|süß|lieb|nett|peinlich|geil|cool|blöd|dumm|schade|ärgerlich|traurig|lustig|aufregend)"
    r"(?=\s*[,!.]| dass\b| (?:das|es) (?:ist|war)\b)|was für (?:eine?n?|ne?n?) (?:\w+ )?\w+\s*[,!]"
    r"|bin ich (?:froh|glücklich|müde|stolz|erleichtert|aufgeregt|gespannt|sauer|platt|traurig|erledigt|kaputt)"
    r"(?=[,!.]| dass\b)|(?:hab|bin|war) ich [^,?]{3,60}!|ist (?:er|sie|es) doch (?:tatsächlich|glatt|wirklich)\b"
    r"|(?:was|we[rnm]|wo\w*|wie|warum|wann|welche[rsnm]? \w+) (?:ich|du|er|wir|man|mich|mir|uns|mein\w*|es|der|die"
    r"|das|sie"
    r"|unser\w*)\b[^,?]{2,80}(?:, (?!\w+t du\b)"
    r"(?:ist|sind|war|waren|wird|weiß|hab|hat|kann|muss|darf|will|mag|geh|komm|gibt|mach"
    r"|regnet|schneit|sieht|find|freut|heißt|steht|bleibt)\w*\b"
    r"| (?:weiß|wissen|wusste|sag|erzähl|sieht|will|geh) (?:ich|keiner|jeder|man)\b)"
    r"|was ich (?:\w+ ){0,3}(?:sagen|erzählen|loswerden) wollte|wann immer|wer (?:mich|uns) kennt"
    r"|wer [^,]{3,50}, (?:weiß|meldet sich|der (?:weiß|muss|kann)|kann sich|darf|bekommt)\b"
    # Spanish
    r"|que (?:conste|sepas|sepáis|sepan|yo sepa|yo recuerde|no,)|qu[eé] \w+ (?:tan|más) \w+"
    r"|qu[eé] (?:alegr[ií]a|pena|bien|mal|l[ií]o|asco|suerte|locura|manía|tensión|susto|rabia|vergüenza|ganas|risa"
    r"|calor"
    r"|fr[ií]o|bonit[oa]|lind[oa]|guap[oa]|fuerte|horror|maravilla|ilusi[oó]n|emoci[oó]n|nervios|envidia|desastre"
    r"|chulo"
    r"|guay|gracia|l[aá]stima|pereza|flojera|sueño|hambre|miedo|estrés|fastidio|bueno)\b(?! (?:es|hay|hace|tiene)\b)"
    r"|cuando (?:era (?:niñ|pequeñ|joven|chic|estudiante|adolescente|bebé)|(?:llego|salgo|vuelvo|tengo|fui|vi|hay)\b"
    r"[^,]{2,60}(?:, (?!(?:l[oa]s? |te )?(?:recuerdas|acuerdas|sabes|dime|recu))"
    r"| (?:voy|ceno|como|duermo|leo|veo|me|juego|toco|corro|paso|hago|llamo|conocí)\b))"
    r"|donde (?:vivo|trabajo|estudio) (?:no|nunca|siempre|hay|llueve|hace|nieva)\b|quien(?:es)? (?:me|nos) conocen?\b"
    r"|quien(?:es)? viven? conmigo (?:es|son)\b|(?:a|con|de|en) quien(?:es)? (?:más|mejor|peor|menos)\b[^,]* (?:es"
    r"|son)\b"
    r"|cuant[oa]s? (?:más|menos)\b[^,]{2,60}, |en cuanto (?:a|pueda|llegue|tenga|sepa|termine|acabe)\b"
    r"|en cuanto (?!tiempo|est|me|se|sale|queda)[^,]{3,60}, |para cuando [^,]{3,60}, |hasta donde (?:yo )?(?:sé"
    r"|recuerdo)\b"
    r"|desde cuando (?:vivo|trabajo|estoy)\b[^,]{2,60}, "
    # French
    r"|quand (?!.*-t-)(?:on|m(?:a|on|es)|les?|la|il|elle|ils|elles|une?|notre|nos|ça|c['’]était)\b"
    r"(?:[^,]{2,80}, (?:j['’]|c['’]|(?:je|on|nous|il|elle|ça|m[aoe][ns]?|l[ae]s?)\b)"
    r"|(?: \S+){1,8} (?:j['’]\w|(?:je|on|nous)\b))"
    r"|qui me conna[iî]t\b|où (?:je|j['’])\s?\w+,? (?:il (?:pleut|y a|fait|neige)|on)\b|que du bonheur"
    r"|quel(?:le)?s? (?:bonheur|joie|journée|chance|honte|histoire|horreur|galère|soulagement|plaisir|surprise|dommage"
    r"|enfer|scandale|semaine|soirée|week-end|nuit|année)(?=\s*[,!.…:]| (?:ce|cet|cette)\b)"
    r"|qu['’]est-ce que (?:je suis|on est) \w+\s*[,!]|qu['’](?:il|elle|on) [^,]{2,40} ou (?:non|pas)\b"
    r"|c['’]est (?:quand|où) (?:j['’]|je |on )[^,]*(?: que |, )"
    # Italian
    r"|quando (?:piove|nevica|(?:mi[aoe]|il|la|lo|gli|le|un[ao]?|nostr[oa]|torno|arrivo|esco|posso|ho)\b"
    r"(?:[^,]{2,80}, |(?: \S+){1,8} (?:io|cucino|vado|mangio|dormo|resto|\w+(?:avo|evo|ivo|avamo|evamo|ivamo))\b))"
    r"|dove (?:vivo|abito|lavoro) (?:non|piove|nevica|c['’]è|ci sono|fa|si)\b|chi mi conosce|chi vive con me (?:è"
    r"|sono)\b"
    r"|perché sono [^,]{3,40} non\b|quanto (?:a me\b|mi (?:manca|mancano) (?:mi[aoe]|la mia|il mio)\b)"
    r"|per quanto (?:mi riguarda|ne so|io sappia|ricordo)|in quanto (?!tempo)|a quanto (?:pare|sembra|ne so|dicono)"
    r"|da quando (?:è (?:mort|nat)|[^,]{3,60}, )|(?:con|di) chi (?:mi fido|vivo) è\b|quale (?:sollievo|gioia"
    r"|vergogna)\s*[,!]"
    # Portuguese
    r"|quando (?:(?:chove|neva|a gente|minha|meu|posso)\b(?:[^,]{0,80}, |(?: \S+){0,6} (?:eu|meu joelho|morava"
    r"|tinha)\b)"
    r"|(?:chego|saio|volto|acordo|trabalho)\b[^,]{2,60}(?:, | (?:janto|vou|fico|como|durmo|tomo|me)\b))"
    r"|onde (?:eu )?moro (?:não|chove|faz|tem)\b|quem me conhece|quanto (?:mais|menos)\b[^,]{2,60}, |quanto a (?:mim"
    r"|nós)\b"
    r"|com quem (?:eu )?moro é\b|como (?:posso,|foi combinado|é sabido|se não bastasse)|(?:para|pra) quem não sabe"
    r"|desde quando (?:moro|trabalho|vivo)\b[^,]{2,60}, |qual não foi\b|por quanto eu sei"
    r"|que (?:alegria|pena|lind[oa]|delícia|saudade|vergonha|sorte|azar|raiva|susto|absurdo|loucura|chatice|droga"
    r"|maravilha|nojo|fome|preguiça|dia (?:lindo|quente|frio|horrível|longo|péssimo|chato|cheio|ótimo))\b"
    r"(?! (?:é|era|foi|tem|do|da)\b)|que bom(?=\s*[,!.]| que\b)"
    # Dutch
    r"|(?:wat|waar|wie|wanneer|hoe|waarom|welke? \w+) (?:ik|we|wij|hij|zij|mijn|m['’]n|het|mij|ons|bij mij)\b"
    r"(?:[^,:]{2,60}[,:] | ?[^,]{1,60} (?:is|was|zijn|weet|doet)\b)|waar ik (?:woon|werk) (?:regent|kan|mag|heb"
    r"|staat)\b"
    r"|wat (?:een|fijn|leuk|mooi|jammer|lief|heerlijk|gezellig|raar|stom)\b(?! (?:is|was|zijn|voor|om|kost|in|te)\b)"
    r"|hoe dan ook|welke \w+ (?:dan )?ook\b|hoe \w+er (?:ik|je|we|het)\b[^,]*, hoe"
    # Polish
    r"|jak (?:wiesz|wiecie|zwykle|zawsze|co roku|widzisz|widać|(?:już )?(?:mówił|pisał|wspomniał|wspominał"
    r"|obiecał)[ae]m)\b"
    r"|(?:jak|kiedy|gdzie) (?:był[ae]m|byliśmy|mieszkał[ae]m|mieszkam|pracuję)\b[^,]{0,60}, "
    r"(?!bo|przypomnij|nie pami|zapomni|albo|czy|podaj)"
    r"|(?:jak|kiedy) (?:pada|leje|wieje)\b|kiedy [^,]{3,60}, to\b(?! samo)|kto mnie zna|z kim mieszkam to\b"
    r"|co (?:tydzień|dzień|dziennie|roku|rok|miesiąc|noc|wieczór|niedziel[ęa]|sobot[ęa]|poniedziałek|wtorek|środ[ęa]"
    r"|czwartek"
    r"|piątek|chwil[ęa]|godzin[ęa]|drug[iaą]|jakiś czas|kilka|do (?:mnie|nas)|prawda|więcej|gorsza|najmniej)\b"
    r"|co za (?:\w+ ){0,2}\w+\s*[,!]"
    r"|na co dzień|po co najmniej|o ile (?:wiem|dobrze|pamiętam|mi wiadomo|się nie mylę|się orientuję|mnie pamięć)"
    r"|jak(?:a|i|ie) (?:radość|dzień|szczęście|ulga|pech|wstyd|koszmar|bałagan)\s*[,!]"
    # Russian
    r"|как (?:(?:ты|вы) (?:уже )?(?:знаешь|знаете|помнишь|помните)|обычно|всегда|только|раз|ни странно|известно"
    r"|говорится"
    r"|бы ни|я (?:уже )?(?:говорил|писал|упоминал)\w*)\b"
    r"|до чего (?:же|хорош|красив|вкусн|приятн|надоел|дош)\w*"
    r"|(?:за|с|от?|к|по|из|на|в) (?:что|ч[её]м|кем|ком|кого|кому|чего) [^,]{2,60}, "
    r"(?:за|с|от?|к|по|из|на|в) то(?:го|му|м|т)?\b"
    r"|как же (?:(?:я|мы|он|она|они|вс[её]|тут|здесь|сегодня|хочется|надоел\w*|повезло|болит|\w+о)\b)"
    r"(?!.{0,40}(?:зовут|звали|назыв|назвал|быть\b|сделать\b))"
    r"|как (?:я|мы|мне) (?:\w+ )?(?:устал|рад|соскуч|скуча|люблю|ненавижу|завид|счастлив|надоел|повезло|хочется)\w*"
    r"|(?:\w+ )?(?:кто|кого|кем|что|чем|где|куда|откуда|когда|сколько|как(?:ой|ая|ое|ие|им|ого|ому|ую|их)?) бы"
    r"(?: \w+){0,2} ни\b|(?:кто|кого|чего|где|куда|как(?:ой|ая|ие|их)) только\b"
    r"|как(?:ой|ая|ое|ие|ую) (?:же )?(?:красив|прекрасн|чудесн|замечательн|классн|крут|вкусн|ужасн|кошмарн|отличн|мил"
    r"|смешн|хорош|плох|странн|трудн|тяж[её]л|сложн|длинн|долг|вес[её]л|мерзк|дурацк|огромн|уютн|приятн|потрясающ"
    r"|шикарн|счастлив|удивительн|т[её]пл|холодн|жарк)\w{1,3}(?: (?!у\b)\w+){1,4}[.!…,)\s]*$"
    r"|как (?:хорошо|здорово|жаль|прекрасно|классно|круто|приятно|обидно|грустно|жалко|мило|красиво)(?=\s*[,!.]"
    r"| что\b)"
    r"|как(?:ой|ая|ое|ие) (?:радость|день|счастье|ужас|кошмар|облегчение|позор|красота|удача)\s*[,!]"
    r"|когда (?:ид[её]т (?:дождь|снег)|был[аи]? (?:маленьк|молод|студен|реб[её]н|школь)|[^,]{3,60}, "
    r"(?!я (?:\w+ )?(?:забыл|не помню|запутал|не знаю))(?:я|мы|мне|у меня|меня|нам|то|всегда)\b)"
    r"|что (?:касается|ни говори)|(?:что|кого|кто|о чём) [^,]{3,60}, так это\b|кто меня знает|чем [^,]{3,60}, тем\b"
    r"|сколько себя помню|куда бы|(?:где|сколько) я (?:здесь |тут )?(?:живу|работаю)[^,]{0,30}, "
    r"(?!напомни|(?:я )?(?:уже )?(?:не помню|забыл)|подскажи|скажи|а то)"
    # Sayings, and what is wondered at, of all
    r"|who (?:knew i|would(?:['’]ve| have) (?:thought|guessed))\b|was (?:meant|supposed) to\b|did my \d"
    r"|how \w+ was (?:that|it)\b"
    r"|where there['’]?s a will\b|(?:how(?: much| many| often| long)?|why|who|where) (?:i|we|he|she|they) [^?]{6,60} "
    r"(?:is|was) (?:a long|between|a mystery|beyond|another)\b|(?:how|why) (?:i|we|he|she|they) [^?]{6,60}(?:never know"
    r"|nobody knows|beats me)\b"
    r"|wer hätte (?:das |je )?(?:gedacht|geglaubt)\b|so (?:bin|hab|habe|war) ich\b|wie der \w+,? so\b"
    r"|wer \w{1,8} sagt,? muss\b"
    r"|was mich (?:nervt|freut|ärgert|wundert|stört)\b|hat (?:mein|meine|der|die) \w+ doch tatsächlich\b"
    r"|warum auch immer\b|was soll['’]?s\b"
    r"|weißt du, |qui[eé]n (?:me mandar[ií]a|iba a (?:decir|pensar|imaginar)\w*)\b|quien (?:mucho|mal|no) \w+"
    r"|c[oó]mo (?:llov|nev)[ií]a\b"
    r"|cu[aá]nto echo de menos\b|qu[eé] de gente\b|a quien madruga\b|cual fue mi sorpresa\b|donde comen dos\b"
    r"|de donde vengo\b"
    r"|qui (?:aurait (?:cru|pensé|dit)|dort dîne)\b|que de \w+ dans\b|où que j\w*|combien de fois je (?:lui|te|leur"
    r"|vous) ai\b"
    r"|pourquoi (?:elle|il|je|on) [^?]{3,60}, (?:personne|nul|je |j['’])|combien (?:il|elle) m['’]a manqué\b"
    r"|qu['’]est-ce qu['’]on a ri\b"
    r"|chi (?:l['’]avrebbe (?:mai )?detto|va piano|fa da sé)\b|quant[ie] ricordi\b|quale onore\b|(?:da|per"
    r"|di) quanto (?:ho|so|mi)\b|quando si dice\b"
    r"|cosa darei\b|per quanto ci prov\w+"
    r"|quem (?:diria|não tem|espera sempre)\b|quanto mais eu\b|quanta gente foi\b|o que mais me (?:irrita|chateia"
    r"|cansa)\b|onde (?:há fumo|quer que)\b"
    r"|para onde foram\b|wie had (?:ooit )?gedacht\b|wie niet \w+t\b|waarom weet ik niet\b|wat was het (?:koud|warm"
    r"|leuk|fijn|druk)\b"
    r"|hoe (?:heerlijk|leuk|fijn|mooi) was\b|wat mij betreft\b|kto by pomyślał\b|kto rano wstaje\b|jak tylko\b"
    r"|gdzie kucharek\b|ile ja się\b"
    r"|czy to \w+ czy \w+ (?:ja|i tak)\b|dlaczego [^?]{3,40} to długa\b|jakie było moje\b|gdzie bym nie\b|кто бы мог\b"
    r"|кто рано\b|зачем я вообще\b"
    r"|куда ни\b|кому как\b|какое счастье что\b|почему [^?]{3,40} я никому\b|с кем живу тому\b"
    # Arabic: what asks also says "not".
    r"|ما (?:شاء|أحب|أعرف|أريد|أقدر|أستطيع|أشرب|آكل|أظن|أذكر|أتذكر|أحتاج|أدري|أسكن|أعمل|أنام|أملك|أفهم|بحب|بعرف|بقدر"
    r"|بدي"
    r"|بشرب|عند(?:ي|نا|ه|ها|هم)|زلت|زلنا|زال|زالت|كنت|لي|معي|عاد|عدت|قدرت|رحت|نمت|شفت|عرفت|أجمل|أروع"
    r"|أحلى)\b|كم (?:أحب|أشتاق|اشتقت)|متى ما\b|كيف ?ما كان"
)
_NOT_REQUESTED = (
    # English
    r"(?!remind|tell|show|send|can|could|would|will|please|pls|hey|hi|ok)\w+ "
    r"(?!(?:me|us|it|this|that|an?|up|for)\b)\w+(?:(?!,"
    r"|\bfor\b|\bto (?:every|each)).){0,60}"
    rf"\b(?:(?:once|twice|\w+ times) a (?:day|week|month|year)|(?:every|each) (?:{_A_TIME})|on \w{{3,6}}days)\b"
    r"|find it (?:hard|easy|difficult|tough|strange|weird|funny|impossible)|turn \d\d (?:next|in|on|this|tomorrow"
    r"|today)\b"
    r"|(?:help|check|show|plan|list|change|turn) (?:came|went|took)\b|list price|sign language|code reviews"
    r"|put [^,.]{2,60}\b(?:yesterday|last (?:night|week|month|year|\w+day))\b|count on me being"
    r"|[^,.]{3,40} is what (?:i|we)\b"
    # German
    r"|(?:mach|schreib|zähl|erzähl|zeig|stell|verbesser|korrigier|übersetz)e? (?!(?:mir|uns|mal|bitte|doch|eine?)\b)"
    rf"(?:\S+ ){{0,4}}?(?<!für )(?:gerade|grad|momentan|zurzeit|täglich|seit|jede[nsr]? (?:{_EIN_TAG}))\b"
    r"|erinnere mich gerne?\b|zähle? kalorien|gebe? mein bestes|fasse mich kurz"
    r"|mach (?:yoga|sport|urlaub|feierabend|homeoffice|diät|überstunden)\b|schreibe? (?:morgen|heute|übermorgen"
    r"|am \w+tag) "
    r"(?:eine? )?(?:mathe|deutsch|englisch|bio|physik|chemie|latein|\w*klausur|\w*prüfung|abi)\b"
    # Spanish, Portuguese, Italian
    r"|haz de cuenta|pon que\b|faz (?:\w+ )?(?:anos?|m[eê]s(?:es)?|semanas?|dias?|tempo|frio|calor|sol|parte|bem|mal"
    r"|falta)\b"
    r"|conta (?:de (?:luz|água|gás|telefone|internet)|bancária)\b|diz (?:minha|meu) \w+ que\b|calcola che\b"
    # French
    r"|(?:aide|fais|donne|trouve|corrige|raconte|écris|explique) (?!moi|nous)(?:(?!\bpour\b)[^,.]){2,60}\b"
    r"(?:tou(?:s|tes) les|chaque|depuis)\b|donne des cours|dis donc,|cherchez pas,"
    # Dutch
    r"|(?:maak|geef|schrijf|vertel|leg) (?!mij?\b|ons\b|een\b|eens\b)[^,.]{0,40}(?<!voor )\b(?:elke|iedere|sinds)\b"
    r"|geef les\b|leg me (?:elke|even|altijd)\b"
    # Chinese
    r"|[帮幫]我的(?:是|人)|翻[译譯](?:是|工作|公司)|请我"
)


def only_looks_asked(sentence: str) -> bool:
    """Whether *sentence* begins like a question and tells something."""
    return _compiled(_NOT_ASKED).match(sentence) is not None


def only_looks_requested(sentence: str) -> bool:
    """Whether *sentence* begins like a request and tells something."""
    return _compiled(_NOT_REQUESTED).match(sentence) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"{_FIRST}(?:{pattern})", re.IGNORECASE)
