"""Which sentence says that what another one told is over, in each language; and which ones look like it."""

import pytest

from consolidation.text.no_longer import says_it_is_over


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Anna lives in Paris.", "Anna does not live in Paris any more."),
        ("Anna lives in Paris.", "Anna doesn't live in Paris anymore!"),
        ("Anna lives in Paris now.", "Anna no longer lives in Paris."),
        ("I work at Siemens in Munich.", "I no longer work at Siemens in Munich."),
        ("I work at Siemens in Munich.", "I don’t work at Siemens any longer, I'm at Bosch now."),
        ("I'm vegan.", "I am no longer vegan."),
        ("I'm a member of the choir.", "I'm not a member of the choir any more."),
        ("I have a car.", "I don't have a car anymore."),
        ("Anna wohnt in Paris.", "Anna wohnt nicht mehr in Paris."),
        ("Ich habe ein Auto in Köln.", "Ich habe kein Auto mehr."),
        ("Ich arbeite bei Siemens in München.", "Ich arbeite nicht mehr bei Siemens, sondern bei Bosch."),
        ("Ana vive en París.", "Ana ya no vive en París."),
        ("Yo trabajo en Siemens.", "Ya no trabajo en Siemens."),
        ("Ana vive en París.", "Ana no vive más en París."),
        ("J'habite à Lyon.", "Je n'habite plus à Lyon."),
        ("J’ai un chien.", "Je n’ai plus de chien."),
        ("Anna vive a Parigi.", "Anna non vive più a Parigi."),
        ("A Ana mora em Paris.", "A Ana já não mora em Paris."),
        ("A Ana mora em Paris.", "A Ana não mora mais em Paris."),
        ("Anna woont in Parijs.", "Anna woont niet meer in Parijs."),
        ("Ik heb een auto.", "Ik heb geen auto meer."),
        ("Anna mieszka w Paryżu.", "Anna już nie mieszka w Paryżu."),
        ("Anna mieszka w Paryżu.", "Anna nie mieszka już w Paryżu."),
        ("Анна живёт в Париже.", "Анна больше не живет в Париже."),
        ("آنا تعيش في باريس.", "آنا لم تعد تعيش في باريس."),
        ("أعمل في سيمنز.", "لم أعد أعمل في سيمنز."),
        ("安娜住在巴黎。", "安娜不再住在巴黎了。"),
        ("安娜住在巴黎。", "安娜已经不住在巴黎了。"),
        ("我有车。", "我没有车了。"),
        ("アンナはパリに住んでいます。", "アンナはもうパリに住んでいない。"),
        ("私はシーメンスで働いている。", "私はもうシーメンスで働いていません。"),
    ],
)
def test_what_is_denied_in_its_own_words_is_over(earlier, later):
    assert says_it_is_over(later, earlier)
    assert not says_it_is_over(earlier, later)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Anna lives in Paris.", "Anna does not live in Paris."),  # that may never have been so
        ("Anna lives in Paris.", "Anna does not live in Lyon any more."),
        ("Anna lives in Paris.", "Tom no longer lives in Paris."),
        ("Anna's mother lives in Paris.", "Anna no longer lives in Paris."),
        ("He works at Siemens.", "I no longer work at Siemens."),
        ("I work at Siemens Energy.", "I no longer work at Siemens."),
        ("I love Anna's sister.", "I no longer love Anna."),
        ("I work at Siemens and my brother lives in Rome.", "I no longer work at Siemens."),
        ("I work at Siemens, in the team of my brother.", "I no longer work at Siemens."),
        ("I work at Siemens.", "I no longer work at Siemens in Munich."),
        ("I work at Siemens.", "Tom says that I no longer work at Siemens."),
        ("Anna lives in Paris.", "Maybe Anna no longer lives in Paris."),
        ("Anna no longer lives in Paris.", "Anna no longer lives in Paris."),
        ("I run.", "No longer."),
        ("Trabaja en Siemens.", "Ya no trabajo en Siemens."),
        ("Ana vive en París.", "Ana no vive en París."),
        ("Tu habites à Lyon.", "Je n'habite plus à Lyon."),
        ("Ich arbeite bei Siemens.", "Ich arbeite nicht bei Siemens."),
        ("安娜住在里昂。", "安娜不再住在巴黎了。"),
        ("安娜住在巴黎。", "安娜不住在巴黎。"),
        ("アンナはパリに住んでいます。", "アンナはパリに住んでいない。"),
        ("トムはパリに住んでいます。", "アンナはもうパリに住んでいない。"),
    ],
)
def test_what_is_said_of_another_one_or_in_other_words_is_not_over(earlier, later):
    assert not says_it_is_over(later, earlier)
