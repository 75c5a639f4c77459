"""The words by which people give a bot standing instructions, a row a language."""

from __future__ import annotations

from typing import NamedTuple


class Words(NamedTuple):
    """
    Patterns of one language, each for the beginning of a clause.

    ``polite`` may stand before any. ``always`` and ``from_now`` with one of ``verbs`` instruct, and ``from_now`` with
    ``only``. ``fixed`` instruct by themselves; ``when`` does for what it names. A text follows on ``rules`` that is no
    quotation. ``asks``: a question that begins so requests.
    """

    polite: str
    always: str
    from_now: str
    verbs: str
    only: str
    fixed: str
    when: str
    rules: str
    asks: str
    has_spaces: bool = True


_BOTS_EN = r"(?:your |the |all )?(?:answers|replies|responses|messages|explanations|texts to me)"
_GERUNDS_EN = (
    r"apologi[sz]ing|saying sorry|asking (?:me|if|how)|using (?!my\b|drugs)|suggesting|recommending|mentioning"
    r"|lecturing|calling me|repeating|explaining|telling me|bringing up|being so|(?:all )?the emojis|with the"
    r"|ending (?:your|every|each)|starting (?:your|every|each)|adding|flattering"
)
WORDS = {
    "en": Words(
        polite=r"please|pls|plz|ok|okay|hey|hi|btw|also|and|but|so|oh|just|now|by the way|can you|could you|would you"
        r"|will you|you should|you must|you have to|i want you to|i'd like you to|i would like you to|i need you to"
        r"|i'd prefer you to|remember to|make sure to|make sure you|be sure to|try to|one (?:more )?thing",
        always=r"always|never(?: ever| again)?|don'?t ever|do not ever|only ever|by default|every time|each time"
        r"|without exception",
        from_now=r"from now on|from here on(?: out| in)?|going forward|starting (?:now|today)|in (?:the )?future"
        r"|from today(?: on)?|for all future (?:answers|chats)|henceforth|permanently",
        verbs=r"answer|reply|respond|write(?! off| (?:it |that )?down)|(?:give|send|show|tell|ask|remind|correct) me"
        r"|use(?! (?:your|the (?:stairs|back|front|same)|sun\w+|protection))|call me|address me|explain(?! yourself|,)"
        r"|(?:speak|talk) (?:to me|in\b|like)|suggest|recommend|mention|bring up|include|format|translate"
        r"|apologi[sz]e(?! for being)|lecture|flatter|assume i\b|code\b|comment your|cite|summari[sz]e"
        rf"|keep (?:it (?:short|brief)|{_BOTS_EN})|(?:start|end|begin|sign) (?:your|every|each|all|my|as|with)"
        r"|add (?:a |an |the |some )?(?:sources?|units?|comments?|emojis?|types?|tests?|links?|examples?"
        r"|translations?)"
        r"|make (?:your|it short)|be (?:brief|concise|blunt|formal|direct with me|honest with me)|avoid"
        r"|stop (?:using|asking|saying|apologi)|say (?:you|sorry)|propose",
        only=r"(?:only |just |no (?:more )?)(?:\w+ ){0,3}?(?:answers?|replies|emojis?|code|words|explanations?"
        r"|questions"
        r"|english|german|french|spanish|italian|portuguese|dutch|polish|russian|chinese|japanese|arabic)\b"
        r"|(?:short|brief|long|shorter|longer) (?:answers|replies)",
        fixed=rf"keep {_BOTS_EN} (?:\w+ )?\w+"
        r"|(?:always|never(?: ever| again)?|don'?t ever|from now on|going forward|in future|starting (?:now|today)),? "
        r"(?:please )?(?:use(?! (?:my|your|the|it|this|that|sun\w+|protection)\b)|suggest|recommend|avoid (?!the)"
        r"|include)\b"
        r"|call me (?!back|later|when|tomorrow|tonight|at\b|on\b|if\b|in\b|now|asap|again|crazy|old|maybe|today|this"
        r"|after|before|mad|stupid|paranoid|weird|whatever|any|an?\b|by\b|please|ok|up\b|out\b|lazy|and\b|or\b)\w"
        r"|(?:don'?t|do not|never) (?:ever )?(?:call me(?! (?:back|later|at|on|after|before|tonight|today|again))\b"
        r"|ask me (?:how|what i feel|about my|if i'?m|so many|questions)"
        r"|(?:suggest|recommend|mention|bring up) [^.,;]{1,50} (?:to me|again|any ?more|ever)\b"
        r"|use (?:\w+ )?(?:emojis?|smileys|markdown|bullet points?|tables|slang|jargon|exclamation marks|em ?dashes"
        r"|headings|big words|long words|comments|pandas)\b|apologi[sz]e (?:so|all|to me|every|for every|constantly)"
        r"|lecture me|flatter me|end (?:your|every)|explain (?:your code|everything|the code unless))"
        rf"|(?:please )?stop (?:{_GERUNDS_EN})"
        r"|no (?:more )?(?:emojis?|smileys?|markdown|bullet points?|lectures|long (?:answers|explanations|texts)"
        r"|essays"
        r"|disclaimers|apologies|flattery|follow-?up questions|small talk|em ?dashes)"
        r"(?: (?:please|pls|ever|with me|any ?more|at all|in (?:your|the) (?:answers|replies)|for me))?\s*[.!]*$"
        r"|no (?:more )?[\w+#]{2,20},? (?:please,? )?i (?:always |only |prefer to )?(?:use|prefer|work with) (?!my"
        r"|the|an?\b)"
        r"|(?:short|shorter|brief) (?:answers|replies)(?: only)?(?:,? (?:please|pls))?\s*[.!]*$"
        r"|i (?:prefer|'d prefer|would prefer|like|want|only want) (?:short|brief|long|detailed)\w* (?:answers"
        r"|replies)"
        r"|i (?:hate|don'?t like|can'?t stand|dislike) (?:it )?when you (?!leave|die|go|are)\w+"
        r"|you (?:don'?t|do not) (?:have|need) to (?:apologi[sz]e|explain everything)(?! for (?:that|this|it))"
        r"|(?:use my first name|address me as|(?:speak|talk) to me (?:in|like) )",
        when=r"(?:when(?:ever)?|if|every time|each time|anytime) (?:you (?:write|answer|reply|suggest|recommend"
        r"|translate"
        r"|explain|code|give me|show me|send me|help me|make me|draft|plan|correct|summari[sz]e|list|quote)"
        r"|i (?:ask (?:you )?(?:for|to|about)|ask you|want (?:you to|a|some)|need (?:a|some|code|you)|request"
        r"|send you|paste|show you|give you))(?!(?: \w+){0,4} (?:this|that|these) )[^.?!]{0,80}?[\s,:]{1,3}"
        r"(?:then )?(?:please |pls |just )?(?:always|never|no\b|only|keep|don'?t|do not|use|make (?:it|them)|give me"
        r"|answer|reply|write (?!this|the)|add|include|skip|leave out|avoid|stick to|sign|be (?:brief|short|honest)"
        r"|without)\b",
        rules=r"\b(?:rules?|from now on|going forward|remember|instructions?|preferences?|please|in future)\b.{0,20}$",
        asks=r"(?:please |hey |ok |and )?(?:can|could|would|will) you\b",
    ),
    "de": Words(
        polite=r"bitte|ok|okay|hey|hi|und|aber|also|ach|übrigens|achso|ja|nein|kannst du|könntest du|würdest du"
        r"|können sie|könnten sie|du sollst|du solltest|ich möchte,? dass du|ich will,? dass du|ich hätte gern,? dass"
        r" du"
        r"|merk dir|denk dran|denk daran|noch was|mal|mir|mich|doch",
        always=r"immer|stets|nie(?:mals)?(?: wieder| mehr)?|nur noch|ausschließlich|grundsätzlich|jedes ?mal|generell",
        from_now=r"ab (?:jetzt|sofort|heute)|von (?:jetzt|nun|heute) an|in (?:der )?zukunft|künftig|zukünftig|fortan",
        verbs=r"antworte?(?:n sie)?|schreibe?(?:n sie)?|gib|geben sie|nenne?|sage?|nutze?|verwende?(?:n sie)?|benutze?"
        r"|erkläre?|zeige?|schlage?|empfiehl|empfehlen sie|frage?|rede?|sprich|sprechen sie|formuliere?|übersetze?"
        r"|fasse?|halte?|mache?|entschuldige? dich|erwähne?|erinnere?|duze?|sieze?"
        r"|(?:\w+ ){0,4}(?:antworten|schreiben|verwenden|benutzen|empfehlen|vorschlagen|duzen|siezen|antwortest"
        r"|schreibst|verwendest|benutzt|nennst|vorschlägst|empfiehlst)",
        only=r"(?:bitte )?(?:nur|keine?n?|immer|kurze?|auf|du\b|per du)\b.{0,30}",
        fixed=r"(?:nenn|nenne|nennen sie) mich (?!nicht (?:so|verrückt)|verrückt|altmodisch|ruhig|naiv|gern|alt\b"
        r"|blöd)\w"
        r"|(?:sag|sagen sie) (?:ruhig |gerne? |bitte )?(?:du|sie|\w+) zu mir\b|du kannst mich (?:ruhig )?duzen"
        r"|(?:duz|sie[zs]|duze|sieze) mich\b"
        r"|(?:hör|höre|hören sie) (?:bitte )?(?:endlich )?auf,? (?:dich (?:immer |ständig |dauernd )?zu entschuldigen"
        r"|mich .{0,40}zu (?:fragen|nennen|siezen|duzen|belehren)|.{0,30}zu (?:verwenden|benutzen)|mit den?\b)"
        r"|(?:frag|frage) mich (?:bitte )?nicht (?:\w+ )?(?:wie|ob|nach|so viel|ständig|dauernd|immer)"
        r"|(?:schlag|schlage) mir (?:bitte )?(?:nie|niemals|kein\w*|nicht)\b.{0,60}"
        r"|(?:empfiehl|empfehle) mir (?:bitte )?(?:nie|niemals|kein\w*)\b(?! (?:buch|film) )"
        r"|(?:entschuldige?) dich nicht (?:immer|ständig|dauernd|so oft|mehr)"
        r"|(?:halte?|halten sie) (?:deine|die|ihre) (?:antworten|texte|erklärungen|nachrichten) "
        r"|(?:verwende|benutz|benutze|nutze|nutz|schick|mach) (?:bitte )?keine (?:emojis?|smileys?|floskeln|listen)\b"
        r"|keine? (?:emojis?|smileys?|floskeln|langen (?:antworten|texte|erklärungen)|belehrungen|rückfragen|romane)"
        r"(?: (?:mehr|bitte|nie|in deinen antworten))*\s*[.!]*$"
        r"|(?:bitte )?(?:nur )?(?:kurze|kürzere|knappe) antworten(?: bitte)?\s*[.!]*$"
        r"|ich (?:mag|hasse) (?:es )?(?:nicht|gar nicht)?,? wenn du (?!gehst|weg)\w+"
        r"|(?:sprich|rede) (?:bitte )?(?:auf )?\w+ mit mir\b",
        when=r"(?:wenn|falls|immer wenn|jedes ?mal,? wenn|sobald) (?:du (?:mir |für mich |was |etwas )?(?:[\w-]+"
        r" ){0,4}?"
        r"(?:schreibst|antwortest|erklärst|übersetzt|vorschlägst|codest|formulierst|gibst|machst|empfiehlst|planst"
        r"|hilfst|zeigst|korrigierst)|ich (?:dich |nach |um |dir |was )(?:[\w-]+ ){0,5}?(?:bitte|frage|frag|will"
        r"|brauche"
        r"|schicke|gebe))[\s,]{1,3}(?:[\w-]+ ){0,2}?(?:bitte|dann|immer|nie|niemals|keine?n?|nur|ohne|nimm|verwende"
        r"|benutz|mach|schreib|lass|gib|halt)\b",
        rules=r"\b(?:regeln?|ab jetzt|ab sofort|von jetzt an|merk dir|in zukunft|bitte|künftig"
        r"|anweisung\w*)\b.{0,20}$",
        asks=r"(?:bitte |hey |ok |und )?(?:kannst du|könntest du|würdest du|können sie|könnten sie)\b",
    ),
    "es": Words(
        polite=r"por favor|porfa|oye|y|pero|ok|vale|ah|bueno|puedes|podrías|puede|podría|quiero que|quisiera que"
        r"|prefiero que|recuerda|me|te pido que|una cosa|además|también|no",
        always=r"siempre|nunca(?: más)?|jamás|únicamente|cada vez",
        from_now=r"(?:a partir|de) (?:de )?(?:ahora|hoy)(?: en adelante)?|desde (?:ahora|hoy)|en (?:el futuro"
        r"|adelante)"
        r"|de aquí en adelante",
        verbs=r"resp[oó]nd\w*|cont[eé]st\w*|escr[ií]b\w*|dame|deme|des\b|usa|use|uses|utili[cz]\w+|ll[aá]m(?:ame|eme"
        r"|es)"
        r"|h[aá]bla\w*|hable|hables|expl[ií][cq]\w*|sugi?er\w+|recomiend\w+|menciones?|pregunt[ae]\w*|recuérdame"
        r"|trad[uú][cz]\w*|haz|hazme|mantén|evita|evite|propong\w+|pongas?|digas?|dime|tut[eé]\w+|tr[aá]tame",
        only=r"(?:solo|sólo|nada de|sin|no|respuestas)\b.{0,30}",
        fixed=r"ll[aá]m(?:ame|eme) (?!cuando|luego|mañana|si\b|a las|por la|al\b|hoy|más tarde|loc[oa]|después|ya\b"
        r"|antes|en\b|por favor|el\b|esta)\w"
        r"|tut[eé]ame\b|tr[aá]t[ae]me de (?:tú|usted)\b|háblame de (?:tú|usted)\b|no me (?:llames|tutees|trates de)\b"
        r"|(?:deja|deje|para|pare|basta) de (?:disculparte|disculparse|pedir(?:me)? (?:perdón|disculpas)|preguntarme"
        r"|usar (?:tantos )?(?:emojis|emoticonos)|llamarme|decirme|sermonearme|recomendarme|sugerirme|hablarme de)"
        r"|no me (?:preguntes (?:cómo|qué tal|si|por|más|tanto)|(?:recomiendes|sugieras|propongas|hables de"
        r"|menciones) )"
        r"|nunca (?:más )?me (?:recomiendes|sugieras|propongas|hables|preguntes|llames|menciones|digas|des|pongas)\b"
        r"|no (?:uses|utilices|pongas) (?:más |nunca )?(?:emojis|emoticonos|caritas|listas|tecnicismos)\b"
        r"|(?:sin|nada de|no más) (?:emojis|emoticonos|caritas|explicaciones largas|sermones)(?:,? por"
        r" favor)?\s*[.!]*$"
        r"|respuestas (?:más )?(?:cortas|breves)(?:,? por favor)?\s*[.!]*$"
        r"|(?:mantén|haz|quiero|prefiero) (?:tus |las |que tus )?respuestas (?:sean )?(?:más )?(?:cortas|breves"
        r"|largas)"
        r"|(?:odio|no me gusta) (?:que|cuando) (?:te|me|usas?|uses)\b",
        when=r"(?:cuando|siempre que|si|cada vez que) (?:te pid[ao]|te pregunte?|me (?:escribas|respondas|recomiendes"
        r"|des"
        r"|sugieras|traduzcas|hagas|ayudes|expliques)|escribas|traduzcas|expliques)\b[^.?!]{0,80}?[\s,:]{1,3}(?:por"
        r" favor"
        r"|siempre|nunca|sin|solo|sólo|nada de|no|que sean|usa|haz|hazlo|evita|pon|responde|dame|escribe)\b",
        rules=r"\b(?:reglas?|a partir de ahora|desde ahora|recuerda|de ahora en adelante|por favor"
        r"|instrucciones)\b.{0,20}$",
        asks=r"¿?(?:por favor |y )?(?:puedes|podrías|puede|podría)\b",
    ),
    "fr": Words(
        polite=r"s'il (?:te|vous) pla[iî]t|stp|svp|ok|et|mais|bon|alors|au fait|oh|hé|peux-tu|tu peux|pourrais-tu"
        r"|pouvez-vous|je veux que tu|je voudrais que tu|j'aimerais que tu|je préfère que tu|pense à|n'oublie pas de"
        r"|merci de|autre chose|aussi|ne|n'|me",
        always=r"toujours|(?:plus )?jamais(?: plus)?|systématiquement|uniquement|à chaque fois",
        from_now=r"dorénavant|désormais|à partir de (?:maintenant|là|aujourd'hui)|d'ici|à l'avenir|dès maintenant"
        r"|maintenant",
        verbs=r"(?:n'|ne |ne m'|ne me )?(?:répond\w*|écri\w+|donne\w*|utilise\w*|emploie\w*|appelle\w*|tutoie\w*"
        r"|vouvoie\w*"
        r"|parle\w*|explique\w*|propose\w*|suggère\w*|recommande\w*|conseille\w*|mentionne\w*|demande\w*|rappelle\w*"
        r"|tradui\w+|fais|faites|formule\w*|évite\w*|reste (?:bref|concis|poli)|sois (?:bref|brève|concis)\w*|mets"
        r"|dis)",
        only=r"(?:seulement|que|pas de|plus de|aucun|uniquement|des réponses|réponses|en)\b.{0,30}",
        fixed=r"appel(?:le|ez)-moi (?!quand|plus|demain|si\b|à\b|ce soir|après|avant|dès|fou|folle|vite|au\b|sur\b)\w"
        r"|tutoie-moi|vouvoie-moi|tutoyez-moi|vouvoyez-moi|dis-moi (?:tu|vous)\b|on (?:peut )?se tutoie(?=\s*[.!,]|$)"
        r"|ne m'appelle (?:pas|plus|jamais)\b"
        r"|(?:arrête|arrêtez|cesse|cessez) (?:de t'excuser|de vous excuser|de me (?:demander|dire|proposer|suggérer"
        r"|vouvoyer|tutoyer|faire la morale)|de m'appeler|d'utiliser|avec (?:les|tes)|de proposer)"
        r"|ne me (?:demande|propose|suggère|recommande|conseille|parle|vouvoie|dis) (?:plus|jamais|pas (?:comment|si"
        r"|de))"
        r"|n'utilise (?:pas|plus|jamais) d'(?:emojis?|émojis?|smileys?)|ne mets (?:pas|plus|jamais) d'(?:emojis?"
        r"|émojis?)"
        r"|(?:pas|plus) (?:d'(?:emojis?|émojis?)|de (?:smileys?|listes|longues explications|réponses longues|blabla))"
        r"(?: (?:stp|svp|s'il te pla[iî]t|s'il vous pla[iî]t|merci))?\s*[.!]*$"
        r"|(?:des )?réponses (?:plus )?(?:courtes|brèves)(?:,? (?:stp|svp|s'il te pla[iî]t|merci))?\s*[.!]*$"
        r"|(?:garde|gardez|fais|faites) (?:tes|vos|des) réponses (?:plus )?\w+"
        r"|(?:je déteste|je n'aime pas) (?:quand tu|que tu) (?!pars)\w+",
        when=r"(?:quand|lorsque|si|chaque fois que) (?:tu (?:m'|me )?(?:écris|réponds|traduis|recommandes|proposes"
        r"|expliques|donnes|fais|codes)|je te (?:demande|demanderai)|je demande)\b[^.?!]{0,80}?[\s,:]{1,3}(?:stp"
        r"|s'il te pla[iî]t|toujours|jamais|pas d[e']|sans|seulement|que d[eu]s?|utilise|fais|évite|reste|écris"
        r"|donne|réponds|mets|n'|ne )\b",
        rules=r"\b(?:règles?|dorénavant|désormais|à partir de maintenant|rappelle-toi|consignes?)\b.{0,20}$",
        asks=r"(?:stp |et )?(?:peux-tu|tu peux|pourrais-tu|pouvez-vous|est-ce que tu peux)\b",
    ),
    "it": Words(
        polite=r"per favore|per piacere|ok|e|ma|senti|ah|puoi|potresti|può|potrebbe|vorrei che|voglio che|preferisco"
        r" che"
        r"|ricorda(?:ti)? di|cerca di|un'altra cosa|anche|mi|non",
        always=r"sempre|mai(?: più)?|ogni volta|esclusivamente|solo",
        from_now=r"d'ora in (?:poi|avanti)|da ora in (?:poi|avanti)|da adesso(?: in poi)?|da oggi in poi|in futuro",
        verbs=r"rispond\w+|scriv\w+|dammi|dai|usa|usi|usare|utilizz\w+|chiama\w*|parla\w*|parli|spieg\w+|suggeri\w+"
        r"|consigli\w+|menziona\w*|nomina\w*|chied\w+|ricordami|tradu\w+|fai|fammi|tieni|evita|propon\w+|dimmi|dire"
        r"|metti|mettere",
        only=r"(?:solo|niente|nessun|senza|risposte|in )\b.{0,30}",
        fixed=r"chiamami (?!quando|dopo|domani|se\b|alle|più tardi|stasera|appena|subito|pazz|prima|oggi|al\b|ora\b)\w"
        r"|dammi del (?:tu|lei)\b|mi dia del (?:tu|lei)\b|diamoci del tu\b|non chiamarmi (?!quando|dopo|prima|al\b)\w"
        r"|(?:smetti|smettila|smetta|basta)(?: di| con)? (?:scusarti|chiedere scusa|chiedermi|usare|chiamarmi|propormi"
        r"|suggerirmi|consigliarmi|farmi la predica|le? (?:emoji|faccine|scuse)|emoji|faccine)"
        r"|non (?:mi )?(?:consigliar|suggerir|propor|chieder|nominar|parlar)\w* (?:mai|più|come sto|mai più)"
        r"|non (?:chiedermi|dirmi) (?:come|sempre|più|mai)|non usare (?:mai |più )?(?:emoji|faccine|elenchi)\b"
        r"|(?:niente|senza|basta) (?:emoji|faccine|spiegazioni lunghe|prediche)(?:,? per favore)?\s*[.!]*$"
        r"|risposte (?:più )?(?:brevi|corte)(?:,? per favore)?\s*[.!]*$"
        r"|(?:tieni|mantieni|fai) le (?:tue )?risposte (?:più )?\w+|(?:odio|non mi piace) quando (?:ti|mi|usi)\b",
        when=r"(?:quando|ogni volta che|se) (?:ti (?:chiedo|chiederò)|mi (?:scrivi|rispondi|consigli|traduci|dai"
        r"|spieghi"
        r"|suggerisci|fai|aiuti)|scrivi|traduci|spieghi)\b[^.?!]{0,80}?[\s,:]{1,3}(?:per favore|sempre|mai|senza|solo"
        r"|niente|non|usa|fai|evita|metti|rispondi|dammi|scrivi)\b",
        rules=r"\b(?:regol[ae]|d'ora in poi|da ora in poi|ricorda|istruzioni)\b.{0,20}$",
        asks=r"(?:per favore |e )?(?:puoi|potresti|può|potrebbe)\b",
    ),
    "pt": Words(
        polite=r"por favor|pfv|ok|e|mas|olha|ah|pode|podes|poderia|você pode|vc pode|quero que|queria que|prefiro que"
        r"|lembra de|lembre-se de|tenta|outra coisa|também|me|não|você|vc",
        always=r"sempre|nunca(?: mais)?|jamais|toda vez|somente",
        from_now=r"(?:a partir|de) (?:de )?(?:agora|hoje)(?: em diante)?|daqui (?:em diante|(?:pra|para) (?:a"
        r" )?frente)"
        r"|doravante|no futuro|de agora em diante",
        verbs=r"respond\w+|escrev\w+|me d[êe]|dá-me|dê|us[ae]s?|utiliz\w+|cham[ae]\w*(?:-me)?|fal[ae]s?|expli[cq]\w+"
        r"|sug[ei]r\w+|recomend\w+|mencion\w+|pergunt\w+|lembr\w+|traduz\w*|faz|faça|mant[ée]\w*|evit[ae]|propon\w+"
        r"|diga|diz|coloque|mande",
        only=r"(?:só|apenas|nada de|sem|respostas|em )\b.{0,30}",
        fixed=r"(?:me cham[ae]|chama-me|chame-me)(?: de| por)? (?!quando|depois|amanhã|se\b|às|mais tarde|de louc"
        r"|para\b"
        r"|pra\b|no\b|à\b|antes|hoje|atenção)\w"
        r"|(?:trata-me|me trat[ae]) por (?:tu|você)\b|não me cham[ea]\b"
        r"|(?:para|pare|deixa|deixe) de (?:se desculpar|pedir desculpas?|te desculpares|me (?:perguntar|chamar|sugerir"
        r"|recomendar|dar sermão)|usar|perguntar)"
        r"|não me (?:pergunt|sug[ei]r|recomend|mand|fal)\w+ (?:mais|nunca|como|se|de|tanto)\b"
        r"|nunca (?:mais )?me (?:recomend|sug[ei]r|pergunt|cham|fal|dê|mand)\w*"
        r"|não us[ae]s? (?:mais |nunca )?(?:emojis?|carinhas|listas|gírias)\b"
        r"|(?:sem|nada de|chega de) (?:emojis?|carinhas|explicações longas|sermão)(?:,? (?:por favor|pfv))?\s*[.!]*$"
        r"|respostas (?:mais )?(?:curtas|breves)(?:,? (?:por favor|pfv))?\s*[.!]*$"
        r"|(?:mantenha|mantém|faz|faça) (?:as )?(?:suas |tuas )?respostas (?:mais )?\w+"
        r"|(?:odeio|não gosto) quando (?:você|vc|tu) (?!vai|sai)\w+",
        when=r"(?:quando|sempre que|se|toda vez que) (?:eu (?:te |lhe )?(?:pedir|perguntar)|te pedir|(?:você |vc"
        r" )?(?:me )?"
        r"(?:escrever(?:es)?|responder|recomendar|traduzir|explicar|sugerir|der|fizer"
        r"|ajudar))\b[^.?!]{0,80}?[\s,:]{1,3}"
        r"(?:por favor|sempre|nunca|sem|só|apenas|nada de|não|use|usa|faz|faça|evite|evita|coloque|responda|escreva"
        r"|me dê)\b",
        rules=r"\b(?:regras?|a partir de agora|de agora em diante|lembre-se|instruções)\b.{0,20}$",
        asks=r"(?:por favor |e )?(?:você pode|vc pode|pode|podes|poderia)\b",
    ),
    "nl": Words(
        polite=r"alsjeblieft|alstublieft|aub|graag|ok|oké|en|maar|hé|trouwens|oh|kun je|kan je|zou je|wil je|kunt u"
        r"|ik wil dat je|ik wil graag dat je|je moet|onthoud|denk eraan|nog iets|ook|mij|me",
        always=r"altijd|nooit(?: meer)?|voortaan|uitsluitend|elke keer|standaard",
        from_now=r"vanaf (?:nu|vandaag)|van nu af(?: aan)?|voortaan|in het vervolg|in de toekomst",
        verbs=r"antwoord\w*|schrijf\w*|schrijven|geef|gebruik\w*|noem|praat|spreek|leg|stel|raad|vraag|vertaal|maak"
        r"|hou"
        r"|houd|zeg|vermeld|verontschuldig|suggereer|begin|tutoyeer",
        only=r"(?:alleen|geen|enkel|korte|in het|nooit)\b.{0,30}",
        fixed=r"noem (?:me|mij) (?!gek|maar gek|ouderwets)\w|zeg (?:maar |gerust )?(?:je|jij|u)\b(?: tegen me)?"
        r"|tutoyeer me\b"
        r"|(?:stop|hou|houd) (?:(?:er )?(?:op )?met|op met) (?:je (?:steeds |telkens )?te verontschuldigen|sorry"
        r" zeggen"
        r"|(?:me|mij) (?:te )?\w+|vragen|(?:die |al die )?emoji|excuses|(?:het )?gebruik\w*|voorstellen)"
        r"|vraag (?:me|mij) (?:niet|nooit)(?: meer| steeds| telkens)? (?:hoe|of|naar)"
        r"|(?:stel|raad) (?:me|mij) (?:nooit|geen)\b|verontschuldig je niet (?:steeds|altijd|meer|telkens)"
        r"|gebruik (?:alsjeblieft |aub )?(?:geen|nooit) (?:emoji'?s?|smileys|opsommingen|markdown)\b"
        r"|geen (?:emoji'?s?|smileys|lange (?:antwoorden|uitleg|teksten))(?: meer)?(?:,? (?:graag|alsjeblieft"
        r"|aub))?\s*[.!]*$"
        r"|(?:hou|houd|maak) (?:je|uw) (?:antwoorden|berichten|uitleg) \w+"
        r"|(?:kortere?|bondige) antwoorden(?:,? (?:graag|alsjeblieft|aub))?\s*[.!]*$"
        r"|ik (?:haat|vind) het (?:niet (?:fijn|leuk) |vervelend |irritant )?als je (?!weg)\w+",
        when=r"(?:als|wanneer|telkens als|elke keer (?:als|dat)) (?:je (?:voor |me |mij |mijn )?(?:[\w-]+"
        r" ){0,4}?(?:schrijft"
        r"|antwoordt|vertaalt|uitlegt|aanraadt|voorstelt|geeft|maakt|helpt)|ik (?:je |jou |om |naar )(?:[\w-]+ ){0,5}?"
        r"(?:vraag|wil))[\s,]{1,3}(?:[\w-]+ ){0,2}?(?:graag|dan|altijd|nooit|geen|alleen|zonder|gebruik|maak|schrijf"
        r"|geef|hou|doe|alsjeblieft|aub)\b",
        rules=r"\b(?:regels?|vanaf nu|voortaan|onthoud|instructies?)\b.{0,20}$",
        asks=r"(?:en |hé )?(?:kun je|kan je|zou je|wil je|kunt u)\b",
    ),
    "pl": Words(
        polite=r"proszę|ok|okej|a|i|ale|hej|aha|czy możesz|możesz|mógłbyś|mogłabyś|czy może pan|chcę,? żebyś|wolę,?"
        r" żebyś"
        r"|chciał[ae]?bym,? żebyś|pamiętaj,? żeby|pamiętaj|jeszcze jedno|też|mi|do mnie|nie",
        always=r"zawsze|nigdy(?: więcej| już)?(?: nie)?|za każdym razem|wyłącznie|każdorazowo",
        from_now=r"od (?:teraz|dziś|dzisiaj|tej pory)|odtąd|w przyszłości|na przyszłość",
        verbs=r"odpowiadaj\w*|pisz\w*|używaj\w*|dawaj\w*|podawaj\w*|nazywaj\w*|mów\w*|zwracaj\w*|tłumacz\w*"
        r"|proponuj\w*"
        r"|polecaj\w*|sugeruj\w*|wspominaj\w*|pytaj\w*|wyjaśniaj\w*|rób\w*|stosuj\w*|unikaj\w*|przepraszaj\w*"
        r"|odpowiadał\w*|pisał\w*|używał\w*",
        only=r"(?:tylko|bez|żadnych|po|krótkie|krótko)\b.{0,30}",
        fixed=r"(?:mów mi|mów do mnie|nazywaj mnie|zwracaj się do mnie) \w"
        r"|przestań (?:przepraszać|pytać|mnie|używać|proponować|polecać|mówić do mnie|mi)\b"
        r"|nie (?:pytaj mnie|proponuj mi|polecaj mi|sugeruj mi|nazywaj mnie|mów do mnie|przepraszaj (?:ciągle|za"
        r" każdym)"
        r"|używaj (?:emoji|emotek|emotikon\w*|żargonu))\b"
        r"|(?:bez|żadnych) (?:emoji|emotek|emotikon\w*|długich (?:odpowiedzi|wyjaśnień))(?:,? proszę)?\s*[.!]*$"
        r"|(?:krótkie|krótsze|zwięzłe) odpowiedzi(?:,? proszę)?\s*[.!]*$|(?:pisz|odpowiadaj) (?:mi )?(?:krótko|krócej"
        r"|zwięźle)"
        r"|nie (?:lubię|znoszę),? (?:kiedy|gdy|jak) (?:ciągle )?(?:mnie|mi|przepraszasz|używasz|pytasz)",
        when=r"(?:kiedy|gdy|jak|jeśli|zawsze gdy|za każdym razem,? gdy) (?:(?:cię )?proszę (?:cię )?o|(?:mi |dla mnie"
        r" )?"
        r"(?:piszesz|odpowiadasz|tłumaczysz|polecasz|proponujesz|wyjaśniasz|podajesz)|pytam (?:cię )?o)\b[^.?!]{0,80}?"
        r"[\s,:]{1,3}(?:proszę|zawsze|nigdy|bez|tylko|nie|żadnych|używaj|pisz|dawaj|podawaj|to)\b",
        rules=r"\b(?:zasad[ay]|reguł[ay]|od teraz|odtąd|pamiętaj|instrukcj\w+)\b.{0,20}$",
        asks=r"(?:proszę |a )?(?:czy )?(?:możesz|mógłbyś|mogłabyś|może pan)\b",
    ),
    "ru": Words(
        polite=r"пожалуйста|пж|ок|окей|и|а|но|эй|слушай|кстати|можешь|мог бы ты|могла бы ты|можете|хочу,? чтобы ты"
        r"|хотел\w*"
        r" бы,? чтобы ты|помни|запомни|ещё|еще|также|мне|меня|со мной|не|только",
        always=r"всегда|никогда(?: больше)?(?: не)?|каждый раз|исключительно",
        from_now=r"отныне|с (?:этого момента|сегодняшнего дня|этих пор)|впредь|в будущем|в дальнейшем|теперь",
        verbs=r"отвечай\w*|пиши\w*|используй\w*|давай(?:те)? мне|называй\w*|зови\w*|говори\w*|обращай\w*|объясняй\w*"
        r"|предлагай\w*|советуй\w*|рекомендуй\w*|упоминай\w*|спрашивай\w*|переводи\w*|делай\w*|избегай\w*|извиняй\w*"
        r"|отвечал\w*|писал\w*|использовал\w*",
        only=r"(?:только|без|никаких|на|коротк\w+|кратко)\b.{0,30}",
        fixed=r"(?:зови|зовите|называй|называйте) меня \w|обращайся ко мне|обращайтесь ко мне|давай на ты\b"
        r"|не (?:зови|называй) меня\b"
        r"|(?:перестань|хватит|прекрати|перестаньте) (?:извиняться|спрашивать|меня|использовать|предлагать|мне)\b"
        r"|не (?:спрашивай (?:меня|больше)|предлагай(?:те)? (?:мне|больше)|советуй мне|рекомендуй мне|упоминай при мне"
        r"|извиняйся (?:каждый|постоянно|всё время|так)|используй(?:те)? (?:эмодзи|смайл\w+|жаргон\w*))"
        r"|(?:без|никаких) (?:эмодзи|смайл\w+|длинных (?:ответов|объяснений))(?:,? пожалуйста)?\s*[.!]*$"
        r"|(?:короткие|краткие) ответы(?:,? пожалуйста)?\s*[.!]*$|отвечай(?:те)? (?:мне )?(?:коротко|кратко|короче"
        r"|на)\b"
        r"|(?:пиши|отвечай|говори|объясняй)(?:те)? (?:мне |со мной )?(?:только |всегда )?(?:(?:по)?(?:короче|проще)"
        r"|кратко|коротко|подробнее|понятнее|лаконичн\w+|вежливее|на (?:ты|вы)|по-\w+)(?:,? пожалуйста)?\s*[.!]*$"
        r"|(?:общай(?:ся|тесь)|говори(?:те)?|разговаривай(?:те)?|давай(?:те)?) (?:со мной |ко мне )?(?:только )?на"
        r" (?:ты|вы)\b"
        r"|(?:хочу|хотел\w*(?: бы)?|прошу|нужно),? чтобы (?:ты|вы) (?:(?:всегда|только|мне|со мной) ){0,2}(?:отвечал"
        r"|писал|говорил|объяснял|общал|обращал)\w*(?: (?:мне|со мной|ко мне|только)){0,2} (?:кратко|коротко"
        r"|(?:по)?(?:короче|проще)|подробн\w+|без \w+|по-\w+|на \w+)"
        r"|(?:не люблю|ненавижу|терпеть не могу),? когда ты (?!уход)\w+",
        when=r"(?:когда|если|каждый раз,? когда|всякий раз,? когда) (?:я (?:тебя )?(?:прошу|попрошу|спрашиваю)|(?:ты"
        r" )?(?:мне )?"
        r"(?:пишешь|отвечаешь|переводишь|советуешь|предлагаешь|объясняешь|даёшь|даешь))\b[^.?!]{0,80}?[\s,:]{1,3}"
        r"(?:пожалуйста|всегда|никогда|без|только|не|никаких|используй|пиши|давай)\b",
        rules=r"\b(?:правил[оа]|отныне|с этого момента|запомни|впредь|инструкци\w+)\b.{0,20}$",
        asks=r"(?:пожалуйста |а )?(?:ты )?(?:можешь|можете|мог бы|могла бы)\b",
    ),
    "zh": Words(
        polite=r"请|請|好的|嗯|那|还有|另外|对了|麻烦|拜托|你|您|能不能|可以|我希望|我要|我想|记住|就",
        always=r"总是|總是|一直|永远不?|永遠不?|每次都?|一律|始终|千万",
        from_now=r"以后|以後|今后|今後|从现在(?:开始|起)|從現在(?:開始|起)|从今(?:天|往后|以后)(?:开始|起)?|之后|往后",
        verbs=r"(?:请|都|也|就|只|必须|要|不要|别|不许|不用|不能|再|给我|跟我|和我|对我|用\S{1,6}?){0,5}(?:回答|回复"
        r"|答复|写|说话|说|用|使用"
        r"|叫我|称呼|给我|推荐|建议|提|问我|道歉|解释|翻译|简短|简洁)",
        only=r"(?:只|不要|别|都|一律).{1,12}",
        fixed=r"(?:不要|别|不许)再?(?:给我|跟我|向我|对我)?(?:再)?(?:推荐|建议|提起|问我|叫我|道歉|说教)"
        r"|(?:不要|别)再?(?:用|使用|加|发)?(?:表情|表情符号|emoji)"
        r"|(?:以后)?叫我(?![起来去怎做们的吃多少别把在给跟到先不坐喝休好注回买带写请等帮看找学练戒停放]"
        r"|过)\S{1,8}(?:就好|就行|吧|，|。|$)"
        r"|称呼我|(?:你的)?(?:回答|回复)(?:请|要|尽量|都)?(?:简短|简洁|短一?[点些]|精简)|(?:回答|回复)(?:用"
        r"|使用)\S{1,4}[语文]"
        r"|我(?:不喜欢|讨厌)你(?:总|老|一直|用|问|道歉)",
        when=r"(?:每次|每当|当|如果|只要)?(?:我(?:让|叫|请|要|问|找)你?|你(?:帮我|给我|替我)?)(?:写|推荐|翻译|要|解释"
        r"|建议|做|给|问|菜谱|食谱)"
        r"\S{0,20}?(?:的?时候?|的话|时)[，, ]?(?:请|都|要|不要|别|用|只|总|永远|尽量|一定)",
        rules=r"(?:规则|从现在(?:开始|起)|以后|记住|要求).{0,8}$",
        asks=r"(?:你|您)?(?:能不能|可以|能)",
        has_spaces=False,
    ),
    "ja": Words(
        polite=r"あと|それと|では|じゃあ|ね|ちなみに|お願い|すみません|えっと|私には|僕には|私に|僕に|もう",
        always=r"いつも|必ず|毎回|常に|絶対に?|二度と|決して|ずっと",
        from_now=r"これから(?:は)?|今後(?:は)?|今から(?:は)?|次から(?:は)?|以後",
        verbs=r".{0,40}?(?:答え|返事し|返信し|回答し|書い|使っ|話し|教え|呼ん|説明し|訳し|し|つけ|入れ"
        r"|やめ)て(?:ください|下さい|ね|欲しい|ほしい|くれ)"
        r"|.{0,40}?(?:勧め|薦め|すすめ|提案し|使わ|聞か|呼ば|謝ら|言わ|し|書か)ないで",
        only=r".{0,20}?(?:だけ|なし|禁止|で(?:お願い|いい|よろしく)).{0,8}",
        fixed=r".{0,30}?(?:勧め|薦め|すすめ|提案し)ないで(?:ください|下さい|ね|ほしい|欲しい)?[。！!]*$"
        r"|(?!これ|この|それ|その|あの).{0,12}?(?:絵文字|顔文字)(?:は|を)?(?:なし|使わないで|禁止|やめて|いらない"
        r"|不要)"
        r"|(?:私|僕|俺)の?こと(?:は|を)?.{1,12}(?:と|って)呼んで|(?!.*(?:医者|救急|警察|タクシー)).{1,10}(?:と"
        r"|って)呼んで(?:ください|下さい|ね)?[。！!]*$"
        r"|(?:回答|返事|返信|答え)(?:は|を)(?:もっと)?(?:短く|簡潔に|短めに|\S{1,4}語で)|(?:謝る|謝り|敬語)(?:のは?"
        r"|は|を)?やめて"
        r"|(?:もっと|なるべく|できるだけ)?"
        r"(?:短く|簡潔に|簡単に|手短に|短めに|丁寧に|箇条書きで|敬語で|[タた]メ口で|[^\s。、の]{1,4}語で)"
        r"(?:答え|返事し|返信し|回答し|返し|話し)て(?:ください|下さい|ね|ほしい|欲しい)?[。！!]*$"
        r"|(?:敬語|[タた]メ口|専門用語|横文字|略語)(?:は|を)?"
        r"(?:使わないで|なしで|禁止)(?:ください|下さい|ね|ほしい|欲しい)?[。！!]*$"
        r"|(?:返信|返事|回答|答え)は[、 ]?(?:全部|必ず)?"
        r"(?:[^\s。、]{1,8}(?:以内|以下|程度)|箇条書き|短め|簡潔|敬語なし|[タた]メ口)"
        r"(?:で|に)(?:お願い(?:します)?|よろしく|して|答えて|書いて)?(?:ください|下さい|ね)?[。！!]*$"
        r"|(?:気分|気持ち|調子).{0,12}聞かないで|.{0,12}って(?:呼ば|言わ)ないで",
        when=r".{1,24}?(?:書く|頼む|頼んだ|お願いする|お願いした|聞く|聞いた|訊く|訳す|翻訳する|勧める|薦める"
        r"|提案する|教える|くれる|作る)(?:とき|時|場合)(?:は|に|には)?[、 ]?.{0,30}?"
        r"(?:て(?:ください|下さい|ね|ほしい|欲しい)?|ないで|なし|だけ|で)",
        rules=r"(?:ルール|これから|今後|覚えて).{0,8}$",
        asks=r".{0,40}(?:もらえ|くれ|いただけ)",
        has_spaces=False,
    ),
    "ar": Words(
        polite=r"من فضلك|رجاء|رجاءً|لو سمحت|حسنا|حسناً|و|لكن|هل يمكنك|ممكن|أريدك أن|اريدك ان|أريد منك أن|تذكر أن|أيضا",
        always=r"دائما|دائماً|دوما|دومًا|أبدا|أبداً|ابدا|في كل مرة|كل مرة",
        from_now=r"من الآن(?: فصاعدا| فصاعداً)?|من الان(?: فصاعدا)?|بعد الآن|بعد اليوم|مستقبلا|مستقبلاً|في المستقبل|من"
        r" اليوم",
        verbs=r"أجب\w*|اجب\w*|رد\b|اكتب\w*|استخدم\w*|استعمل\w*|أعطني|اعطني|ناد[نِ]?ي\w*|تحدث|تكلم|اشرح|اقترح|ترجم|اجعل"
        r"|قل|"
        r"لا (?:تقترح|تستخدم|تستعمل|تسألني|تنصحني|تعتذر|تنادني|تذكر|تكتب|توصني)\w*|تجيب\w*|تكتب|تستخدم",
        only=r"(?:فقط|بدون|بلا|لا أريد|إجابات)\b.{0,30}",
        fixed=r"نادني|ناديني|لا (?:تنادني|تناديني)|لا (?:تقترح علي|تسألني (?:كيف|عن)|تنصحني ب|توصني|تعتذر (?:كل"
        r"|دائما))"
        r"|لا تقترح (?:علي |عليّ )?.{1,30}(?:أبدا|أبداً|ابدا|مرة أخرى|بعد الآن)|(?:توقف|كف) عن (?:الاعتذار|استخدام"
        r"|سؤالي|اقتراح|مناداتي)"
        r"|(?:بدون|بلا|لا تستخدم) (?:رموز|الرموز|إيموجي|ايموجي|الإيموجي|الايموجي)|إجابات (?:قصيرة|مختصرة)"
        r"|اجعل (?:إجاباتك|اجاباتك|ردودك|أجوبتك)",
        when=r"(?:عندما|حين|كلما|إذا|لما) (?:أطلب منك|اطلب منك|طلبت منك|أسألك|تكتب|تكتبين|تجيب|تترجم|تقترح"
        r"|تشرح)[^.؟!]{0,80}?"
        r"[\s،,:]{1,3}(?:من فضلك|دائما|أبدا|بدون|بلا|فقط|لا|استخدم|اكتب|اجعل|اجعلها)",
        rules=r"(?:قاعدة|قواعد|من الآن فصاعدا|تذكر|تعليمات).{0,20}$",
        asks=r"(?:من فضلك )?(?:هل يمكنك|ممكن)",
    ),
}
