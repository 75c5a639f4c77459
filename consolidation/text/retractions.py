"""
Whether an answer takes back what its speaker said before: it says sorry, agrees with who denied it, or puts it right.

Closed classes of words, in the languages of ``speech_acts``.
"""

from __future__ import annotations

import re

from consolidation.text.speech_acts import LONGEST_BEGINNING
from consolidation.text.words import accents_optional, ignoring_case

# An answer that begins so takes back what the assistant said.
_CONCEDES = (
    r"(?:oh|ah|ach|ay|uy|ups|oops|okay|ok|of course|ja|sí|oui|en effet|effectivement)?[,.!\s]{0,4}+(?:"
    r"you(?:['’]re| are) right|right you are|my (?:mistake|bad|error|apologies)|sorry|apologies|i apologi[sz]e"
    r"|i stand corrected|corrected|noted|i mixed|i was wrong|thanks for (?:the correction|correcting)|quite right"
    r"|fixed|my fault|forgive"
    r"|du hast recht|stimmt(?!\w)(?! nicht)|entschuldig\w*|verzeih\w*|mein fehler|korrigiert|tut mir leid"
    r"|danke für die korrektur"
    r"|sorry|da lag ich falsch|richtig(?!\w)"
    r"|tienes razón|perdón|perdona|lo siento|disculpa|mi error|corregido|culpa mía|cierto|anotado"
    r"|tu as raison|pardon|désolée?|mea culpa|toutes mes excuses|au temps pour moi|autant pour moi|corrigé"
    r"|erreur de ma part|exact(?!\w)|bien vu|c['’]est noté"
    r"|hai ragione|scusa|mi dispiace|errore mio|corretto|tens razão|tem razão|(?:mil )?desculp[ae]s?|perd[ãa]o|foi mal"
    r"|erro meu|mil (?:perdones|disculpas)|mille (?:scuse|excuses)|duizend(?:maal)? excuses"
    r"|engano meu|voc[êe] está cert[oa]|corrigid[oa]"
    r"|je hebt gelijk|mijn fout|ты прав\w*|прости\w*|извини\w*|masz rację|przepraszam"
    r"|你说得对|抱歉|对不起|すみません|ごめん|失礼"
    r")"
)
# An answer that begins so has been put right.
_CORRECTS = (
    r"(?:(?:oh|ah|ach|ay|uy|ups|oops|okay|ok|of course|sorry|apologies|entschuldigung|entschuldige|perd[oó]na?|pardon"
    r"|désolée?|scusa|desculpa|przepraszam|извини|прости|抱歉|عذرا|آسف)[,.!\s،，]{0,4}+){0,2}"
    r"(?:you(?:['’]re| are) right|quite right"
    r"|my (?:mistake|bad|error)|i stand corrected"
    r"|corrected|fixed|i was wrong|i mixed|du hast recht|korrigiert|mein fehler|tienes razón|corregido|mi error"
    r"|tu as raison|corrigé"
    r"|mea culpa|au temps pour moi|autant pour moi|hai ragione|corretto|errore mio|tens razão|tem razão|corrigid[oa]"
    r"|erro meu|engano meu|voc[êe] está cert[oa]|je hebt gelijk"
    r"|mijn fout|gecorrigeerd|ты прав\w*|исправ(?:лено|ил\w*)|masz rację|poprawi(?:one|am|ł[ea]m)|moja pomyłka"
    r"|你说得对|更正|訂正|معك حق|أنت على حق|تم التصحيح)"
)
# An answer that says sorry, or agrees, and with the next word puts it right: "Sorry: nuts."
_ACKNOWLEDGES = (
    r"(?:oh|ah|ach|ay|uy|ups|oops|okay|ok|ja|sí|oui)?[,.!\s]{0,4}+(?:"
    r"sorry|apologies|right|correct|true|my (?:mistake|bad|error)|entschuldig\w*|verzeih\w*|stimmt|richtig|genau"
    r"|perd[oó]n\w*|disculpa|cierto|exacto|claro|pardon|désolée?|exact|scusa|giusto|esatto|certo|desculp[ae]"
    r"|perd[ãa]o|foi mal|isso mesmo|correto|exato"
    r"|klopt|juist|przepraszam|racja|zgadza się|oczywiście|moja pomyłka|извини\w*|прости\w*|верно|точно"
    r"|抱歉|对不起|對不起|すみません|ごめん|失礼しました|عذر[اًا]+|آسف[ةه]?|صحيح"
    r")\s?[:：—–]"
)
# Before an answer comes to the point: "Quite a train. Corrected: …", "Ah, good catch!".
_OPENING = (
    r"(?:^|[.!?…。！？」\"”»]\s{0,3})(?:(?:oh|ah|ach|ay|uy|oops|okay|ok|ja|sí|oui|oj|ой|ах|ああ|あ|哎呀|啊)"
    r"[,.!\s，、]{1,3})?"
)
# Who says this takes back what they said, wherever near the beginning of an answer it stands.
_RETRACTS = (
    rf"{_OPENING}(?:"
    r"(?:(?:i['’]?m )?(?:so |very )?sorry,? )?(?:i|that was me|i['’]ve) (?:guessed|misread|misremembered|misheard"
    r"|misunderstood|mixed|confused|assumed|made that up|was (?:wrong|mistaken|guessing)"
    r"|got (?:that|it|this|him|her|them|you|the \w+) (?:wrong|backwards|mixed up)|stand corrected|apologi[sz]e)"
    r"|(?:my|sincere|many|all my) (?:sincere |deepest )?(?:apologies|mistake|error|bad|fault)|apologies|forgive me"
    r"|pardon me|corrected(?=[:,.!])|fixed(?=[:,.!])|good catch|thanks? (?:you )?for (?:the correction"
    r"|correcting|clarifying|setting me straight)|you['’]?re (?:absolutely|quite|totally|completely|so)? ?right"
    r"|right you are|sorry(?:,? \w{2,20})?\s?[:：—–“\"]"
    r"|(?:ich bitte um )?(?:entschuldigung|entschuldige?|verzeihung|verzeih)|mein (?:fehler|versehen|irrtum)"
    r"|(?:ist )?korrigiert|danke (?:für die korrektur|fürs korrigieren)|da lag ich (?:falsch|daneben)"
    r"|(?:da )?(?:habe?|hab['’]?) ich (?:mich|da|was|das|dich|euch|sie|ihn|etwas) (?:\w+ )?(?:geirrt|vertan"
    r"|verwechselt|verlesen|falsch)|(?:da )?(?:hast du|du hast|haben sie) (?:\w+ )?recht|pardon(?!\w)"
    r"|perd[óo]n(?:a|e|ame|eme)?|discúlpame|disculpa|disculpe|(?:tienes?|tenés) (?:\w+ )?razón|corregido|lo corrijo"
    r"|(?:mi|fue mi) error|(?:error|culpa) mí[oa]|me (?:equivoqué|confundí|he (?:equivocado|confundido|liado))"
    r"|(?:te|los|las|lo|la|os) (?:mezclé|confundí)"
    r"|(?:toutes )?mes excuses|excuse(?:z)?-moi|(?:tu as|vous avez) (?:\w+ )?(?:à fait )?raison|corrigé|je corrige"
    r"|c['’]est corrigé|erreur de ma part|mon erreur|je me suis (?:trompée?|emmêlée?)|j['’]ai (?:confondu|mélangé"
    r"|mal (?:lu|compris))|mea culpa|(?:au temps|autant) pour moi"
    r"|scusa(?:mi|te|temi)?|scusi|chiedo scusa|(?:hai|ha) (?:\w+ )?ragione|corretto|correggo|(?:errore|colpa) mi[oa]"
    r"|mi sono (?:sbagliat|confus)[oa]|ho (?:sbagliato|confuso|frainteso)"
    r"|desculp(?:a|e|em|ame)|perdão|foi mal|(?:tens|tem|você tem) (?:\w+ )?razão|corrigid[oa]|corrijo"
    r"|(?:erro|engano|falha) minha|(?:erro|engano) meu|(?:me enganei|enganei-me|confundi|me confundi|troquei)"
    r"|(?:mijn |duizendmaal )?excuses|excuus|(?:je hebt|u heeft|u hebt) (?:\w+ )?gelijk|mijn fout|gecorrigeerd"
    r"|(?:een )?vergissing van mij|ik (?:vergiste me|zat ernaast|haalde \w+ door elkaar)"
    r"|przepraszam|wybacz(?:cie)?|(?:masz|ma pani?) (?:\w+ )?rację|moja pomyłka|mój błąd|poprawi(?:one|am|ł[ea]m)"
    r"|pomyli(?:łem|łam)"
    r"|прост(?:и|ите)|извин(?:и|ите)|прошу прощения|виноват|(?:ты|вы) (?:\w+ )?прав\w?|исправ(?:лено|ляю|ила?)"
    r"|моя ошибка|(?:я )?(?:ошиб(?:ся|лась)|(?:пере|на)путала?)"
    r"|عذر[اًا]+|آسف[ةه]?(?! جد)|[أا]عتذر|معك حق|[أا]نت (?:على حق|محق)|تم التصحيح|خط[أئ]ي|[أا]خط[أئ]ت|صحّ?حتها?"
    r")(?!\w)"
    rf"|{_OPENING}(?:抱歉|[对對]不起|不好意思|[你您]说得[对對]|(?:是|那是)?我(?:给)?[弄搞记記说說看想理解]{{0,2}}[错錯]了?|[弄搞记記说說看][错錯]了"
    r"|已(?:经)?(?:改|更正|修正)|改好了|更正|我的[错錯]|(?:大変|誠に|どうも)?(?:失礼し|失礼いた|すみません|すいません|申し訳|ごめん)|訂正|修正し"
    r"|間違え(?:まし|てい)|勘違い(?:し|でし)|おっしゃる(?:とお|通)り)"
)
# The same, where it is said that what was wrong is right now.
_IS_PUT_RIGHT = (
    rf"{_OPENING}(?:(?:there|i(?:['’]ve)?|now|ist|ya está|c['’]est)? ?(?:corrected|fixed|korrigiert|corregido|corrigé"
    r"|corretto|corrigido|gecorrigeerd|poprawione|исправлено)|已(?:经)?(?:改|更正|修正)(?:好了|了)?|改好了|تم التصحيح)"
    r"(?=[:：.!,。！，])"
)
# Behind a "sorry": then somebody can not do or find a thing, or did not hear it.
_IS_UNABLE = (
    r"(?<!\w)(?:(?:i|we) (?:still |just )?(?:can(?:not|['’]?t| not)|could(?:n['’]?t| not)|won['’]?t"
    r"|don['’]?t|do not|am (?:not |un)able|have no)|i didn['’]?t (?:catch|hear|get|follow|quite)|ich (?:kann|darf"
    r"|konnte|habe keinen|weiß)|(?:yo )?no (?:puedo|pude|tengo|sé)|je (?:ne |n['’])\w+|non (?:posso|riesco|ho|so)"
    r"|não (?:posso|consigo|tenho|sei)|(?:ik )?kan (?:ik )?(?:\w+ ){0,2}niet|nie (?:mogę|potrafię|mam|wiem)"
    r"|не (?:могу|умею|знаю|получ\w+)|لا [أا](?:ستطيع|عرف|علم))(?!\w)"
    r"|不能|无法|無法|没办法|做不到|不知道|できません|分かりません|わかりません"
)
# Right behind an apology: then it is for a delay, and for nothing that was said.
_FOR_A_DELAY = (
    r"[\s,]{1,3}(?:\w{2,20},? )?(?:(?:for|about|für|über|por|pour|per|pel[oa]|voor|za|за) )?"
    r"(?:(?:the|my|this|die|das|meine|la|el|le|l['’]|il|o|a|de|het) ?)?"
    r"(?:late(?!\w)|delay|wait(?!\w)|spät|verspät|verzöger|tardanza|demora|retraso|retard(?!\w)|attente|ritardo|attesa"
    r"|atraso|vertraging|opóźnieni|zwłok|опоздани|задержк)"
)
_QUOTED = re.compile('[„“"«「『][^„“”"»」』]*[”“"»」』]?')
_END = re.compile("[.!?。！？]")
_ASKS_BACK = re.compile(r"\s?[?？؟]")  # "Pardon?"
_LONGEST_WAY = 200  # characters before which an answer has come to the point


