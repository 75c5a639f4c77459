"""Messages that say nothing to be searched for or remembered: a closed class of words, in many languages."""

from __future__ import annotations

from consolidation.text.words import tokens

_FILLER = frozenset(
    """
    ok okay k kk yes yeah yep yup no nope nah sure fine right cool nice great good awesome perfect lol lmao haha hahaha
    hahahaha hehe heh hmm hm mhm uh um oh ah aha wow omg thanks thank you thx ty cheers please pls bye goodbye cya hi
    hello hey yo morning evening night afternoon welcome got it i see sounds done and so well alright agreed exactly
    indeed true totally absolutely definitely really very much a lot the that is it all to me too same here later talk
    go ahead of course gladly
    sí si vale bueno claro gracias hola adiós ja jaja jajaja por favor de acuerdo perfecto genial
    oui non merci salut bonjour d'accord s'il te vous plaît bien sûr volontiers parfait
    nein danke genau gut hallo tschüss super gerne klar na bitte doch natürlich passt stimmt alles
    sim não obrigado obrigada olá oi certo perfeito com certeza kkk kkkk kkkkk rs rsrs valeu vlw obg blz beleza tá tchau
    ciao grazie va bene per favore d'accordo perfetto certamente
    oké nee graag prima goed bedankt dank je alsjeblieft natuurlijk hoi
    tak nie dobrze dobra dzięki dziękuję jasne proszę oczywiście cześć hej
    好 好的 好啊 好吧 嗯 嗯嗯 谢谢 哈哈 哈哈哈 是的 可以 没问题 当然 对
    はい うん いいえ ありがとう ありがとうございます そう 了解 お願いします わかりました なるほど
    да нет спасибо ага угу хорошо ок ладно конечно пожалуйста давай отлично понятно привет
    نعم لا شكرا حسنا تمام طبعا أكيد من فضلك جيد ممتاز مرحبا
    evet hayır tamam teşekkürler lütfen olur peki 네 예 응 아니요 좋아요 감사합니다 고마워
    हाँ हां नहीं ठीक है धन्यवाद अच्छा जी
    """.split()
)
_FILLER_TOKENS = frozenset(token for word in _FILLER for token in tokens(word))
_MOST_FILLER_WORDS = 7


def says_nothing(text: str) -> bool:
    """Whether *text* is nothing but "ok", "haha", thanks, a greeting, or a thumb."""
    words = tokens(text)
    return len(words) <= _MOST_FILLER_WORDS and all(word in _FILLER_TOKENS for word in words)
