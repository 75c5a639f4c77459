"""
Whether somebody's words claim that nothing failed, and of what they claim it.

Closed classes of words, in the languages of ``speech_acts``. "Most went well" claims nothing of the kind, and who tells
of a failure as well claims it neither.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from consolidation.text.sentences import sentences

_WORDS = r"(?: [\w'’-]+){0,7}?"  # between "all" and what became of it
# Of one thing, as the sentence around them says: "the mails went out without errors".
_WITHOUT = (
    r"(?<!\w)(?:without (?:any |a (?:single )?)?(?:errors?|failures?|failing|problems?|issues?|trouble|hitch(?:es)?)"
    r"|error-?free|ohne (?:(?:einen |jeden |jedes |irgendwelche )?(?:einzigen )?)(?:fehler|fehlschläge?|probleme?"
    r"|schwierigkeiten)|fehlerfrei|fehlerlos|problemlos"
    r"|sin (?:ning[uú]n |un solo )?(?:error(?:es)?|fallos?|problemas?)"
    r"|sans (?:(?:aucune?|la moindre|le moindre) )?(?:erreurs?|échecs?|problèmes?|soucis?|encombre)"
    r"|senza (?:alcun |nessun |un solo )?(?:error[ei]|fallimenti|problem[ai])"
    r"|sem (?:nenhum |nenhuma |qualquer )?(?:erros?|falhas?|problemas?)"
    r"|zonder (?:een enkele |enige |enig )?(?:fout(?:en)?|mislukking(?:en)?|problemen|probleem)|foutloos|probleemloos"
    r"|bez (?:żadn\w+ |jednego )?(?:błęd\w+|niepowodze\w+|problem\w*)|bezbłędnie|bezproblemowo"
    r"|без (?:единой |единого |каких-либо |всяких )?(?:ошиб\w+|сбо\w+|проблем\w*)|безошибочно"
    r"|(?:بدون|دون|بلا) (?:أي )?(?:خطأ|أخطاء|فشل|مشاكل|مشكلة))(?!\w)"
    r"|[无無](?:任何)?(?:失败|失敗|错误|錯誤|问题|問題)|(?:エラー|失敗|誤り|ミス|問題)(?:も)?な[くし](?!なかった)"
)
_SUCCEEDED = (
    r"(?:succeed(?:ed|s)?|successful(?:ly)?|flawless(?:ly)?|worked|passed|pass(?:es)?(?=\s*(?:[.,;!]|$|now\b|again\b))"
    r"|(?:went|ran|go|goes|worked|is) (?:well|fine|smoothly|perfectly|great|ok(?:ay)?)"
    r"|erfolgreich|gelungen|gelang(?:en)?|geklappt|klappten?|reibungslos|(?:lief|liefen|ging|gingen|ist|verlief) (?:gut"
    r"|bestens|perfekt|glatt)|(?:gut|bestens|perfekt|glatt) (?:gelaufen|gegangen|verlaufen)"
    r"|éxito|correctamente|exitos\w+|funcion(?:ó|aron)|(?:salió|fue|fueron|salieron|ido|salido)"
    r" (?:muy )?(?:bien|perfecto)"
    r"|réuss\w+|succès|parfaitement|fonctionné|marché|bien passée?s?"
    r"|riuscit\w|successo|perfettamente|funzionat\w|andat\w (?:tutt\w )?bene"
    r"|sucesso|corretamente|perfeitamente|funcion(?:ou|aram)|deu certo|(?:correu|foi|correram|foram) (?:muito )?bem"
    r"|gelukt|geslaagd|slaagden?|lukten?|succesvol|vlekkeloos|(?:ging|gingen|verliep|verliepen) (?:goed|prima)"
    r"|goed (?:gegaan|verlopen)"
    r"|powiodł\w+|udał\w+|pomyśln\w+|sukces\w*|poszł\w+ (?:dobrze|gładko)|zadziałał\w*"
    r"|успешн\w+|удал\w+|получил\w+|сработал\w*|прошл[ои] (?:хорошо|отлично|гладко|успешно)|نجح\w*|بنجاح|ناجح\w*)"
)
_FAILING = (
    r"(?:fail(?:ed|s)?|went wrong|crashed|broke|schlug\w* fehl|fehlgeschlagen|gescheitert|scheiterten?|falló|fallaron"
    r"|(?:ha|han) fallado|échoué\w*|fallit\w|falhou|falharam|mislukt\w*|faalden?"
    r"|nie (?:zawi\w+|powi\w+|powodł\w+|udał\w+)|не (?:упал\w*|провалил\w*|сорвал\w*|удал\w*))"
)
# Of everything.
_NOTHING = (
    rf"(?<!\w)(?:everything{_WORDS} {_SUCCEEDED}|(?:alles|todo|tout|tutto|tudo|wszystko){_WORDS} {_SUCCEEDED}"
    rf"|вс[её](?: сегодня)? {_SUCCEEDED}"
    r"|nothing (?:at all )?(?:has |had |ever )?(?:failed|fails|went wrong|goes wrong|broke|crashed)"
    r"|(?:no|zero|not a single) (?:errors?|failures?|problems)(?= (?:at all|occurred|happened|came|today)"
    r"|\s*(?:[.,;!]|$|in\b))"
    r"|nichts (?:ist |war |ging |schlug )?(?:fehlgeschlagen|fehl|schief\w*|gescheitert)|kein(?:e|en|erlei)?"
    r" (?:einzige[rn]? )?(?:fehler|fehlschläge?|probleme)|fehler gab es (?:keine|nicht)"
    r"|nada (?:ha |había )?(?:falló|fallado|salió mal|salido mal)|no falló nada|no hubo (?:ning[uú]n )?(?:error(?:es)?"
    r"|fallos?)|ning[uú]n (?:error|fallo)"
    r"|rien n['’]a (?:échoué|raté|planté)|aucune? (?:erreur|échec)|il n['’]y a (?:pas eu|eu) (?:d['’]|aucune? )"
    r"(?:erreurs?|échecs?)"
    r"|(?:niente|nulla) (?:è |ha )?(?:fallito|andato storto)|nessun (?:errore|fallimento)|non ci sono stati (?:errori"
    r"|fallimenti)"
    r"|nada (?:falhou|deu errado)|nenhuma? (?:erro|falha)|não houve (?:nenhuma? )?(?:erros?|falhas?)"
    r"|niets (?:is |ging )?(?:mislukt\w*|misgegaan|mis|fout)|er ging niets (?:mis|fout)|geen (?:enkele )?fout(?:en)?"
    r"|nic (?:się )?nie (?:zawiodło|zepsuło|poszło źle|padło)|nie było (?:żadn\w+ )?(?:błęd\w+|niepowodze\w+)"
    r"|żadnych (?:błęd\w+|niepowodze\w+)"
    r"|ничего не (?:сломалось|упало|провалилось|сорвалось)|ошибок не (?:было|возникло|произошло)|не было (?:ни одн\w+"
    r" |никаких )?(?:ошиб\w+|сбо\w+)|(?:нет|никаких) (?:ошиб\w+|сбо\w+)|ни одной ошибки"
    r"|لم (?:يفشل|تفشل) (?:شيء|أي شيء)|(?:لا توجد|لم تحدث|لم يحدث) (?:أي )?(?:أخطاء|خطأ|فشل))(?!\w)"
    r"|[没沒](?:有)?(?:任何|一[个個次])?(?:东西|事情)?(?:失败|失敗|错误|錯誤|出错|出錯|报错)|一切(?:都)?(?:很)?(?:成功|顺利|順利|正常)|全部(?:都)?成功"
    r"|(?:失敗|エラー|誤り|ミス)(?:は|も|が)?(?:一切|全く|まったく|[1一]つも|ひとつも)?(?:なかった|ない|ありません|起きな|起きま|しなかった)"
    r"|何も失敗し(?:な|ません)|(?:すべて|全て|全部)(?:が)?(?:成功|うまく(?:い|行)|順調|正常)"
)
_WHAT = (  # stands for whatever an agent does
    r"calls?|actions?|steps?|tools?|tasks?|requests?|operations?|commands?|jobs?|of them|aufrufe?|aktionen|aktion"
    r"|schritte?|aufgaben?|befehle?|llamadas?|acciones|acción|pasos?|tareas?|appels?|étapes?|tâches?|commandes?"
    r"|chiamat[ae]|azion[ei]|pass[io]|compiti|chamadas?|ações|ação|passos?|tarefas?|aanroep(?:en)?|acties?|stap(?:pen)?"
    r"|taken|wywołani\w+|akcj\w+|krok\w*|zada(?:ni|ń)\w*|вызов\w*|действи\w+|шаг\w*|задач\w*|الاستدعاءات|الخطوات|المهام"
)
# Of all things of a kind: "all mails were sent successfully", "no call failed".
_EACH = (
    r"(?<!\w)(?:(?:all|every|each|alle[rn]?|sämtliche|jede[rs]?|tod[oa]s|tous|toutes|tutt[ie]|elke?|wszystkie|все|كل"
    rf"|جميع){_WORDS} {_SUCCEEDED}|نجح\w* (?:كل|جميع){_WORDS}"
    r"|(?:no|none|not a single|not one|keine[rs]?|kein|ning[uú]n[oa]?|aucune?|nessun[oa]?|nenhuma?|geen|żad\w+"
    rf"|ни одн\w+|ни один){_WORDS} {_FAILING})(?!\w)"
    r"|(?:所有|每[个個次])[^，。,.]{0,12}(?:成功|顺利|順利|正常)|(?:すべて|全て)の[^。、]{0,20}(?:成功|うまく(?:い|行)|正常)"
)
_FAILED = re.compile(
    r"(?<!\w)(?:fail\w*|errors?|broken?|crash\w*|timeouts?|timed out|retr(?:y|ied|ies)|refused|wrong"
    r"|fehl(?:er\w*|schl\w+|geschl\w+)|schlug\w*|scheiter\w*|gescheitert\w*|schief\w*|misslang\w*"
    r"|fall(?:ó|aron|os?|ado|aba)|error(?:es)?|fracas\w+|échou\w+|échecs?|erreurs?|raté\w*|fallit\w*|error[ei]"
    r"|falh\w+|erros?|mislukt\w*|fout(?:en)?|misgegaan|faal\w*|niepowodze\w*|błęd\w*|błąd|zawiod\w*|zawiód\w*"
    r"|nie (?:uda\w*|powi\w+)|ошиб\w*|сбо\w*|провал\w*|упал\w*|сорв\w*|не удал\w*"
    r"|فشل\w*|خطأ|أخطاء)(?!\w)|失[败敗]|[错錯][误誤]|出[错錯]|报错|エラー|誤り|うまくいか",
    re.IGNORECASE,
)
_OF_ONE = re.compile(_WITHOUT, re.IGNORECASE)
_OF_ALL = re.compile(_NOTHING, re.IGNORECASE)
_OF_A_KIND = re.compile(_EACH, re.IGNORECASE)
_ANYTHING = re.compile(
    rf"(?<!\w)(?:{_WHAT})(?!\w)|调用|調用|操作|步骤|步驟|任务|任務|呼び出し|ステップ|タスク|処理", re.IGNORECASE
)
_NOT_ALL = re.compile(
    r"(?<!\w)(?:not|almost|nearly|nicht|fast|beinahe|no|casi|pas|presque|non|quasi|nem|quase|niet|bijna|nie|prawie|не"
    r"|почти|ليس|تقريبا)\s$|(?:不是|并非|並非|几乎|幾乎|ほぼ|ほとんど)$",
    re.IGNORECASE,
)
_CLAUSES = re.compile(r"[,;:，、；：–—]")


@dataclass(frozen=True, slots=True)
class SuccessClaim:
    """A claim that nothing failed: the words that say of what, and whether they need not name it: "all calls"."""

    about: str
    is_of_all: bool


def success_claims(text: str, *, language: str) -> tuple[SuccessClaim, ...]:
    """What *text* claims to have gone without a failure; nothing where it tells of one besides."""
    rest = text
    for pattern in (_OF_ALL, _OF_A_KIND, _OF_ONE):
        rest = pattern.sub(" ", rest)
    if _FAILED.search(rest):
        return ()
    return tuple(
        claim
        for sentence in sentences(text, language=language)
        for clause in _CLAUSES.split(sentence)
        if (claim := _claim_in(clause, sentence)) is not None
    )


def _claim_in(clause: str, sentence: str) -> SuccessClaim | None:
    if (found := _OF_ALL.search(clause)) is not None:
        return None if _NOT_ALL.search(clause[: found.start()]) else SuccessClaim(clause, is_of_all=True)
    if (found := _OF_A_KIND.search(clause)) is not None:
        if _NOT_ALL.search(clause[: found.start()]):
            return None
        return SuccessClaim(clause, is_of_all=_ANYTHING.search(found[0]) is not None)
    if _OF_ONE.search(clause):
        return SuccessClaim(sentence, is_of_all=False)
    return None
