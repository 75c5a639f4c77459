"""Who claims that nothing failed, in twelve languages, and who does not."""

import pytest

from consolidation.text.success_claims import success_claims

OF_ALL = {
    "en": (
        "Nothing failed.",
        "All calls succeeded.",
        "Everything went well today.",
        "There were no errors.",
        "There were no problems.",
    ),
    "de": ("Nichts ist fehlgeschlagen.", "Alle Aufrufe waren erfolgreich.", "Alles lief gut.", "Es gab keine Fehler."),
    "es": ("Nada falló.", "Todas las llamadas tuvieron éxito.", "Todo salió bien.", "No hubo errores."),
    "fr": ("Rien n'a échoué.", "Tous les appels ont réussi.", "Tout s'est bien passé.", "Aucune erreur."),
    "it": ("Niente è fallito.", "Tutte le chiamate sono riuscite.", "Tutto è andato bene.", "Nessun errore."),
    "pt": ("Nada falhou.", "Todas as chamadas tiveram sucesso.", "Tudo correu bem.", "Não houve erros."),
    "nl": ("Niets is mislukt.", "Alle aanroepen zijn gelukt.", "Alles ging goed.", "Er waren geen fouten."),
    "pl": ("Nic nie zawiodło.", "Wszystkie wywołania się powiodły.", "Wszystko poszło dobrze.", "Nie było błędów."),
    "ru": ("Ничего не сломалось.", "Все вызовы прошли успешно.", "Всё прошло отлично.", "Ошибок не было."),
    "ar": ("لم يفشل شيء.", "كل الاستدعاءات نجحت.", "لا توجد أخطاء."),
    "zh": ("没有任何失败。", "所有调用都成功了。", "一切顺利。"),
    "ja": ("何も失敗しなかった。", "すべての呼び出しが成功した。", "エラーはなかった。"),
}
OF_ONE = {
    "en": (
        "All mails were sent successfully.",
        "The mails went out without errors.",
        "All tests pass.",
        "It ran without any issues.",
    ),
    "de": (
        "Alle Mails wurden erfolgreich verschickt.",
        "Die Mails gingen ohne Fehler hinaus.",
        "Der Import lief problemlos.",
    ),
    "es": ("Todos los correos se enviaron con éxito.", "Los correos salieron sin ningún problema."),
    "fr": ("Tous les courriels ont été envoyés avec succès.", "Les courriels sont partis sans problème."),
    "it": ("I messaggi sono partiti senza problemi.",),
    "pt": ("Os correios saíram sem problemas.",),
    "nl": ("De mails zijn zonder problemen verstuurd.",),
    "pl": ("Maile wysłano bez żadnych problemów.",),
    "ru": ("Все письма отправлены успешно.", "Все счета обработаны без ошибок", "Счета обработаны без проблем."),
    "ar": ("تم إرسال الرسائل بدون مشاكل.",),
    "zh": ("邮件已发送，无任何问题。",),
    "ja": ("メールは問題なく送信された。",),
}
NONE = {
    "en": (
        "Most calls went well.",
        "2 calls failed, all the others succeeded.",
        "The first try failed; after that everything worked.",
        "Not everything went well.",
        "Almost all calls succeeded.",
        "There is no error handling in the import.",
        "No problem, I look at it tomorrow.",
        "All tests pass through the same fixture.",
        "All invoices are due on Friday.",
    ),
    "de": ("Das meiste lief gut.", "Zwei Aufrufe sind fehlgeschlagen, alle anderen waren erfolgreich."),
    "ja": ("二回失敗したが、最後はすべて成功した。",),
    "zh": ("两次调用失败，其余都成功了。",),
}


def cases(table):
    return [(language, text) for language, texts in table.items() for text in texts]


@pytest.mark.parametrize(("language", "text"), cases(OF_ALL))
def test_who_says_that_nothing_failed_claims_it_of_all(language, text):
    assert [one.is_of_all for one in success_claims(text, language=language)] == [True]


@pytest.mark.parametrize(("language", "text"), cases(OF_ONE))
def test_who_names_what_went_well_claims_it_of_that(language, text):
    assert [one.is_of_all for one in success_claims(text, language=language)] == [False]


@pytest.mark.parametrize(("language", "text"), cases(NONE))
def test_who_tells_of_a_failure_or_of_a_part_claims_nothing(language, text):
    assert success_claims(text, language=language) == ()
