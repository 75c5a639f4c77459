"""Names that a text has and its sources do not, in the forms that languages give them."""

import pytest

from consolidation.corrections.wording import named_in
from consolidation.text.strange_names import strange_names


def strange(text, *sources, names):
    def known_names(words):
        return [name for name in names if named_in(words, [name.casefold()])]

    return strange_names(known_names(text), text, sources, known_names=known_names)


@pytest.mark.parametrize(
    ("names", "source", "lines"),
    [
        ("Anna Paul", "Annas Bruder Paul wohnt in Kassel.", ("Anna hat einen Bruder.", "Anna has a brother, Paul.")),
        ("Katrin", "Heike, Katrins Schwester, ist Bäckerin.", ("Die Schwester von Katrin ist Bäckerin.",)),
        ("Caroline", "Caroline's dog is brown.", ("Caroline has a dog.",)),
        ("Sandra", "Widziałem wczoraj pies Sandry i jej męża.", ("Sandra ma psa.", "Pies Sandry jest duży.")),
        ("сандра", "Вчера я видел собаку Сандры.", ("У Сандры есть собака.", "Сандра любит собак.")),
        ("Kaan", "Kaan'ın köpeği çok büyük.", ("Kaan'la gittim.", "Kaan bir köpek aldı.")),
        ("Ankara", "Annem Ankara'da oturuyor.", ("Annem Ankara’da yaşıyor.",)),
        ("سلمى", "ذهبت أمس إلى السوق وسلمى معي.", ("كانت سلمى في السوق.",)),
        ("지은", "어제 지은이가 서울에 갔다.", ("지은은 서울에 있었다.",)),
        ("彩", "昨日は彩と映画を見た。", ("彩は映画が好きだ。",)),
    ],
)
def test_a_name_is_found_in_its_source_by_the_rule_that_finds_it_in_the_text(names, source, lines):
    for line in (source, *lines):
        assert strange(line, source, names=names.split()) == ()


@pytest.mark.parametrize("source", ["they told me: Annas Bruder Paul.", "Annas", "me contó: Annas Bruder Paul wohnt."])
def test_words_that_are_copied_name_nobody_new_whatever_language_their_source_seems_to_have(source):
    assert strange("Annas Bruder Paul wohnt.", source, names=["Anna"]) == ()


def test_a_name_that_no_source_has_is_strange_and_so_is_one_of_which_another_name_is_a_form():
    assert strange("Anna wohnt bei Paul.", "Hannas Bruder Paul wohnt in Kassel.", names=["Anna", "Paul"]) == ("Anna",)
    assert strange("Jona wohnt in Lyon.", "Jonas wohnt in Lyon.", names=["Jona", "Jonas"]) == ("Jona",)
    assert strange("Jona liebt Jonas.", "Jonas wohnt in Lyon.", names=["Jona", "Jonas"]) == ("Jona",)
    assert strange("Jonas wohnt in Lyon.", "Jonas wohnt in Lyon.", names=["Jona", "Jonas"]) == ()