def concedes(text: str) -> bool:
    """Whether *text* begins by taking back what its speaker said before, or says sorry for it."""
    return _begins(_CONCEDES, text)


def corrects(text: str) -> bool:
    """Whether *text* says at its beginning, or behind its first sentence, that it is now put right."""
    return _begins(_CORRECTS, text) or _pattern(_IS_PUT_RIGHT).search(_outside_quotes(text)) is not None


def acknowledges(text: str) -> bool:
    """Whether *text* begins by saying sorry, or that it is so, and goes on with what is right: "Sorry: nuts."."""
    return _begins(_ACKNOWLEDGES, text)


def retracts(text: str) -> bool:
    """
    Whether *text* says near its beginning that its speaker was wrong: "Quite a train. Corrected: …", "Sorry: nuts.".

    Who only feels sorry for somebody, or says sorry for a delay or for what they can not do, takes nothing back.
    """
    beginning = _outside_quotes(text)
    found = _pattern(_RETRACTS).search(beginning)
    if found is None:
        return False
    rest = beginning[found.end() :]
    if _ASKS_BACK.match(rest) or _pattern(_FOR_A_DELAY).match(rest):
        return False
    return _pattern(_IS_UNABLE).search(_END.split(rest, maxsplit=1)[0]) is None


def _outside_quotes(text: str) -> str:
    """The beginning of *text* without the words of somebody else, or of a draft, that stand in it."""
    return _QUOTED.sub('"', text.strip()[:LONGEST_BEGINNING])[:_LONGEST_WAY]


def _pattern(text: str) -> re.Pattern[str]:
    return ignoring_case(accents_optional(text))


def _begins(pattern: str, text: str) -> bool:
    return _pattern(pattern).match(text.strip()[:LONGEST_BEGINNING]) is not None
