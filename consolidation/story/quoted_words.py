"""
Words by which a narrator without a model weighs a sentence and finds a title: closed classes, a table a language.

English, German, Spanish, French, Italian, Portuguese, Chinese and Japanese; a native reader edits this file and no
other. A language that is not here is read without them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from consolidation.text.stopwords import STOP_WORDS
from consolidation.text.words import stems, tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

# Firsts, decisions, gains and losses, births and deaths, moves: what a life turns on. Feelings are not among them.
_EVENTS = {
    "en": """first decided decide decision promise promised moved moving move married marry wedding engaged engagement
        born birth died death funeral lost lose won win hired fired quit retired graduated graduation adopted adopt
        allergic diagnosed diagnosis surgery operation hospital accident broke bought sold opened launched founded
        started stopped accepted rejected applied passed failed finished published pregnant divorced inherited joined
        arrived left cancelled signed offer job interview anniversary birthday""",
    "de": """erste ersten erstes entschieden entscheidung versprochen versprach umgezogen umzug heirat heiraten
        geheiratet hochzeit verlobt geboren geburt gestorben tod beerdigung verloren gewonnen eingestellt gekündigt
        kündigung rente abschluss adoptiert allergisch diagnose operation op krankenhaus unfall gebrochen gekauft
        verkauft eröffnet übernommen gegründet angefangen aufgehört zugesagt abgesagt bestanden durchgefallen
        schwanger geschieden getrennt geerbt unterschrieben zusage absage bewerbung geburtstag eingezogen""",
    "es": """primero primera decidí decidido decisión prometí prometido mudanza mudado mudamos casado casamos boda
        prometida nació nacido murió muerto entierro funeral perdí perdido gané ganado contratado despedido jubila
        jubilado graduado adoptado adopté alérgico alérgica alergia diagnóstico operación operado hospital accidente
        roto comprado compré vendido vendí abierto fundado empezado empecé dejado aceptado rechazado aprobado
        suspendido terminado publicado embarazada divorcio separado heredado firmado fichado oferta trabajo cumpleaños
        encargo""",
    "fr": """premier première décidé décision promis déménagé déménagement mariage marié fiancé né naissance mort
        enterrement décédé perdu gagné embauché viré licencié démissionné démission retraite diplôme adopté allergique
        diagnostic opération hôpital accident cassé acheté vendu ouvert ouverture fondé commencé arrêté accepté refusé
        réussi raté terminé publié enceinte divorce séparés hérité signé contrat anniversaire emménagé réservé""",
    "it": """primo prima deciso decisione promesso trasferito trasloco sposato matrimonio fidanzati nato nascita morto
        funerale perso vinto assunto licenziato pensione laureato laurea adottato allergico allergica diagnosi
        operazione ospedale incidente rotto comprato venduto aperto fondato iniziato smesso accettato rifiutato
        superato bocciato finito pubblicato incinta divorzio separati ereditato firmato offerta compleanno""",
    "pt": """primeiro primeira decidi decidido decisão prometi prometido mudei mudança casei casado casamento noivado
        nasceu nascimento morreu morte enterro perdi perdido ganhei ganho contratado despedido demitido aposentado
        formado formatura adotei adotado alérgico alérgica diagnóstico operação cirurgia hospital acidente quebrei
        comprei comprado vendi vendido abri aberto fundei comecei parei aceito recusado passei terminei publicado
        grávida divórcio separado herdei assinei proposta aniversário""",
}
_DENSE_EVENTS = {
    "zh": """第一次 决定 答应 搬家 搬到 结婚 婚礼 订婚 出生 去世 葬礼 失去 赢 录取 辞职 退休 毕业 领养 过敏 诊断 手术
        医院 事故 买了 卖了 开业 创办 怀孕 离婚 签 生日 面试 工作""",
    "ja": """初めて 決め 約束 引っ越 結婚 婚約 生まれ 亡くな 葬式 失っ 勝っ 採用 辞め 退職 卒業 引き取 アレルギー 診断
        手術 病院 事故 買っ 売っ 開店 妊娠 離婚 契約 誕生日 面接 就職""",
}
# Praise, cheer and reflection that could be said on any day.
_PLATITUDES = {
    "en": """amazing awesome great inspiring inspired inspiration motivated motivating motivate motivation support
        supportive supporting encouragement passion passionate journey reward rewarding dream dreams goals growth
        positive positivity success successes challenges challenging important means meaningful appreciate grateful
        thankful joy happiness happy proud excited incredible wonderful beautiful special power powerful strength
        believe difference impact hard effort pushing determined fulfilling create creating connect connection express
        self moments memories cherish together alike sounds sure absolutely truly reminder reminds helps lovely
        fantastic cool fun luck best glad experience life updated hoping stuff crazy wild ride
        blast talk talked chat chatted spoke catch catching world reach keep going true things thing place""",
    "de": """toll super schön großartig wunderbar wichtig stolz glücklich dankbar freue freut unterstützung leben
        erfahrung ziele träume motivation inspirierend erfolg glück klingt spannend mut kraft gemeinsam""",
    "es": """genial increíble maravilloso importante orgulloso orgullosa feliz agradecido agradecida apoyo vida
        experiencia metas sueños motivación inspirador éxito suerte suena emocionante fuerza juntos""",
    "fr": """super génial incroyable merveilleux important fier fière heureux heureuse reconnaissant soutien vie
        expérience objectifs rêves motivation inspirant succès chance courage force ensemble""",
    "it": """fantastico incredibile meraviglioso importante fiero orgoglioso felice grato sostegno vita esperienza
        obiettivi sogni motivazione ispirazione successo fortuna coraggio forza insieme""",
    "pt": """ótimo incrível maravilhoso importante orgulhoso orgulhosa feliz grato grata apoio vida experiência metas
        sonhos motivação inspirador sucesso sorte coragem força juntos""",
}
# Somebody tells of themselves.
_FIRST_PERSON = {
    "en": r"\b(?:I|i|me|my|mine|we|our|us|I'm|I've|I'll|im|ive)\b",
    "de": r"\b(?:ich|mein\w{0,2}|mir|mich|wir|unser\w{0,2}|uns)\b",
    "es": r"\b(?:yo|me|mi|mis|nos|nuestr[oa]s?|he|hemos|estoy|tengo|voy|soy|vamos|\w{2,20}(?:é|amos|imos))\b",
    "fr": r"(?:\b(?:je|moi|me|mon|ma|mes|nous|notre|nos|on)\b|\b[jm]['’])",
    "it": r"(?:\b(?:io|mi|mio|mia|miei|mie|noi|ci|nostr[oaie]|ho|sono|abbiamo|siamo|vado|devo)\b|\bm['’])",
    "pt": r"\b(?:eu|me|meu|minha|meus|minhas|nós|nosso|nossa|tenho|estou|vou|sou|fui|vamos|\w{2,20}ei)\b",
    "zh": r"我",
    "ja": r"私|僕|俺|わたし|ぼく|うち",
}
# Somebody speaks to the other.
_SECOND_PERSON = {
    "en": r"\b(?:you|your|yours|u|ur|you're|you've|you'll)\b",
    "de": r"\b(?:du|dich|dir|dein\w{0,2}|euch|euer|eure)\b",
    "es": r"\b(?:tú|te|ti|tu|tus|usted|vosotros|eres|tienes|estás)\b",
    "fr": r"(?:\b(?:tu|toi|te|ton|ta|tes|vous|votre|vos)\b|\bt['’])",
    "it": r"\b(?:tu|ti|te|tuo|tua|tuoi|tue|sei|hai|stai)\b",
    "pt": r"\b(?:você|te|teu|tua|seu|sua)\b",
    "zh": r"你|您",
    "ja": r"あなた|君",
}
# A sentence that begins so can not be understood alone.
_DEPENDENT = {
    "en": r"(?:(?:and|but|so|or|because|plus|yeah|yes|no|oh|well|also|then|actually|which),?\s+)*"
    r"(?:it|it's|its|it'll|that|that's|thats|this|these|those|they|they're|them|their|he|he's|he'll|she|she's|she'll"
    r"|his|her|him|there|there's|which|both|such|same|here|here's|one of (?:them|those)|the (?:other|same))\b"
    r"|(?:like|because|which|so|than|especially|not|since then|too|either|neither|instead|just)\b",
    "de": r"(?:(?:und|aber|also|oder|weil|ja|nein|ach|naja|dann|denn),?\s+)*"
    r"(?:es|das|dies\w{0,2}|er|sie|ihn|ihm|ihnen|ihr\w{0,2}|sein\w{0,2}|dort|da|davon|damit|dafür|darum|deshalb|so"
    r"|beide|der|die)(?:\s+(?!\w*\s?[A-ZÄÖÜ])|\b(?=[,.!]))",
    "es": r"(?:(?:y|pero|o|porque|sí|no|bueno|pues|así que|entonces),?\s+)*"
    r"(?:eso|esto|aquello|ese|esa|esos|esas|este|esta|él|ella|ellos|ellas|lo|le|les|allí|ahí|es que|así|que)\b",
    "fr": r"(?:(?:et|mais|ou|parce que|oui|non|bon|donc|alors|puis),?\s+)*"
    r"(?:(?:ça|cela|ceci|il|elle|ils|elles|lui|leur|celui|celle|ceux|là|ce|cette|ces|du coup|pareil)\b|c['’])",
    "it": r"(?:(?:e|ma|o|perché|sì|no|beh|quindi|allora|poi),?\s+)*"
    r"(?:(?:questo|questa|quello|quella|lui|lei|loro|lo|gli|lì|ci|così|che)\b|c['’])",
    "pt": r"(?:(?:e|mas|ou|porque|sim|não|bom|então|aí),?\s+)*"
    r"(?:isso|isto|aquilo|esse|essa|este|esta|ele|ela|eles|elas|lá|ali|assim|que)\b",
    "zh": r"(?:而且|但是|但|因为|所以|然后)?(?:这|那|它|他|她)",
    "ja": r"(?:でも|そして|だから)?(?:これ|それ|あれ|そこ|この|その|あの|彼|彼女)",
}
# It happened: forms of the past.
_HAPPENED = {
    "en": r"\b(?:went|got|came|made|took|wrote|sent|met|left|lost|won|began|brought|bought|thought|told|gave|ran|saw"
    r"|sang|grew|fell|found|taught|sold|chose|broke|drove|flew|said|heard|had|did|was|were|been|rode|swam|spent|built|paid"
    r"|put|kept|held|read|ate|rang|wore|woke|\w{2,20}(?<!e)ed)\b",
    "de": r"\b(?:\w{0,8}ge\w{2,20}(?:t|en)|war|waren|hatte|wurde|kam|ging|kamen|hat|haben|bin|habe|hab)\b",
    "es": r"\b(?:h[ea]|hemos|han|fui|fue|era|\w{2,20}(?:[éó]|aron|ieron|aba|ía|amos))\b",
    "fr": r"(?:\b[jm]['’]ai\b|\b(?:ai|a|ont|avons|suis|sommes|était)\s+(?:\w{1,10}\s+)?"
    r"\w{2,20}(?:é|ée|és|i|is|it|u|ue)\b)",
    "it": r"\b(?:ho|ha|hanno|abbiamo|sono|è|era|siamo)\s+(?:\w{1,10}\s+)?\w{2,20}(?:[aiu]t[oaie]|so|sa|to|ta|rto)\b",
    "pt": r"\b(?:fui|foi|era|tive|teve|\w{2,20}(?:ei|ou|aram|eram|iu|eu))\b",
    "zh": r"了|过",
    "ja": r"た[。！、]|た$|ました|だった",
}
# When: a plan, or the time of what happened.
_WHEN = {
    "en": r"\b(?:yesterday|today|tonight|tomorrow|this (?:morning|afternoon|evening|week|weekend|month|year|summer)"
    r"|(?:last|next) (?:\w{1,9}day|night|week|weekend|month|year|summer|spring|fall|autumn|winter)|ago|since|"
    r"(?:I'm|we're|I am|we are|i'm|im) (?:going|planning|gonna)|I'll|we'll|i've to|plan to|on (?:mon|tues|wednes|thurs"
    r"|fri|satur|sun)days?|january|february|march|april|june|july|august|september|october|november|december)\b",
    "de": r"\b(?:gestern|heute|heut|morgen|vorgestern|übermorgen|(?:letzte|nächste|diese)[nsrm]?\s\w{2,12}|seit|ab|"
    r"werde|vorhabe|am\s\w{2,8}tag|januar|februar|märz|april|juni|juli|august|september|oktober|november|dezember)\b",
    "es": r"\b(?:ayer|hoy|mañana|anoche|la (?:semana|noche) (?:pasada|que viene)|el (?:mes|año|lunes|martes|miércoles"
    r"|jueves|viernes|sábado|domingo)|desde|hace|voy a|vamos a|enero|febrero|marzo|abril|mayo|junio|julio|agosto"
    r"|septiembre|octubre|noviembre|diciembre)\b",
    "fr": r"\b(?:hier|aujourd'hui|demain|ce (?:matin|soir)|(?:semaine|mois|année) (?:dernière|dernier"
    r"|prochaine|prochain)|depuis|je vais|on va|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|janvier|février"
    r"|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre)\b",
    "it": r"\b(?:ieri|oggi|domani|stasera|stamattina|(?:settimana|mese|anno) (?:scors[ao]|prossim[ao])|da quando|lunedì"
    r"|martedì|mercoledì|giovedì|venerdì|sabato|domenica|gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto"
    r"|settembre|ottobre|novembre|dicembre)\b",
    "pt": r"\b(?:ontem|hoje|amanhã|(?:semana|mês|ano) (?:passad[ao]|que vem)|desde|vou|vamos|segunda|terça|quarta"
    r"|quinta|sexta|sábado|domingo|janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro)\b",
    "zh": r"昨天|今天|明天|上周|下周|上个月|下个月|去年|今年|明年|打算|准备|将|月|号",
    "ja": r"昨日|今日|明日|先週|来週|先月|来月|去年|今年|来年|つもり|予定|月|日に",
}
# Thanks, greetings, cheers: how a sentence begins that holds nothing.
_RULE = re.compile(
    r"^\W*(?:(?:and|but|please|und|aber|bitte|y|pero|por favor|et|mais|e|ma|mas)\W+){0,2}"
    r"(?:never (?!mind|better)|always |from now on|nie(?:mals)? |immer |ab (?:jetzt|sofort|heute)\b|nunca |jamás "
    r"|siempre |a partir de ahora|jamais |toujours |désormais|mai |sempre |d'ora in poi|a partir de agora"
    r"|绝不|不要再|以后都|二度と|必ず)",
    re.IGNORECASE,
)
_PHRASE = re.compile(
    r"^\W*(?:wow|thanks?|thank you|thx|congrats|congratulations|hey|hi|hello|yeah|yep|yup|cool|awesome|great|nice|sure"
    r"|ok(?:ay)?|sounds|good (?:luck|morning|night|idea|for|to)|of course|no problem|you're|you got|absolutely"
    r"|definitely|totally|exactly|agreed?|glad|keep|let's|don't|remember|just|take care|have (?:a|fun)|enjoy|bye"
    r"|see you|talk|looking forward|can't wait|i agree|i totally|i hope|hope|i wish|wish|i believe|i bet|i'm sure"
    r"|i appreciate|i'm (?:so )?(?:glad|happy|proud|sorry)|i know|i understand|i hear|proud"
    r"|(?:let me|lemme|i'll let you) know|i'll (?:definitely )?keep you|appreciate|happy (?:to|for)|aw+|ha(?:ha)+"
    r"|lol|danke\w*|hallo|super|toll|schön|herzlichen|klar|genau|gern\w*|gute[nrs]?|viel|freut|gracias|hola|genial|claro"
    r"|vale|perfecto|buen[oa]s?|qué bien|me alegro|merci|bonjour|salut|super|génial|d'accord|parfait|bravo|grazie|ciao"
    r"|bene|certo|perfetto|obrigad[oa]|oi|olá|ótimo|claro|parabéns|谢谢|你好|好的|恭喜|加油|ありがとう|こんにちは|おめでとう"
    r"|はい|いいですね)(?!\w)",
    re.IGNORECASE,
)
# What begins a noun phrase, in a form that can stand alone.
ARTICLES: Mapping[str, frozenset[str]] = {
    "en": frozenset("a an the".split()),
    "de": frozenset("ein eine das die".split()),
    "es": frozenset("el la los las un una".split()),
    "fr": frozenset("le la les un une l' l’".split()),
    "it": frozenset("il lo la i gli le un uno una l' l’".split()),
    "pt": frozenset("o a os as um uma".split()),
}
# Prepositions that join a noun to the phrase before it, with an article of their own or none.
LINKS: Mapping[str, frozenset[str]] = {
    "en": frozenset("of for in at from with to".split()),
    "de": frozenset("von vom für in im aus am bei mit".split()),
    "es": frozenset("de del en para con al".split()),
    "fr": frozenset("de du des d' d’ à au aux en pour".split()),
    "it": frozenset("di del della dei degli delle dell' in a al alla per con".split()),
    "pt": frozenset("de do da dos das em no na para com ao".split()),
}
# Words before a clause that say nothing of it.
CONJUNCTIONS: Mapping[str, frozenset[str]] = {
    "en": frozenset("and but so or because plus well oh yeah yes also then btw anyway actually that ok okay".split()),
    "de": frozenset("und aber oder also weil ja ach dann dass denn btw".split()),
    "es": frozenset("y pero o porque pues bueno sí que así q".split()),
    "fr": frozenset("et mais ou donc alors bon oui que bref".split()),
    "it": frozenset("e ma o perché quindi allora beh sì che".split()),
    "pt": frozenset("e mas ou porque então bom sim que".split()),
}
# What begins a clause that needs another.
SUBORDINATE: Mapping[str, frozenset[str]] = {
    "en": frozenset(
        "since after before when while if as by for from in at of to with like until till once although though where"
        " besides during without even just which who how what not especially on about into one some last next".split()
    ),
    "de": frozenset(
        "wenn als ob nachdem bevor seit mit bei in im am an auf von vom für aus nach zu zum ohne"
        " wie durch gegen um über unter hinter neben zwischen vor".split()
    ),
    "es": frozenset("si cuando aunque mientras desde con en de del para por sin como donde a al".split()),
    "fr": frozenset("si quand lorsque comme avec dans de du des pour par sans chez en à au depuis".split()),
    "it": frozenset("se quando mentre come con in di del per da senza dove a al".split()),
    "pt": frozenset("se quando enquanto como com em de do da para por sem onde no na".split()),
}
# What may follow a clause that is complete without it. In German that is not a preposition: its verb may come last.
ENDS: Mapping[str, frozenset[str]] = {
    "en": frozenset(
        "in at for with from as because while when and but so after before since last next yesterday today tonight"
        " tomorrow this during who which until till recently lately now where without through ago by if"
        " cause 'cause".split()
    ),
    "de": frozenset("und aber weil als wenn dass ob sondern denn oder wo".split()),
    "es": frozenset("en con por para desde hasta y pero porque cuando ayer hoy mañana si como sin donde q que".split()),
    "fr": frozenset("avec dans pour par depuis et mais parce quand hier aujourd'hui demain chez sur si sans".split()),
    "it": frozenset("con in nel nella per da e ma perché quando ieri oggi domani se senza dove".split()),
    "pt": frozenset("com em no na por para desde até e mas porque quando ontem hoje amanhã se sem onde".split()),
}
# Words that point at something said before, wherever they stand.
_VAGUE = {
    "en": r"\b(?:it|them|him|that|this|those|these|there|both)\b",
    "de": r"\b(?:das|ihn|ihm|davon|damit|dafür|dazu)\b(?!\s+\w)",
    "es": r"\b(?:eso|esto|aquello|ello)\b",
    "fr": r"\b(?:ça|cela|ceci)\b",
    "it": r"\b(?:questo|quello|ciò)\b(?!\s+\w)",
    "pt": r"\b(?:isso|isto|aquilo)\b",
    "zh": r"这个|那个|它",
    "ja": r"それ|これ|あれ",
}
# Words besides function words at which a phrase ends.
_LIGHT = {
    "en": """just gonna while because through until till else others other own some any sure usually really finally
        already across around along now ago years year weeks week days day yesterday today tonight tomorrow last next
        these those most more much very too also only even still again back up down out off over away about after before
        into onto than then there here together soon later never always ever maybe not no nonstop morning afternoon
        evening night month months thing things something anything everything someone stuff lot lots bit way kind time
        one other every each such like few several two three four five six seven eight nine ten
        hundred thousand 'cause cause since during without under between against within upon as if i can could
        should may might must shall im ive dont didnt cant wont isnt wasnt gotta wanna recently lately currently yet
        instead anyway alone everyone people ones good great nice new big little actually""",
    "de": """gestern heute morgen wieder schon noch immer nie mal jetzt später bald sehr mehr viel nur nicht kein keine
        etwas nichts alles endlich gerade wirklich ganz zurück weg los hin her hier dort vorbei ins ans beim durch gegen
        ohne um seit während jahr jahre jahren tag tage woche wochen monat""",
    "es": """ayer hoy mañana ya más menos muy mucho mucha nunca siempre ahora luego también solo sólo no ni vez veces
        año años día días semana mes cosa cosas bien mal todo toda todos todas algo nada otra otro aquí allí""",
    "fr": """hier aujourd'hui demain déjà encore jamais toujours maintenant plus moins très trop bien pas ne rien tout
        toute tous toutes fois an ans jour jours semaine mois chose choses truc là ici aussi enfin juste autre""",
    "it": """ieri oggi domani già ancora mai sempre ora adesso più meno molto troppo bene non niente tutto tutti volta
        volte anno anni giorno giorni settimana mese cosa cose qui lì anche solo poi altro altra""",
    "pt": """ontem hoje amanhã já ainda nunca sempre agora mais menos muito bem não nada tudo todos vez vezes ano anos
        dia dias semana mês coisa coisas aqui ali só depois outro outra""",
}
_POSSESSIVES = {
    "en": "my our your his her their its",
    "de": "mein meine meinen meinem meiner unser unsere dein deine sein seine ihr ihre",
    "es": "mi mis nuestro nuestra tu tus su sus",
    "fr": "mon ma mes notre nos ton ta tes son sa ses leur leurs",
    "it": "mio mia miei mie nostro nostra tuo tua suo sua",
    "pt": "meu minha meus minhas nosso nossa teu tua seu sua",
}
KNOWN = tuple(ARTICLES)


def events(found: frozenset[str], text: str, *, language: str) -> int:
    """How many words of *text* tell what a life turns on; *found* are its stems."""
    dense = _DENSE_EVENTS.get(language, "")
    return len(found & _stemmed(_EVENTS.get(language, ""), language)) + sum(word in text for word in dense.split())


def platitudes(found: frozenset[str], *, language: str) -> int:
    """How many of the stems *found* could be said on any day."""
    return len(found & _stemmed(_PLATITUDES.get(language, ""), language))


def is_of_the_speaker(text: str, *, language: str) -> bool:
    """Whether somebody tells of themselves."""
    return _found(_FIRST_PERSON, text, language)


def is_to_another(text: str, *, language: str) -> bool:
    """Whether somebody speaks to another."""
    return _found(_SECOND_PERSON, text, language)


def is_past(text: str, *, language: str) -> bool:
    """Whether it tells what happened."""
    return _found(_HAPPENED, text, language)


def is_dated(text: str, *, language: str) -> bool:
    """Whether it says when, or tells a plan."""
    return _found(_WHEN, text, language)


def is_dependent(text: str, *, language: str) -> bool:
    """Whether it begins by pointing at what was said before it."""
    pattern = _DEPENDENT.get(language)
    return pattern is not None and _compiled(rf"\W*(?:{pattern})").match(text) is not None


def is_vague(text: str, *, language: str) -> bool:
    """Whether it points at something that was said before, anywhere."""
    return _found(_VAGUE, text, language)


def is_possessive(word: str, *, language: str) -> bool:
    """Whether *word* says whose something is: "my", "sus"."""
    return word.casefold() in _POSSESSIVES.get(language, "").split()


def hangs(word: str, *, language: str, is_clause: bool) -> bool:
    """Whether a phrase that ends with *word* is unfinished; a whole clause may end with a preposition."""
    tables = (ARTICLES, CONJUNCTIONS) if is_clause else (ARTICLES, CONJUNCTIONS, LINKS, SUBORDINATE)
    possessives = _POSSESSIVES.get(language, "").split()
    return word.casefold() in possessives or any(
        word.casefold() in table.get(language, frozenset()) for table in tables
    )


def is_rule(text: str) -> bool:
    """Whether it begins as what is to be done from now on does: "never restart it in the evening"."""
    return _RULE.match(text) is not None


def is_phrase(text: str) -> bool:
    """Whether it begins as thanks, greetings and cheers do."""
    return _PHRASE.match(text) is not None


@cache
def function_words(language: str) -> frozenset[str]:
    """The words of *language* at which a phrase ends, folded."""
    whole = " ".join(table.get(language, "") for table in (STOP_WORDS, _LIGHT, _POSSESSIVES))
    return frozenset(tokens(whole))


def language_of_sentence(words: tuple[str, ...], *, language: str) -> str:
    """*language*, or another one of ``KNOWN`` whose function words the folded *words* clearly hold instead."""
    known = {one: sum(word in _stop_words(one) for word in words) for one in KNOWN}
    best = max(known, key=lambda one: known[one])
    return best if known[best] >= known.get(language, 0) + 2 else language


@cache
def _stop_words(language: str) -> frozenset[str]:
    return frozenset(tokens(STOP_WORDS[language]))


@cache
def _stemmed(words: str, language: str) -> frozenset[str]:
    return frozenset(stems(words, language=language)) if words.strip() else frozenset()


def _found(table: Mapping[str, str], text: str, language: str) -> bool:
    pattern = table.get(language)
    return pattern is not None and _compiled(pattern).search(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
