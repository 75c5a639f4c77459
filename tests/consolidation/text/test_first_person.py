"""Whether a text speaks of its writer alone."""

import pytest

from consolidation.text.first_person import is_in_first_person, speaks_of_oneself


@pytest.mark.parametrize(
    ("language", "own", "not_own"),
    [
        ("en", "Where do I live?", "Where do we meet?"),
        ("en", "What did I say we would bring?", "Can you tell me who is coming?"),
        ("en", "What’s my sister’s name?", "I wonder who's coming"),
        ("de", "Wo wohne ich?", "Wo treffen wir uns?"),
        ("de", "Wie heißt meine Katze?", "Kannst du mir sagen, wer kommt?"),
        ("es", "¿Cómo se llama mi hermana?", "¿Dónde quedamos?"),
        ("es", "¿Dónde vivo?", "¿Me puedes decir quién viene?"),
        ("fr", "Où est-ce que j'habite ?", "Où est notre hôtel ?"),
        ("fr", "Comment s'appelle ma sœur ?", "Dis-moi qui vient"),
        ("it", "Dove abito?", "Dove andiamo?"),
        ("pt", "Onde moro?", "Onde nos encontramos?"),
        ("nl", "Waar woon ik?", "Waar is ons huis?"),
        ("pl", "Gdzie mieszkam?", "Gdzie byliśmy?"),
        ("ru", "Где я живу?", "Где наш дом?"),
        ("zh", "我住在哪里？", "我们在哪里见面？"),
        ("ja", "私はどこに住んでいますか？", "私たちはどこで会いますか？"),
        ("en", "I " + "a " * 2000, "We " + "a " * 2000),
    ],
)
def test_i_is_of_oneself_and_we_is_not(language, own, not_own):
    """Broken: the plural words count; so does who asks to be told."""
    assert speaks_of_oneself(own, language=language)
    assert not speaks_of_oneself(not_own, language=language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ar", "متى حفل زفافي؟"),
        ("ar", "أي دواء أتناوله؟"),
        ("ar", "ما الشيء الذي يخيفني؟"),
        ("ar", "ما هي مهنتي؟"),
        ("ar", "إلى أين سأسافر؟"),
        ("ar", "هل ما زلت مدخناً؟"),
        ("ar", "من الذي يسد علينا المدخل؟"),
        ("ja", "甥っ子の名前は？"),
        ("pl", "jaki sport uprawiam?"),
        ("pl", "z usług jakiego banku korzystam?"),
        ("pl", "kogo kocham?"),
    ],
)
def test_a_form_says_i_or_we_where_no_pronoun_does(language, text):
    """Broken: the forms of a language are gone."""
    assert is_in_first_person(text, language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ar", "ما أكبر دولة في العالم؟"),
        ("ar", "هل أنت إنسان؟"),
        ("ar", "ما أفضل مطعم إيطالي في روما؟"),
        ("ar", "متى بدأت الحرب العالمية الثانية؟"),
        ("ar", "متى يأتي الصيف؟"),
        ("ar", "ما هي أشهر أغاني أم كلثوم؟"),
        ("ar", "ما هو الدولار الكويتي؟"),
        ("pl", "jaki jest najlepszy program do edycji zdjęć?"),
        ("pl", "gdzie jest pochowany adam mickiewicz?"),
    ],
)
def test_a_form_that_only_looks_so_says_nothing_of_the_writer(language, text):
    """Broken: a pattern takes superlatives, adjectives or nouns for verbs of the first person."""
    assert not is_in_first_person(text, language)
