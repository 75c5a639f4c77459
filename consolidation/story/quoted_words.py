"""
Words by which a narrator without a model weighs a sentence and finds a title: closed classes, a table a language.

The languages are those that labels speak; a native reader edits this file and no other. A language that is not here is
read without them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from consolidation.text.concepts import concepts
from consolidation.text.occupations import names_occupation
from consolidation.text.stopwords import STOP_WORDS
from consolidation.text.words import ignoring_case, stems, tokens

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
    "nl": """eerste besloten besluit beloofd belofte verhuisd verhuisde verhuizen verhuizing getrouwd trouwen trouw
        bruiloft verloofd geboren geboorte bevallen overleden overleed gestorven dood begrafenis uitvaart verloren
        verloor gewonnen won aangenomen ontslagen ontslag pensioen afgestudeerd diploma geadopteerd allergisch
        allergie diagnose operatie geopereerd ziekenhuis ongeluk gebroken gekocht kocht verkocht geopend opgericht
        begonnen begin gestopt geaccepteerd afgewezen geslaagd gezakt gepubliceerd zwanger gescheiden scheiding
        geërfd getekend baan sollicitatie solliciteren verjaardag""",
    "pl": """pierwszy pierwsza pierwsze postanowiłem postanowiłam zdecydowałem zdecydowałam zdecydowaliśmy decyzja
        decyzję obiecałem obiecałam przeprowadziłem przeprowadziłam przeprowadziliśmy przeprowadzam przeprowadzamy
        przeprowadzka wprowadziliśmy ślub wesele zaręczyny zaręczyliśmy ożenił ożeniłem wyszłam urodził urodziła
        urodziło poród zmarł zmarła umarł umarła śmierć pogrzeb straciłem straciłam zgubiłem zgubiłam wygrałem
        wygrałam wygraliśmy zatrudnili zwolnili zwolniony emerytura emeryturę dyplom adoptowaliśmy adoptowałem
        adoptowałam uczulony uczulona uczulenie alergia alergię diagnoza diagnozę operacja operację szpital szpitala
        szpitalu wypadek złamałem złamałam kupiłem kupiłam kupiliśmy sprzedałem sprzedałam sprzedaliśmy otworzyłem
        otworzyłam otworzyliśmy założyłem założyłam zacząłem zaczęłam zaczynam rzuciłem rzuciłam zdałem zdałam
        oblałem oblałam ciąża ciąży rozwód rozwiedliśmy odziedziczyłem odziedziczyłam podpisałem podpisałam
        podpisaliśmy praca pracę oferta ofertę rozmowa rocznica urodziny""",
    "ru": """первый первая первое решил решила решили решение обещал обещала переехал переехала переехали переезжаю
        переезжаем переезд женился поженились замуж свадьба помолвка помолвлены родился родилась родила родился роды
        умер умерла умерли смерть похороны потерял потеряла выиграл выиграла выиграли взяли приняли устроился
        устроилась уволили уволился уволилась увольнение пенсия диплом усыновили аллергия диагноз операция больница
        авария сломал сломала купил купила купили продал продала продали открыл открыла открыли основал основала
        начал начала бросил бросила сдал сдала провалил провалила беременна развод развелись унаследовал
        унаследовала подписал подписала подписали работа должность собеседование годовщина юбилей рождение рождения""",
    "ar": """أول قررت قررنا قرار وعدت وعد انتقلت انتقلنا الانتقال سأنتقل سننتقل تزوجت تزوجنا تزوج زواج الزواج خطوبة
        خطبت زفاف عرس ولد ولدت أنجبت أنجب ولادة مات ماتت توفي توفيت وفاة جنازة فقدت خسرت فزت فاز عينت توظفت فصلت
        طردت استقلت استقالة تقاعد تقاعدت تخرجت تخرج تبنيت تبنينا حساسية تشخيص عملية جراحة مستشفى المستشفى حادث حادثة
        كسرت كسر اشتريت اشترينا بعت بعنا افتتحت افتتحنا أسست بدأت سأبدأ توقفت قبلت رفضت نجحت رسبت حامل طلاق
        انفصلنا طلقت ورثت وقعت وقعنا وظيفة وظيفتي الوظيفة عمل مقابلة عيد ميلاد ذكرى""",
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
    "nl": """geweldig super mooi prachtig belangrijk trots gelukkig blij dankbaar fijn leuk steun leven ervaring
        doelen dromen motivatie inspirerend succes geluk klinkt spannend moed kracht samen""",
    "pl": """super świetnie świetny wspaniale wspaniały ważne ważny dumny dumna szczęśliwy szczęśliwa wdzięczny
        wdzięczna cieszę fajnie fajny wsparcie życie doświadczenie cele marzenia motywacja inspirujący sukces
        szczęście brzmi odwaga siła razem""",
    "ru": """замечательно здорово отлично прекрасно чудесно важно горжусь счастлив счастлива благодарен благодарна
        рад рада поддержка жизнь опыт цели мечты мотивация вдохновляет успех удача звучит смелость сила вместе""",
    "ar": """رائع رائعة جميل جميلة ممتاز عظيم مهم فخور فخورة سعيد سعيدة ممتن ممتنة دعم حياة تجربة أهداف أحلام نجاح حظ
        شجاعة قوة معا""",
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
    "nl": r"\b(?:ik|mij|me|mijn|m'n|wij|we|ons|onze)\b",
    "pl": r"\b(?:ja|mnie|mi|mną|mój|moj\w{1,3}|my|nas|nam|nami|nasz\w{0,3}|jestem|jesteśmy|mam|mieszkam|nazywam|znam"
    r"|kocham|czekam|szukam|chcę|mogę|lubię|idę|jadę|będę|muszę|robię|uczę|myślę|zaczynam|\w{2,20}(?:uję|łem|łam"
    r"|liśmy|łyśmy|[jżcz]emy|dziemy|imy|ymy|[dkłtwz]amy))\b",
    "ru": r"\b(?:я|меня|мне|мной|мо[йяеёию]|мо(?:его|ему|ей|им|ём|их|ими)|мы|нас|нам|нами|наш\w{0,3}|живу|живём|живем"
    r"|хочу|хотим|могу|можем|люблю|любим|буду|еду|поеду|пойду|учусь|\w{2,20}(?:[ая]ю|[ая]юсь|[аяу]ем|д[её]м"
    r"|[еи]мся))\b",
    "ar": r"\b[وف]?(?:أنا|نحن|لنا|لي|عندي|عندنا|معي|معنا|لدي|لدينا|اسمي|عمري|كنت|كنا|سأ\w{2,12}|سن(?!وات|تين|ين\b"
    r"|وي)\w{3,12}|(?!أثينا|فيينا)\w{3,20}(?<!ا)نا|أ(?:مي|بي|ختي|خي)|زوجت?ي|ابنت?ي|جدت?ي|صديقت?ي|بيتي|عملي|[أن](?:سكن"
    r"|عيش|عمل|درس|حب|ريد|فكر|خطط)|(?:حصل|انتقل|سافر|بدأ|تزوج|وصل|ذهب|قرر|قابل|زر|وجد|فقد|ترك|تخرج|نجح|فز|عد)ت"
    r"|(?:اشتر|رأ|التق)يت)\b",
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
    "nl": r"\b(?:jij|je|jou|jouw|jullie|u|uw)\b",
    "pl": r"\b(?:ty|ciebie|cię|ci|tobie|tobą|twój|twoj\w{1,3}|wasz\w{0,3}|jesteś|masz|\w{2,20}(?:łeś|łaś))\b",
    "ru": r"\b(?:ты|тебя|тебе|тобой|тво[йяеёию]|вы|вас|вам|ваш\w{0,3}|\w{2,20}(?:ешь|ишь))\b",
    "ar": r"\b[وف]?(?:أنت|أنتم|لك|لكم|عندك|معك|لديك|إليك|عليك|منك|بك)\b",
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
    "nl": r"(?:(?:en|maar|of|omdat|want|ja|nee|nou|dus|dan|toen),?\s+)*(?:het(?= (?:is|was|werd|wordt|gaat|ging|heeft"
    r"|had|lijkt|kan|moet|komt|kwam)\b)|dat|dit|die|deze|hij|zij|ze|hem|haar|hun|hen|er|daar|daarom|daarmee|daarvoor"
    r"|zo|beide)\b",
    "pl": r"(?:(?:i|a|ale|albo|bo|tak|nie|no|więc|wtedy|potem),?\s+)*(?:to|ten|ta|te|tego|tej|tym|on|ona|ono|oni|one"
    r"|jego|jej|ich|jemu|mu|go|tam|dlatego|oba|obie)\b",
    "ru": r"(?:(?:и|а|но|или|потому что|да|нет|ну|так что|тогда|потом),?\s+)*(?:это|эт[аио]т?|тот|та|те|того|той|он"
    r"|она|оно|они|его|её|ее|их|ему|ей|им|там|туда|поэтому|оба|обе)\b",
    "ar": r"(?:(?:لكن|لأن|نعم|لا|إذن|ثم|حسنا)[،,]?\s+)*[وف]?(?:هذا|هذه|ذلك|تلك|هؤلاء|هو|هي|هم|إنه|إنها|لأنه|لأنها"
    r"|هناك|لذلك|كلاهما)\b",
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
    "nl": r"\b(?:heb|heeft|hebben|had|hadden|was|waren|werd|kwam|ging|kreeg|kocht|vond|zag|nam|deed"
    r"|\w{0,8}ge\w{2,20}(?:d|t|en)|(?:be|her|ont|ver)\w{2,20}[dt])\b",
    "pl": r"\b(?:był[aoy]?|byli|(?!siła|mał[aey]\b|cał[aey]\b|biał|chwil|niedziel)\w{1,20}(?:[aeiyęąó]ł"
    r"|[aeiyęą]ł[aoy]|[aeiyęą]li|ł[ea]m|liśmy|łyśmy))\b",
    "ru": r"\b(?:(?:бы|да|жи|пи|е)л[аио]?|\w{2,20}(?:[аеиуыяё]л[аи]?|[аеиуыя]л(?:ся|[аио]сь)|ш[её]л|шл[аи]))\b",
    "ar": r"\b[وف]?(?:كان\w{0,2}|كنت|كنا|لقد|قد|مات|ماتت|توفيت?|حصلت|انتقلت?|سافرت?|بدأت?|اشتريت?|تزوجت?|وصلت?|ذهبت?"
    r"|قررت?|قابلت|زرت|أنجبت|ولدت?|فقدت|وجدت|تركت|رأيت|التقيت|عدت|فزت|نجحت|\w{3,20}(?:(?<!ا)نا|وا))\b",
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
    "nl": r"\b(?:gisteren|vandaag|morgen|eergisteren|overmorgen|vanavond|vanochtend|vanmorgen|(?:vorige?|volgende?"
    r"|deze) (?:week|maand|jaar|zomer|winter|lente|herfst|nacht)|geleden|sinds|vanaf|(?:maan|dins|woens|donder|vrij"
    r"|zater|zon)dag|ga ik|gaan we|zal|januari|februari|maart|april|juni|juli|augustus|september|oktober|november"
    r"|december)\b",
    "pl": r"\b(?:wczoraj|dzisiaj|dziś|jutro|przedwczoraj|pojutrze|w (?:zeszły|przyszły|ubiegły|następny)\w{0,2}|temu"
    r"|od (?:jutra|wczoraj|dziś)|(?:poniedzi|wtor|środ|czwart|piąt|sobot|niedziel)\w{1,4}|będę|będziemy|zamierzam"
    r"|planuję|styczni\w{0,2}|lut(?:y|ego|ym)|mar(?:zec|ca|cu)|kwie(?:cień|tni\w{1,2})|maja|czerw(?:iec|ca|cu)"
    r"|lip(?:iec|ca|cu)|sierp(?:ień|ni\w{1,2})|wrze(?:sień|śni\w{1,2})|październik\w{0,2}|listopad\w{0,2}|grud(?:zień"
    r"|ni\w{1,2}))\b",
    "ru": r"\b(?:вчера|сегодня|завтра|позавчера|послезавтра|(?:на|в) (?:прошл|следующ|эт)\w{1,4} (?:недел|месяц"
    r"|год)\w{0,2}|назад|с понедельника|(?:понедельник|вторник|четверг|воскресень)\w{0,2}|сред[уы]|пятниц\w|суббот\w"
    r"|буду|будем|собира(?:юсь|емся)|планирую|(?:январ|феврал|апрел|июн|июл|сентябр|октябр|ноябр|декабр)[ьяе]"
    r"|март[ае]?|мая|август[ае]?)\b",
    "ar": r"\b[وفب]?(?:أمس|البارحة|اليوم|غدا|الليلة|(?:الأسبوع|الشهر|العام|اليوم) (?:الماضي|القادم|المقبل|التالي)"
    r"|السنة (?:الماضية|القادمة|المقبلة)|منذ|قبل|يوم (?:الاثنين|الإثنين|الثلاثاء|الأربعاء|الخميس|الجمعة|السبت|الأحد)"
    r"|سأ\w{2,12}|سوف|أنوي|يناير|فبراير|مارس|أبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر)\b",
}
# What is to be done from now on, or never: how a sentence begins that says so. Languages without a line of their own
# share the first, here and among the phrases.
_RULE = {
    "": r"(?:(?:and|but|please|und|aber|bitte|y|pero|por favor|et|mais|e|ma|mas)\W+){0,2}"
    r"(?:never (?!mind|better)|always |from now on|nie(?:mals)? |immer |ab (?:jetzt|sofort|heute)\b|nunca |jamás "
    r"|siempre |a partir de ahora|jamais |toujours |désormais|mai |sempre |d'ora in poi|a partir de agora"
    r"|绝不|不要再|以后都|二度と|必ず)",
    "nl": r"(?:(?:en|maar|alsjeblieft|graag)\W+){0,2}(?:nooit |altijd |vanaf nu|voortaan|(?!(?:ik|jij|je|hij|zij|ze"
    r"|wij|we|er|het|dat)\b)\w+ (?:me|mij|ons|het|dit|dat|die|er) (?:nooit|altijd) )",
    "pl": r"(?:(?:i|a|ale|proszę)\W+){0,2}(?:nigdy |zawsze |od (?:teraz|dziś|dzisiaj)\b)",
    "ru": r"(?:(?:и|а|но|пожалуйста)\W+){0,2}(?:(?:больше )?никогда |всегда |отныне |впредь |с этого (?:дня|момента))",
    "ar": r"(?:لكن\W+|من فضلك\W+){0,2}[وف]?(?:لا ت\w+\s.{0,80}\bأبدا?|إياك |دائما |من الآن فصاعدا|أبدا لا )",
}
# Thanks, greetings, cheers: how a sentence begins that holds nothing.
_PHRASE = {
    "": r"(?:wow|thanks?|thank you|thx|congrats|congratulations|hey|hi|hello|yeah|yep|yup|cool|awesome|great|nice|sure"
    r"|ok(?:ay)?|sounds|good (?:luck|morning|night|idea|for|to)|of course|no problem|you're|you got|absolutely"
    r"|definitely|totally|exactly|agreed?|glad|keep|let's|don't|remember|just|take care|have (?:a|fun)|enjoy|bye"
    r"|see you|talk|looking forward|can't wait|i agree|i totally|i hope|hope|i wish|wish|i believe|i bet|i'm sure"
    r"|i appreciate|i'm (?:so )?(?:glad|happy|proud|sorry)|i know|i understand|i hear|proud"
    r"|(?:let me|lemme|i'll let you) know|i'll (?:definitely )?keep you|appreciate|happy (?:to|for)|aw+|ha(?:ha)+"
    r"|lol|danke\w*|hallo|super|toll|schön|herzlichen|klar|genau|gern\w*|gute[nrs]?|viel|freut|gracias|hola|genial|claro"
    r"|vale|perfecto|buen[oa]s?|qué bien|me alegro|merci|bonjour|salut|super|génial|d'accord|parfait|bravo|grazie|ciao"
    r"|bene|certo|perfetto|obrigad[oa]|oi|olá|ótimo|claro|parabéns|谢谢|你好|好的|恭喜|加油|ありがとう|こんにちは|おめでとう"
    r"|はい|いいですね)(?!\w)",
    "nl": r"(?:wow|bedankt|dank\w*|hoi|hallo|hey|hé|doei|ok[eé]|goed(?:emorgen|enavond|endag|zo)?|prima|leuk|super"
    r"|geweldig|gefeliciteerd|natuurlijk|precies|graag gedaan|wat (?:een (?:mooi|goed|leuk)|mooi|leuk|fijn)"
    r"|tot (?:morgen|later)|veel (?:succes|plezier)|ha(?:ha)+)(?!\w)",
    "pl": r"(?:wow|dzięk\w*|dziękuj\w*|cześć|hej|witaj|dzień dobry|dobr(?:y wieczór|anoc|ze)|ok|okej|super|świetnie"
    r"|fajnie|gratul\w*|oczywiście|dokładnie|to (?:super|świetn\w*|wspania\w*)|jasne|na razie|pa|powodzenia|miłego"
    r"|ha(?:ha)+)(?!\w)",
    "ru": r"(?:вау|спасибо|благодарю|привет\w*|здравствуй\w*|добр(?:ый|ое|ой) (?:день|утро|вечер|ночи)|ок(?:ей)?"
    r"|хорошо|отлично|супер|здорово|класс(?=[!.,]|$)|поздравля\w*|конечно|точно|удачи|(?:это"
    r"|как) (?:просто )?(?:здорово|замечательно|прекрасно|отлично)|(?:ну )?ладно|ха(?:ха)+)(?!\w)",
    "ar": r"(?:شكرا|مرحبا|أهلا|السلام عليكم|صباح (?:الخير|النور)|مساء (?:الخير|النور)|حسنا|تمام|ممتاز|رائع|مبروك|طبعا"
    r"|بالطبع|بالضبط|مع السلامة|إلى اللقاء|بالتوفيق|عفوا|هذا (?:خبر )?(?:رائع|جميل|ممتاز)|هه+)(?!\w)",
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
    "nl": r"\b(?:dat|dit|hem|ervan|daarvan|daarmee|daarvoor)\b(?!\s+\w)",
    "pl": r"\b(?:tego|tym|temu|tamto)\b(?!\s+\w)",
    "ru": r"\b(?:этого|этому|этим|этом|это)\b(?!\s+\w)",
    "ar": r"\b(?:ذلك|هذا|هذه|تلك)\b(?!\s+\w)",
}
# Somebody is or has something; in Russian and Arabic, who is or has it.
_IS_OR_HAS = {
    "en": r"\b(?:am|is|are|was|were|has|have|had|got)\b|['’](?:m|s|ve|re)\b",
    "de": r"\b(?:bin|ist|sind|war|waren|hab|habe|hat|haben|hatten?)\b",
    "es": r"\b(?:soy|es|somos|son|estoy|está|estamos|están|era|fue|tengo|tiene|tenemos|tienen)\b",
    "fr": r"\b(?:suis|est|sommes|sont|était|étaient|ai|a(?= (?:une?|le|la|des|du)\b)|avons|ont)\b",
    "it": r"\b(?:sono|è|siamo|era|erano|ho|ha|abbiamo|hanno)\b",
    "pt": r"\b(?:sou|é|somos|são|estou|está|estamos|estão|era|foi|tenho|tem|temos|têm)\b",
    "zh": r"是|有|得了|患",
    "ja": r"^(?=.*[ぁ-ん])",  # the verb is last
    "nl": r"\b(?:ben|is|zijn|was|waren|heb|heeft|hebben|hadden)\b",
    "pl": r"\b(?:jestem|jest|jesteśmy|są|był[aoiy]?|mam|ma|mamy|mają|to|nie(?= żyj))\b",
    "ru": r"\b(?:я|мы|у (?:меня|нас|него|неё|нее|мамы|папы)|мама|папа|был[аои]?|это)\b|—",
    "ar": r"\b(?:أنا|نحن|عندي|عندنا|لدي|لدينا|أ(?:مي|بي|ختي|خي))\b",
}
# Somebody likes something, or does not.
_TASTE = {
    "en": r"\bI(?:'m| am)?(?: \w+){0,2} (?:like|love|adore|enjoy|prefer|hate|dislike|detest|fond of|fan of)\b"
    r"|\bI can(?:['’]?t|not) stand\b",
    "de": r"\bich(?: \w+)? (?:mag|liebe|hasse|bevorzuge|(?:esse|trinke)\b.{0,30}\bgern)\b"
    r"|\b(?:mag|liebe|hasse) ich\b",
    "es": r"\bme (?:gustan?|encantan?|fascinan?)\b|\b(?:odio|prefiero|detesto|adoro|amo)\b",
    "fr": r"\bj['’]\s?(?:aime|adore)\b|\bje (?:n['’]aime|préfère|déteste|hais)\b",
    "it": r"\bmi piac(?:e|ciono)\b|\b(?:adoro|amo|odio|preferisco|detesto)\b",
    "pt": r"\b(?:gosto|adoro|amo|odeio|prefiro|detesto)\b",
    "zh": r"我[^，。]{0,4}(?:喜欢|爱|讨厌)",
    "ja": r"(?:大?好き|嫌い|苦手)(?:です|だ|。|$)",
    "nl": r"\bik (?:\w+ )?(?:hou|haat|lust|vind\b.{0,30}\b(?:lekker|leuk|vies))\b",
    "pl": r"\b(?:lubię|kocham|uwielbiam|wolę|nienawidzę|nie znoszę)\b",
    "ru": r"\b(?:люблю|обожаю|ненавижу|предпочитаю)\b|\bмне нрав[ия]тся\b",
    "ar": r"\b(?:أحب|أعشق|أكره|أفضل)\b",
}
_FEWEST_TASTE_STEMS = 2  # one for "like" and one for what is liked; where no blanks part words, both are one
# Where somebody is, with whom, or of what they speak.
_PLACE = (
    r"(?:at|with|by|to|from|in|on|off|of|bei\w*|zum|zur|im|mit|vom|con|chez|au|avec|dal|com|bij|op|met|na|z|w|u|у|с|в|на|к"
    r"|от|في|مع|على)\b"
)
# Concepts of what somebody is or has for long, or of what changes a life; and those whom somebody has.
_CONDITIONS = frozenset(
    """allergy baby_pregnancy breakup death diet illness mental_health religion smoking wedding""".split()
)
_OWN = frozenset(
    """brother child father grandparents inlaws mother parents partner pet relatives siblings sister eyes hearing
    """.split()
)
_NOT_ALIVE = frozenset({"bike", "car", "device", "utilities"})
# What is written as a part of the word behind it: in Arabic "and", "so", "in", "for".
_GLUED = {"ar": ("و", "ف", "ب", "ل")}
KNOWN = tuple(one for one in _EVENTS if one in STOP_WORDS)


def weighs(language: str) -> bool:
    """Whether there are words of *language* here, so that a sentence without any of them tells little."""
    return language in _EVENTS or language in _DENSE_EVENTS


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
    return pattern is not None and _begins(pattern, text)


def is_vague(text: str, *, language: str) -> bool:
    """Whether it points at something that was said before, anywhere."""
    return _found(_VAGUE, text, language)


def is_rule(text: str, *, language: str) -> bool:
    """Whether it begins as what is to be done from now on does: "never restart it in the evening"."""
    return _begins(_RULE.get(language, _RULE[""]), text)


def is_phrase(text: str, *, language: str) -> bool:
    """Whether it begins as thanks, greetings and cheers do."""
    return _begins(_PHRASE.get(language, _PHRASE[""]), text)


def tells_taste(text: str, found: frozenset[str], *, language: str) -> bool:
    """Whether somebody says what they like or do not; *found* are its stems. "I love you" and "I like it" do not."""
    if is_to_another(text, language=language) or is_vague(text, language=language):
        return False
    # A text so short may be in any language.
    is_said = any(ignoring_case(pattern).search(text) for pattern in _TASTE.values())
    return is_said and len(found) >= (1 if language in _DENSE_EVENTS else _FEWEST_TASTE_STEMS)


def states_life(text: str, *, language: str) -> bool:
    """
    Whether a short sentence states something of a life: who is ill, dead, a nurse or a cat, or has cancer or children.

    So short a sentence may be in any language, whatever the talk around it is in.
    """
    if is_to_another(text, language=language) or is_vague(text, language=language):
        return False
    return any(_states_life(text, own) for own in _IS_OR_HAS)


def _states_life(text: str, language: str) -> bool:
    found = ignoring_case(_IS_OR_HAS[language]).search(text)
    if found is None:
        return False
    said, told = concepts(text, language=language), text[found.end() :]
    if said & _NOT_ALIVE or _begins(_PLACE, told):
        return False
    meant = concepts(told, language=language)
    return bool(meant & (_CONDITIONS | _OWN)) or names_occupation(told, language=language)


def language_of_sentence(words: tuple[str, ...], *, language: str) -> str:
    """*language*, or another one of ``KNOWN`` whose function words the folded *words* clearly hold instead."""
    known = {one: sum(word in _stop_words(one) for word in words) for one in (*KNOWN, language)}
    best = max(known, key=lambda one: known[one])
    return best if known[best] >= known[language] + 2 else language


@cache
def _stop_words(language: str) -> frozenset[str]:
    return frozenset(tokens(STOP_WORDS.get(language, "")))


@cache
def _stemmed(words: str, language: str) -> frozenset[str]:
    forms = [f"{glued}{word}" for word in words.split() for glued in ("", *_GLUED.get(language, ()))]
    return frozenset(stems(" ".join(forms), language=language)) if forms else frozenset()


def _found(table: Mapping[str, str], text: str, language: str) -> bool:
    pattern = table.get(language)
    return pattern is not None and ignoring_case(pattern).search(text) is not None


def _begins(pattern: str, text: str) -> bool:
    return ignoring_case(rf"\W*(?:{pattern})").match(text) is not None
