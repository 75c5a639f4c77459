"""What standing instructions are about, who is spoken to, and what takes one back: words of all languages together."""

from __future__ import annotations

import re

# What takes an earlier instruction back. It never comes up itself, so it may be loose.
LIFTS = (
    r"(?:(?:ok|okay|hey|and|und|y|et|e|en|a|и|actually|well|btw|please|pls|bitte|now|oh)[\s,]{1,3}){0,3}(?:"
    r"(?:you (?:can|may)|feel free to|(?:it'?s|its|it is) (?:ok|okay|fine|alright) (?:to|if you))(?: now| again)? "
    r"(?:use|suggest|write|give|explain|ask|call|recommend|mention|answer|reply|send|speak|talk|go back|apologi[sz]e)"
    r"\b.{0,60}?\b(?:again|now|after all|any ?way|if you (?:like|want))\b"
    r"|.{2,40}? (?:is|are) (?:fine|ok|okay|allowed|welcome|alright)(?: with me)? (?:again|now|after all)"
    r"|(?:you (?:don'?t|do not) (?:have|need) to|no need to) .{2,60}? any ?(?:more|longer)"
    r"|forget (?:about )?(?:the|my|that) (?:rule|instruction)"
    r"|(?:du (?:kannst|darfst)|sie (?:können|dürfen)) .{0,40}?(?:wieder|jetzt doch|ab jetzt wieder)\b.{0,40}"
    r"|.{2,40}? (?:ist|sind|wäre|wären) (?:jetzt |nun |ab jetzt )?(?:wieder|doch) (?:ok|okay|in ordnung|erlaubt|gut)"
    r"|.{2,40}? (?:ist|sind) (?:jetzt|nun|ab jetzt) (?:ok|okay|in ordnung|erlaubt)"
    r"|du musst (?:nicht mehr|.{2,40}? nicht mehr)\b"
    r"|(?:ya |ahora )?(?:puedes|puede) (?:volver a|usar|escribir|recomendar|sugerir).{0,40}"
    r"|.{0,10}?(?:ya no (?:hace falta|tienes que)).{0,40}|.{2,40}? ya están? bien"
    r"|(?:tu peux|vous pouvez) (?:de nouveau|à nouveau|maintenant|.{2,40}? (?:à|de) nouveau).{0,40}"
    r"|tu n'(?:as|es) plus (?:besoin|obligé).{0,40}"
    r"|(?:adesso |ora )?(?:puoi|può) (?:di nuovo|tornare a|.{2,40}? (?:di nuovo|adesso|ora)).{0,40}"
    r"|non (?:serve|devi|c'è bisogno).{0,20} più\b"
    r"|(?:agora )?(?:você |vc )?(?:pode|podes) (?:voltar a|.{2,40}? (?:de novo|novamente|agora)).{0,40}"
    r"|não precisa mais.{0,40}|je (?:mag|kunt|kan) (?:nu |gerust )?(?:weer|.{2,40}? weer).{0,40}"
    r"|je hoeft niet meer.{0,40}|(?:już |teraz )?możesz (?:znowu|znów|już|.{2,40}? znowu).{0,40}|nie musisz już.{0,40}"
    r"|(?:теперь )?(?:ты )?(?:можешь|можно) (?:снова|опять|.{2,40}? (?:снова|опять)).{0,40}|больше не нужно.{0,40}"
    r"|(?:你|现在)?(?:又|现在)?(?:可以|能)(?:再|又|重新|继续).{1,20}了?|不用再.{1,20}了"
    r"|.{1,20}?(?:また|もう)(?:使っ|書い|勧め|話し).{0,4}て(?:も)?(?:いい|大丈夫|OK|構わない)"
    r"|(?:يمكنك|تستطيع) .{0,40}?(?:مجددا|مجدداً|مرة أخرى|الآن)"
    r")"
)

# Behind these, what follows is somebody else's.
REPORTS = (
    r"\b(?:said|says|told|tells|goes|wrote|writes|reads|motto|quote|saying|lyrics|poem|story|sagte?|sagt|meinte?"
    r"|schrieb|erzählte|dijo|dice|decía|escribió|dit|disait|a dit|écrit|diceva|ha detto|scrive|disse|diz|falou"
    r"|zei|zegt|schreef|powiedział\w*|mówi|mówił\w*|napisał\w*)\b"
    r"|сказал|говорит|написал|[说說](?:过|了)?|告诉我?|言っ|قال|قالت|يقول"
)

# Who is spoken to: whoever tells what they do themselves says neither "please" nor "to me".
TO_ME = re.compile(
    r"(?<!\w)(?:please|pls|plz|me|bitte|mir|mich|dein\w*|por favor|porfa|s'il (?:te|vous) pla[iî]t|stp|svp|moi"
    r"|per favore|pfv|graag|alsjeblieft|aub|mij|proszę|mi|mnie|пожалуйста|мне|меня)(?!\w)"
    r"|\w(?:ame|eme|ime|ammi|immi|armi|erti|arti)\b|-(?:me|moi)\b|请|給我|给我|跟我|对我|ください|下さい|ないで|من"
    r" فضلك|رجاء|\w{2}ني\b",
    re.IGNORECASE,
)

