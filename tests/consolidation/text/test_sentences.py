"""A text is cut where its sentences end, in whatever language it is, and every sentence is a quote of it."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.growth import assert_linear, repeated
from tests.support.nasty_texts import NASTY

from consolidation.text.sentences import sentences, whole_sentences

# A stroke where a sentence ends.
LINES = {
    "titles": ("en", "I saw Prof. Smith on Monday.| He was with Dr. Jones and Mrs. Brown.| They live in St. Ives."),
    "times": ("en", "We met at 5 p.m. on Friday.| It was fun."),
    "initials": ("en", "J. R. R. Tolkien wrote it.| I read it twice."),
    "one letter": ("en", "So did I.| Then we left."),
    "abbreviations": ("en", "I like apples, pears, etc. and plums, e.g. red ones.| You?"),
    "numbers": ("en", "It costs 3.14 dollars.| See example.com for more."),
    "countries": ("en", "The U.S. Army came.| We left."),
    "lower-case chat": ("en", "hey.| how are you?| i'm fine, going to work now"),
    "quoted": ("en", 'He said "Go away."| Then he left.'),
    "signs": ("en", "Wait...| What?!| No!"),
    "no space after it": ("en", "a.b.c of v1.2.3-rc.1 is node.js"),
    "ordinals": ("de", "Am 3. Oktober war ich in Berlin.| Es war schön."),
    "a region's": ("de-AT", "Am 3. Oktober war ich in Berlin.| Es war schön."),
    "german days": ("de", "Davids Feier ist am 22. März, um acht.| Am 5. Mai, in Rom.| Er ist 22.| Maike ja."),
    "danish days": ("da", "Vi ses den 5. Maj, klokken otte.| Det er godt."),
    "norwegian days": ("no", "Vi møtes 5. mai i Oslo.| Det er bra."),
    "finnish days": ("fi", "Tapaamme 5. Maaliskuuta, Oulussa.| Hyvä."),
    "czech days": ("cs", "Sejdeme se 5. Března, ve městě.| Dobře."),
    "slovene days": ("sl", "Vidimo se 5. maja, v Ljubljani.| Dobro."),
    "croatian days": ("hr", "Vidimo se 5. ožujka, u Zagrebu.| Dobro."),
    "german abbreviations": ("de", "Ich mag z. B. Äpfel.| Das ist ca. 3 km weit, usw. und so fort.| Gut."),
    "german titles": ("de", "Das war Hr. Dr. Weber.| Er wohnt in der Hauptstr. 5."),
    "french titles": ("fr", "M. Dupont est là.| MM. Leroy et Petit aussi.| Ils dorment."),
    "french spaces": ("fr", "Mme Curie a gagné.| Bravo !| C'est vrai ?"),
    "spanish": ("es", "El Sr. García llegó con la Dra. López.| ¿Cómo estás?| ¡Bien!"),
    "spanish countries": ("es", "Vive en EE. UU. desde 2010.| Es feliz."),
    "italian": ("it", "Il sig. Rossi è arrivato.| Ciao!"),
    "portuguese": ("pt", "O Sr. Silva chegou.| Tudo bem?"),
    "dutch": ("nl", "Dhr. Jansen kwam om 5 uur.| Hij was moe."),
    "polish": ("pl", "Mieszka przy ul. Długiej w Warszawie.| Lubię go."),
    "russian years": ("ru", "В 1990 г. Москва была другой.| Я там жил."),
    "turkish": ("tr", "Dr. Yılmaz geldi.| İyi misin?"),
    "korean": ("ko", "안녕하세요.| 저는 민수입니다.| 반갑습니다!"),
    "japanese": ("ja", "今日は暑い。|明日は？|寒い！"),
    "chinese": ("zh", "你好。|我很好！|你呢？"),
    "hindi": ("hi", "मैं घर गया।| तुम कहाँ हो?| ठीक है।"),
    "arabic": ("ar", "ذهبت إلى المدرسة.| هل أنت بخير؟| نعم."),
    "lines": ("en", "one\n|two, Prof.\r\n|three\u2028|four\n\n\n|five."),
}
pieces = st.lists(
    st.one_of(st.sampled_from((*NASTY, "“", "”", '"', "(", ". ", "? ", "。", "3. ", "M. ", "Prof. ", "\n")), st.text()),
    max_size=30,
)


@pytest.mark.parametrize("kind", LINES)
def test_a_text_is_cut_where_its_sentences_end(kind):
    language, line = LINES[kind]

    assert sentences(line.replace("|", ""), language=language) == tuple(part.strip() for part in line.split("|"))


@pytest.mark.parametrize("kind", ["korean", "japanese", "chinese", "hindi", "arabic"])
def test_full_stops_of_other_scripts_need_no_language(kind):
    _, line = LINES[kind]

    assert sentences(line.replace("|", "")) == tuple(part.strip() for part in line.split("|"))


@given(pieces.map("".join), st.sampled_from(["en", "de", "fr", "ja", "xx"]))
@example("\ud800 a. B \udfff", "fr")
@example("M. " * 2_000 + "x.", "fr")
@example("word " * 1_000 + "end. Next one.", "en")
def test_sentences_are_quotes_in_order_and_nothing_is_left_out(text, language):
    rest = text
    for sentence in whole_sentences(text, language=language):
        before, found, rest = rest.partition(sentence)

        assert found
        assert not before.strip()
        assert sentence == sentence.strip() != ""
    assert not rest.strip()


def test_an_endless_sentence_is_one_and_cut_short():
    endless = "word " * 20_000

    assert list(whole_sentences(f"Short. {endless}")) == ["Short.", endless.strip()]
    assert [len(one) for one in sentences(f"Short. {endless}")] == [6, 600]


def test_windows_leave_sentences_as_they_are():
    said = [
        f"Number {number} was told by Prof. Smith at 5 p.m. to {'all ' * (number % 40)}of us." for number in range(900)
    ]

    assert list(whole_sentences(" ".join(said))) == said


@pytest.mark.parametrize(
    "unit", ["a", "“", "«", "“a. ", "' ", "好。", "Mr. A. ", "M. ", ". ", "(a. ", "「。", "x. “ y. “ "]
)
def test_the_cost_grows_with_the_length(unit):
    assert_linear(lambda text: list(whole_sentences(text, language="fr")), repeated(unit))
