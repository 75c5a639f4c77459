"""Different words mean the same: whoever asks for a doctor finds the GP, in every language that has words for it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import consolidation.text.concepts as module
from consolidation.text.concepts import LANGUAGES, answered_by, concepts
from consolidation.text.words import content_words, is_dense
from tests.support import strategies

FOLDER = Path(module.__file__).with_name("concept_words")


def lines_of(language):
    lines = (FOLDER / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    return [(concept, words.split()) for concept, _, words in (line.partition(": ") for line in lines)]


@pytest.mark.parametrize(
    ("language", "one", "other", "concept"),
    [
        ("en", "My cat is old.", "Do I have pets?", "pet"),
        ("en", "The GP called.", "What did my doctor say?", "doctor"),
        ("de", "Unsere Katzen schlafen.", "Habe ich ein Haustier?", "pet"),
        ("es", "Mi gata duerme.", "¿Tengo una mascota?", "pet"),
        ("fr", "Mon chat dort.", "Est-ce que j'ai un animal ?", "pet"),
        ("fr", "Je suis à l'hôpital.", "la clinique, l’hôpital", "hospital"),
        ("it", "È all'ospedale.", "ospedale", "hospital"),
        ("zh", "我的猫病了。", "我有宠物吗？", "pet"),
        ("ja", "私の猫が寝ている。", "ペットはいますか。", "pet"),
        ("ru", "Моя кошка спит.", "Есть ли у меня питомец?", "pet"),
        ("ar", "القطة نائمة", "عندي حيوان", "pet"),
        ("en", "We have a budgie.", "which animals do we have", "pet"),
        ("es", "Tenemos un loro.", "¿cómo se llama nuestro pájaro?", "pet"),
        ("fr", "Mon gendre arrive.", "comment va ma belle-sœur ?", "relatives"),
        ("pt", "meu médico de família", "o doutor", "doctor"),
        ("es", "mi cuñado Guillem", "what's my brother-in-law's name?", "relatives"),
        ("it", "Ho un b&b vicino Lecce.", "What is my guest house called?", "hotel"),
        ("en", "My work is fun.", "What do I do for a living?", "job"),
        ("de", "Wir sind letzte Woche nach Linz gezogen.", "Wann war unser Umzug?", "moving_house"),
    ],
)
def test_different_words_mean_the_same(language, one, other, concept):
    assert concept in concepts(one, language=language)
    assert concept in concepts(other, language=language)


@pytest.mark.parametrize(
    ("language", "text", "concept"),
    [
        ("de", "Das ist nicht mal meins.", "relatives"),
        ("de", "Sag mal.", "art_photo"),
        ("es", "¿Cómo se llama?", "contact"),
        ("es", "No sabes nada.", "schedule"),
        ("fr", "Comment il s'appelle ?", "contact"),
        ("it", "Come si chiama? Da tanto tempo.", "religion"),
        ("pt", "Como se chama?", "food"),
        ("nl", "Gaat het?", "teeth"),
        ("pl", "Mam kota.", "mother"),
        ("ru", "Я могу.", "death"),
    ],
)
def test_a_word_without_a_subject_means_nothing_by_its_stem_alone(language, text, concept):
    assert concept not in concepts(text, language=language)


def test_a_word_that_stands_in_the_file_means_what_it_stands_for_and_another_form_what_its_stem_does():
    assert not {"sister"} & concepts("mi hermano", language="es")
    assert {"brother", "sister"} <= concepts("mis hermanos", language="es")
    assert concepts("Quando me casei?", language="pt") == {"wedding"}
    assert "pet" in concepts("two kittens", language="en")


@pytest.mark.parametrize(
    ("language", "text", "concept"),
    [
        ("en", "What do I do for a living?", "home"),
        ("de", "Das hat sich in die Länge gezogen.", "moving_house"),
        ("de", "Das habe ich in Betracht gezogen.", "moving_house"),
        ("fr", "Parle-moi de ma mère.", "language_learning"),
        ("fr", "Parlez-moi de ma mère.", "politics"),
        ("pt", "Fale-me da minha mãe.", "language_learning"),
        ("en", "I spoke to my mother.", "language_learning"),
        ("ja", "大丈夫は大丈夫", "partner"),
        ("ja", "自転車を買った", "car"),
        ("ja", "メンバーが増えた", "restaurant"),
        ("zh", "我女朋友搬来了", "friend"),
        ("ar", "كيف حالك والله", "religion"),
    ],
)
def test_a_phrase_does_not_mean_what_its_words_do(language, text, concept):
    """Broken: the pattern of a phrase is gone, or takes more than it means; a short run is found within a longer one."""
    assert concept not in concepts(text, language=language)


def test_whoever_asks_where_somebody_lives_is_answered_by_who_moved():
    """Broken: what was asked for itself is among what else answers; a concept of the table is misspelt."""
    assert answered_by({"home"}) == {"moving_house", "rent"}
    assert answered_by({"home", "rent"}) == {"moving_house"}
    assert not answered_by({"music"})
    named = {concept for concept, _ in lines_of("en")}
    for asked, others in module._ANSWERED_BY.items():
        assert {asked, *others.split()} <= named


def test_who_is_so_by_marriage_is_neither_a_brother_nor_the_law():
    assert concepts("my brother-in-law", language="en") == {"relatives"}
    assert not {"mother", "brother"} & concepts("ma belle-mère et mon beau-frère", language="fr")
    assert "child" in concepts("une belle fille", language="fr")
    assert concepts("family doctor", language="en") == concepts("médico de família", language="pt") == {"doctor"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_word_of_a_file_means_its_concept(language):
    lost = [
        (concept, word)
        for concept, words in lines_of(language)
        for word in words
        if concept not in concepts(word, language=language)
    ]

    assert lost == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_concept_once_with_several_words(language):
    found = [concept for concept, _ in lines_of(language)]

    assert found == [concept for concept, _ in lines_of("en")]
    assert len(found) == len(set(found))
    assert all(len(words) >= 2 for _, words in lines_of(language))


def test_there_is_a_file_for_every_language_and_no_other():
    assert {path.stem for path in FOLDER.glob("*.txt")} == {*LANGUAGES, "any"}


@pytest.mark.parametrize(
    ("language", "told", "concept"),
    [
        ("pt", "Tomo losartana todo dia.", "medicine"),
        ("es", "Me mandaron sumatriptán.", "medicine"),
        ("ru", "Пью метформин.", "medicine"),
        ("ja", "ロキソニンばっか飲んでる。", "medicine"),
        ("fr", "Ma vieille Clio a passé le contrôle.", "car"),
        ("de", "Wir haben jetzt einen Beagle.", "pet"),
        ("fr", "Mon grand-père a 92 ans.", "grandparents"),
    ],
)
def test_what_is_called_so_in_several_languages_means_the_same_in_each(language, told, concept):
    """Broken: ``any.txt`` is not read."""
    assert concept in concepts(told, language=language)
    assert "father" not in concepts(told, language=language)


def test_what_is_called_so_in_several_languages_stands_in_no_other_file():
    """Broken: a word of ``any.txt`` is in a language's file as well, maybe for another concept."""
    of_languages = {word for language in LANGUAGES for _, words in lines_of(language) for word in words}
    assert of_languages.isdisjoint(word for _, words in lines_of("any") for word in words)


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_a_run_of_one_character_would_mean_something_in_every_sentence(language):
    assert not [word for _, words in lines_of(language) for word in words if is_dense(word) and len(word) == 1]