# What is to be kept away, or brought up, by its own name.
TOPICS = re.compile(
    r"suggest|recommend|mention|bring up|propos|schlag|vorschl|empf[ie]|erwähn|sugi?er|suger|recomi?end|menci[oó]n"
    r"|suggèr|conseil|parle[rz]? (?:pas|plus|jamais)? ?de|suggeri|consigli|menzion|nomin|sugira|stel\b|voorst|raad\b"
    r"|aanra|vermeld|polec|sugeruj|wspomin|предлаг|совет|рекоменд|упомин|推荐|推薦|建议|提起|勧め|薦め|すすめ|提案"
    r"|تقترح|اقتر|تنصح|توص",
    re.IGNORECASE,
)

# How the bot talks, by what about it.
MANNERS = {
    "length": re.compile(
        r"\b(?:short|brief|concise|long|length|detail|verbose|wordy|explanations?|essays?|kurz|kürzer|knapp"
        r"|lange?[nrs]?\b"
        r"|ausführlich|erklärungen|cort[ao]|breve?s?\b|bre[fv]|larg[ao]|detall|explicaci|court|brèv|longue?|détail"
        r"|explication|lung[ah]|dettagli|spiegazion|curt[ao]|explicaç|kort|bondig|uitleg|krót|zwięź|dług|wyjaśnie)"
        r"|коротк|кратк|короче|проще|лаконичн|длинн|подробн|объяснени|简短|简洁|精简|短一?[点些]|详细|短く|短め|簡潔|手短|箇条書き|以内|以下|長い|詳し|قصير"
        r"|مختصر|طويل|شرح",
        re.IGNORECASE,
    ),
    "emoji": re.compile(
        r"emoji|émoji|smiley|emotic|emotik|emote?k|faccin|carinha|caritas|смайл|эмодзи|表情|絵文字|顔文字|رموز|الرموز"
        r"|إيموجي"
        r"|ايموجي",
        re.IGNORECASE,
    ),
    "language": re.compile(
        r"\b(?:english|german|french|spanish|italian|portuguese|dutch|polish|russian|chinese|japanese|arabic"
        r"|englisch|deutsch|französisch|spanisch|italienisch|portugiesisch|niederländisch|polnisch|russisch|inglés"
        r"|alemán|francés|español|italiano|anglais|allemand|français|espagnol|italien|inglese|tedesco|francese"
        r"|spagnolo|inglês|alemão|francês|espanhol|português|engels|duits|frans|spaans|nederlands|angielsk|niemieck"
        r"|francusk|polsk)"
        r"|английск|немецк|русск|французск|英[语文]|中文|汉语|德[语文]|法[语文]|日[语文]|英語|日本語|中国語|ドイツ語"
        r"|フランス語"
        r"|الإنجليزية|الانجليزية|العربية|الفرنسية|الألمانية",
        re.IGNORECASE,
    ),
    "name": re.compile(
        r"\b(?:call(?:ing)? me|address me|first name|nenn\w* (?:sie )?mich|ll[aá]m[ae](?:me|rme|s)|m'appel"
        r"|appel\w+-moi"
        r"|chiam(?:ami|armi)|me cham|chama-me|noem (?:me|mij)|mów mi|nazywaj mnie)|зови меня|называй меня|叫我|称呼我"
        r"|呼んで|呼ばないで|ناد",
        re.IGNORECASE,
    ),
    "address": re.compile(
        r"\b(?:duz|siez|per du|du zu mir|sie zu mir|tut[eé]|de tú|de usted|tutoi|vouvo|tutoy|vouvoy|del tu|del lei"
        r"|por tu"
        r"|por você|zeg (?:maar )?(?:je|jij|u)\b)|на (?:ты|вы)\b|敬語|[タた]メ口",
        re.IGNORECASE,
    ),
    "tone": re.compile(
        r"\b(?:apolog|sorry|lectur|flatter|how i'?m|i feel|formal|casual|polite|blunt|jokes?\b|entschuldig|fühl"
        r"|floskel"
        r"|belehr|disculp|perdón|cómo (?:estoy|me siento)|excus|comment je|scus|come sto|desculp|como (?:estou|me"
        r" sinto)"
        r"|verontschuldig|hoe ik|hoe het|przepra|jak się)|извин|чувств|как я|как дела|道歉|感受|感觉|心情|謝|気持ち"
        r"|気分"
        r"|تعتذر|اعتذار|أشعر|حالي",
        re.IGNORECASE,
    ),
}
