"""
Which kind of task a text speaks of: code, a text for somebody, something to cook, a translation.

Read alike in what somebody wants now and in what they said once of all tasks of a kind.
"""

from __future__ import annotations

import re

LONGEST = 600  # characters that are looked at; of a longer text both ends
_CODE = (
    r"```|\bcod(?:e|ing|ez?|ice)\b|\bc[óo]digo|\bscripts?\b|\bskript|\bfun(?:ction|ktion|ción|zion|ção|cties?|kcj)"
    r"|\bfonction|python|javascript|typescript|\bjava\b|\brust\b|golang|\bsql\b|\bregex|\bhtml\b|\bcss\b|\bbash\b"
    r"|docker|kubernetes|\bk8s\b|containeri[sz]|pandas|polars|numpy|django|flask|fastapi|\breact\b|\bapi\b"
    r"|\btype ?hints?\b|\bunit ?tests?\b|pytest|refactor|refaktor|compil|debug|\bbugs?\b|stack ?trace|\bexception"
    r"|\bgit\b|\bjson\b|\byaml\b|\bcsv\b|\bpars(?:e|es|er|ing|t)\b|программ|\bкод(?:а|у|е|ом)?\b|скрипт|функци"
    r"|\bkod(?:u|zie|em)?\b|programmier|代码|代碼|程序|编程|脚本|函数|コード|プログラム|スクリプト|関数|كود|برمج"
    r"|برنامج"
)
_TEXT = (
    r"\be?-?mails?\b|\bmailtjes?\b|\bmaila\b|\bletters?\b|\bmessages?\b|\btext[eos]?s?\b|\bcover letter|\binvit"
    r"|\bcongratulat|\b(?:birthday|greeting|thank[- ]you) cards?\b|\bspeech\b|\btoast for\b|\bnewsletter|\blinkedin"
    r"|\b(?:blog|facebook|instagram) ?posts?\b|\bpropos(?:al|ta)s?\b"
    r"|\bnachricht|\b(?:ein|einen|den|dem|der|een|de) brief\b|\b\w{0,20}briefe[ns]?\b|\b\w{3,20}brief\b|\beinladung"
    r"|\bbewerbung|\bglückw[uü]nsch"
    r"|\banschreiben\b|\beine rede\b|\bcorreos?\b|\bcartas?\b|\bmensajes?\b|\bfelicitaci|\bdiscurso"
    r"|\bcourriels?\b|\blettres?\b|\bdiscours\b|\bfélicitations|\blettere?a?\b|\bmessaggi|\btest[oi] (?:per|a|al)\b"
    r"|\bauguri\b|\bdiscorso|\bmensage(?:m|ns)\b|\bconvite|\bbericht(?:en|je|jes)?\b|\btekst|\buitnodiging"
    r"|\bwiadomoś|\bzaproszeni|\bżyczeni|\blist do\b|\blisty\b|письм|сообщени|\bтекст|приглашени|поздравлени"
    r"|邮件|郵件|短信|书信|写信|一封信|文章|邀请函|贺卡|メール|手紙|メッセージ|文章|招待状|رسالة|رسائل|بريد|خطاب"
)
_RECIPE = (
    r"\brecip(?:e|es)\b|\bcook|\bmeals?\b|\bdinner|\bdish(?:es)?\b|\bbak(?:e|es|ing)\b|\brezept|\bkoch(?:e|en|st|t)?\b"
    r"|\bgerichte?\b|\babendessen\b|\brecetas?\b|\bcocin|\bcenar?\b|\brecettes?\b|\bcuisin|\bdîner\b|\brepas\b"
    r"|\bricett|\bcucin|\breceitas?\b|\bcozinh|\bjantar\b|\brecept|\bkook|\bkoken\b|\bavondeten\b|\bprzepis|\bgotow"
    r"|\bugotow|\bobiad|\bkolacj|рецепт|готовить|приготов|ужин|обед|食谱|菜谱|做菜|晚饭|做饭|レシピ|料理|夕飯|献立"
    r"|وصفة|وصفات|طبخ|أطبخ|عشاء"
)
_TRANSLATION = (
    r"\btranslat|übersetz|\btraduc|\btradui|\btraduz|\bvertaal|\bvertal|tłumacz|перевод|перевед|переведи|翻译|翻譯"
    r"|翻訳|訳し|ترجم"
)
_KINDS = {
    "code": re.compile(_CODE, re.IGNORECASE),
    "text": re.compile(_TEXT, re.IGNORECASE),
    "recipe": re.compile(_RECIPE, re.IGNORECASE),
    "translation": re.compile(_TRANSLATION, re.IGNORECASE),
}


def task_kinds(text: str) -> frozenset[str]:
    """The kinds of task that *text* speaks of: some of "code", "text", "recipe" and "translation"."""
    looked_at = text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}\n{text[-LONGEST // 2 :]}"
    return frozenset(kind for kind, pattern in _KINDS.items() if pattern.search(looked_at))