def test_english_words_are_known_in_every_language_and_in_an_unknown_one():
    assert "pet" in concepts("Mein Kitten ist süß.", language="de")
    assert "doctor" in concepts("the doctor", language="xx")


def test_a_word_that_says_nothing_in_its_own_language_is_not_read_as_english():
    assert "death" in concepts("I do not want to die.", language="en")
    assert "death" not in concepts("die Katze", language="de")


@pytest.mark.parametrize("tag", ["de", "de-AT", "de_DE", "DE"])
def test_a_tag_counts_by_its_language(tag):
    assert "pet" in concepts("Haustier", language=tag)


def test_case_accents_and_width_do_not_matter():
    assert concepts("MEDICO", language="es") == concepts("médico", language="es") != frozenset()
    assert concepts("ｃａｔ", language="en") == concepts("cat", language="en")


def test_a_text_without_such_words_means_nothing():
    assert concepts("The and of it", language="en") == frozenset()
    assert concepts("", language="ja") == frozenset()


@given(strategies.texts, st.sampled_from(LANGUAGES))
def test_no_text_is_refused(text, language):
    assert concepts(text, language=language) <= {concept for concept, _ in lines_of("en")}


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("fr", "Où est l'hôpital ?", {"hopital": "hopital"}),
        ("it", "nell'ospedale", {"ospedale": "ospedal"}),
        ("en", "the dogs", {"dogs": "dog"}),
        ("de", "der und die", {}),
    ],
)
def test_content_words_have_neither_stop_words_nor_articles_glued_to_them(language, text, words):
    assert content_words(text, language=language) == words


@pytest.mark.parametrize(
    ("word", "dense"), [("猫", True), ("ペット", True), ("แมว", True), ("cat", False), ("кот", False)]
)
def test_a_word_is_dense_where_its_script_parts_no_words(word, dense):
    assert is_dense(word) is dense
