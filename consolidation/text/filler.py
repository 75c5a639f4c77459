"""Messages that say nothing to be searched for or remembered: a closed class of words, in many languages."""

from __future__ import annotations

from consolidation.text.words import tokens

_FILLER = frozenset(
    """
    ok okay k kk yes yeah yep yup no nope nah sure fine right cool nice great good awesome perfect lol lmao haha hahaha
    hahahaha hehe heh hmm hm mhm uh um oh ah aha wow omg thanks thank you thx ty cheers please pls bye goodbye cya hi
    hello hey yo morning evening night afternoon welcome got it i see sounds done and so well alright agreed exactly
    indeed true totally absolutely definitely really very much a lot the that is it all to me too same here later talk
    sí si vale bueno claro gracias hola adiós ja jaja jajaja oui non merci salut bonjour d'accord nein danke genau gut
    hallo tschüss super sim não obrigado obrigada olá oi certo ciao grazie va bene
    kkk kkkk kkkkk rs rsrs valeu vlw obg blz beleza tá tchau
    好 好的 嗯 嗯嗯 谢谢 哈哈 哈哈哈 是的 はい うん ありがとう ありがとうございます そう 了解
    да нет спасибо ага хорошо ок نعم لا شكرا حسنا تمام
    """.split()
)
_FILLER_TOKENS = frozenset(token for word in _FILLER for token in tokens(word))
_MOST_FILLER_WORDS = 7


def says_nothing(text: str) -> bool:
    """Whether *text* is nothing but "ok", "haha", thanks, a greeting, or a thumb."""
    words = tokens(text)
    return len(words) <= _MOST_FILLER_WORDS and all(word in _FILLER_TOKENS for word in words)
