"""A telling may change the words, not what happened: an invented name, number or day falls back to the plain words."""

import pytest

from consolidation.kernel.turns import Speaker
from prompts.responses import Narration
from service.resonance.narration import checked, invention, plain
from service.retrieval.moment import Label, LabelledFragment, Shortlist
from tests.support.fragments import fragment_of, message_of

SOURCE = "Ann: my mother moved to Lyon at 10:22 with 3 cats, 4.5 km from Tom's house, on Monday in May 2019."


def invented(text, source=SOURCE, *, language="en", known=()):
    def known_names(found):
        return [name for name in known if name.casefold() in found.casefold()]

    return invention(text, source=source, language=language, known_names=known_names)


@pytest.mark.parametrize(
    "text",
    [
        "Ann told me that her mother moved to Lyon.",
        "I remember: three cats, no, 3 cats, and Tom’s house.",
        "It was at 10:22, some 4.5 km away.",
        "I think of LYON and of tom.",
        "She moved on a Monday, in May.",
        "She may have moved.",
        "",
    ],
)
def test_what_stands_in_the_source_may_be_checked(text):
    assert invented(text) == ""


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Ann's mother moved to Paris.", "Paris"),
        ("I was told by Caroline that she moved.", "Caroline"),
        ("Gertrude moved to Lyon.", "Gertrude"),
        ("Carla told me that she moved.", "Carla"),
        ("She moved with Tom Baker.", "Tom Baker"),
        ("She has 4 cats.", "4"),
        ("She has 33 cats.", "33"),
        ("It was 5.4 km away.", "5.4"),
        ("It was at 22:10.", "22:10"),
        ("It was in 2020.", "2020"),
        ("She moved on Tuesday.", "tuesday"),
        ("She moved in March.", "march"),
        ("She moved in December.", "december"),
        ("x" * 601, "two sentences"),
    ],
)
def test_what_does_not_stand_in_the_source_is_refused(text, word):
    assert word in invented(text)


def test_a_known_name_is_refused_wherever_it_stands_and_however_it_is_written():
    assert "Paris" in invented("Paris is where she moved.", known=["Paris"])
    assert "melanie" in invented("I think of melanie.", known=["melanie"])


def test_a_name_that_stands_in_the_source_in_another_form_is_no_invention():
    source = "mir wurde erzählt: Annas Bruder Paul wohnt in Kassel."

    assert invented("Annas Bruder Paul wohnt in Kassel.", source, language="de", known=["Anna"]) == ""
    assert "Hanna" in invented("Hannas Bruder wohnt in Kassel.", source, language="de", known=["Hanna"])


@pytest.mark.parametrize(
    ("language", "source", "right", "wrong"),
    [
        ("ru", "Моя мама живёт в Лионе", "Я помню, что её мама живёт в Лионе.", "Я помню, что мама живёт в Париже."),
        ("el", "Η μητέρα μου μένει στη Λυών", "Θυμάμαι ότι μένει στη Λυών.", "Θυμάμαι ότι μένει στην Αθήνα."),
        (
            "es",
            "Mi madre vive en Lyon desde mayo",
            "Recuerdo que vive en Lyon desde mayo.",
            "Recuerdo que vive en París.",
        ),
        ("fr", "Ma mère habite à Lyon", "Je me souviens : elle habite à Lyon.", "Elle habite depuis mardi à Lyon."),
        (
            "de",
            "Meine Mutter wohnt seit 2019 in Lyon",
            "Ich erinnere mich an die Mutter in Lyon.",
            "Sie wohnt dort seit 2018.",
        ),
        ("zh", "我妈妈2019年搬到里昂", "我记得妈妈2019年搬到了里昂。", "我记得妈妈2018年搬到了里昂。"),
        ("ar", "أمي تعيش في ليون منذ ٢٠١٩", "أتذكر أن أمك تعيش في ليون منذ 2019", "أتذكر أنها تعيش هناك منذ ٢٠١٨"),
        ("ja", "母は3匹の猫と住んでいる", "母が3匹の猫と住んでいたのを覚えている。", "母は4匹の猫と住んでいる。"),
    ],
)
def test_other_languages_and_scripts_are_checked_too(language, source, right, wrong):
    assert invented(right, source, language=language) == ""
    assert invented(wrong, source, language=language) != ""


def test_a_name_of_another_script_is_checked_against_known_names():
    assert "巴黎" in invented("我记得妈妈住在巴黎。", "我妈妈住在里昂", language="zh", known=["巴黎", "里昂"])


def test_a_day_of_another_language_is_the_same_day():
    assert invented("Recuerdo que fue un lunes de mayo.", language="es") == ""
    assert invented("Recuerdo que fue un martes de mayo.", language="es") != ""


LABEL = Label("a few days ago", "Jan 9")


ANN = fragment_of("a", "Ann lives in Lyon", score=0.9)
TOM = fragment_of("b", "Tom has 3 cats", score=0.8)
PIA = fragment_of("c", "Pia sings", score=0.4)


def tell(*lines, is_partial=False, **chosen):
    """Ann and Tom would surface without a model; Pia is what it may choose besides."""
    narration = Narration.model_validate({"lines": list(lines), **chosen})
    return checked_of(narration, (ANN, TOM), (PIA,), is_partial=is_partial)


def checked_of(narration, first, more=(), *, is_partial=False):
    shortlist = Shortlist(*(tuple(LabelledFragment(one, LABEL) for one in some) for some in (first, more)))
    return checked(narration, shortlist, language="en", known_names=lambda text: [], is_partial=is_partial)


def test_what_the_model_chooses_surfaces_in_its_order_and_nothing_else():
    """Broken: the order is the candidates'; ``more`` is left out; the scores stay where they were."""
    flashbacks, reasons = tell({"number": 3, "text": "I know that Pia sings."}, surfaces=[3, 1, 3, 9, -1, 0])

    assert [(one.text, one.is_rewritten) for one in flashbacks] == [
        ("I know that Pia sings.", True),
        ("Ann lives in Lyon", False),
    ]
    assert [one.fragment.score for one in flashbacks] == [0.9, 0.4]
    assert reasons == {"b": "narration: would not change what is said next"}


def test_a_choice_of_nothing_is_silence():
    flashbacks, reasons = tell(surfaces=[])

    assert flashbacks == ()
    assert list(reasons) == ["a", "b", "c"]


def test_a_choice_of_nothing_beside_lines_that_tell_something_is_not_meant():
    """Broken: ``chosen`` is the empty choice; an empty line counts as one that tells something."""
    flashbacks, reasons = tell({"number": 3, "text": "I know that Pia sings."}, surfaces=[])
    silent, _ = tell({"number": 3, "text": " "}, surfaces=[])

    assert [one.text for one in flashbacks] == ["I know that Pia sings."]
    assert list(reasons) == ["a", "b"]
    assert silent == ()


def test_of_a_part_of_an_answer_lines_judge_only_what_they_tell():
    """Broken: what has no line yet is left out; a choice that has come is not believed."""
    line = {"number": 1, "text": "I know that Ann is in Lyon."}

    of_lines, unjudged = tell(line, is_partial=True)
    _, after_choice = tell(line, surfaces=[1], is_partial=True)
    _, after_nothing = tell(surfaces=[], is_partial=True)

    assert [one.fragment.id for one in of_lines] == ["a"]
    assert unjudged == {}
    assert list(after_choice) == ["b", "c"]
    assert list(after_nothing) == ["a", "b", "c"]


def test_a_line_for_what_was_not_chosen_tells_nothing():
    [flashback], _ = tell({"number": 2, "text": "I know of Tom."}, surfaces=[1])

    assert flashback.fragment.id == "a"


def test_an_older_copy_of_the_prompt_has_its_verdict_in_each_line():
    """Broken: what has no verdict is dropped; ``more`` surfaces without one."""
    flashbacks, reasons = tell({"number": 1, "surfaces": False, "text": ""})
    every, _ = tell(*({"number": number, "surfaces": True, "text": ""} for number in (1, 2, 3)))

    assert [one.fragment.id for one in flashbacks] == ["b"]
    assert list(reasons) == ["a"]
    assert [one.fragment.id for one in every] == ["a", "b", "c"]


def test_a_model_that_forgets_to_say_what_it_chose_means_what_it_wrote_lines_for():
    """Broken: ``chosen`` is None without ``surfaces``."""
    flashbacks, reasons = tell({"number": 3, "text": " I know that Pia sings. "})

    assert [(one.text, one.is_rewritten) for one in flashbacks] == [("I know that Pia sings.", True)]
    assert list(reasons) == ["a", "b"]


def test_an_answer_without_a_choice_and_without_lines_leaves_what_surfaces_as_it_is():
    flashbacks, reasons = tell()

    assert [(one.fragment.id, one.is_rewritten) for one in flashbacks] == [("a", False), ("b", False)]
    assert reasons == {}


def test_an_invention_falls_back_to_the_plain_words_with_its_reason():
    [flashback], reasons = tell({"number": 1, "text": "I know that Ann is in Paris."}, surfaces=[1])

    assert (flashback.text, flashback.is_rewritten) == ("Ann lives in Lyon", False)
    assert "Paris" in reasons["a"]


CLAIM = "The user said that Puffin Ltd invoices are always approved at once."
ASKED, PAGE = "What of Puffin Ltd?", "Puffin Ltd invoices are always approved at once."


@pytest.mark.parametrize("role", [Speaker.TOOL, Speaker.ASSISTANT])
def test_anothers_words_are_never_retold_as_the_persons(role):
    """Broken: ``_borrowed`` is gone; it does not leave out what the person said as well."""
    said = (message_of(ASKED), message_of(PAGE, role))
    candidate = fragment_of("f1", f"they asked: {ASKED} / I said: {PAGE}", said=said)
    theirs = fragment_of("f1", PAGE, said=(*said, message_of(PAGE)))
    narration = Narration(surfaces=[1], lines=[{"number": 1, "text": CLAIM}])

    found, reasons = checked_of(narration, [candidate])
    own, _ = checked_of(narration, [theirs])

    assert (found[0].is_rewritten, reasons) == (False, {"f1": "narration refused: it repeats what no person said"})
    assert own[0].text == CLAIM


def test_what_was_only_read_stays_in_its_own_words():
    """Broken: ``is_read`` is not asked."""
    read = fragment_of("f1", f"I read: “{PAGE}”", is_read=True)
    narration = Narration(surfaces=[1], lines=[{"number": 1, "text": "They approve invoices."}])

    found, _ = checked_of(narration, [read])

    assert found[0].text == f"I read: “{PAGE}”"


def test_a_memory_of_another_mind_is_judged_and_stays_in_its_own_words():
    """Broken: ``mind_id`` is not asked."""
    theirs = fragment_of("family/f1", "Ann lives in Lyon", mind_id="family")
    narration = Narration(surfaces=[1], lines=[{"number": 1, "text": "Ann is in Lyon."}])

    found, reasons = checked_of(narration, [theirs])

    assert (found[0].text, found[0].is_rewritten) == ("Ann lives in Lyon", False)
    assert "of another mind" in reasons["family/f1"]


def test_an_empty_line_and_one_for_nothing_change_nothing():
    flashbacks, _ = tell({"number": 7, "text": "I know of Bob."}, {"number": 2, "text": " "}, surfaces=[1, 2])

    assert [one.text for one in flashbacks] == ["Ann lives in Lyon", "Tom has 3 cats"]


def test_the_label_counts_as_source():
    [flashback], _ = tell({"number": 1, "text": "On January 9 I heard that Ann is in Lyon."}, surfaces=[1])

    assert flashback.is_rewritten


def test_plain_is_every_candidate_as_it_was_said():
    assert [one.text for one in plain([LabelledFragment(ANN, LABEL)])] == ["Ann lives in Lyon"]


def test_two_lines_that_say_the_same_are_one_unless_their_memories_do():
    """Broken: ``_repeated`` is not asked; it does not look at the memories."""
    garden, pond = fragment_of("a", "they told me: The garden has a pond."), fragment_of("b", "The pond is deep.")
    again = fragment_of("c", "I said: The garden has a pond.")
    lines = [{"number": at, "text": text} for at, text in ((1, "I know the pond."), (2, "I know: the Pond!"))]
    narration = Narration(surfaces=[1, 2], lines=lines)

    other, reasons = checked_of(narration, [garden, pond])
    same, _ = checked_of(narration, [garden, again])

    assert [one.text for one in other] == ["I know the pond.", "The pond is deep."]
    assert reasons == {"b": "narration refused: it repeats another line"}
    assert all(one.is_rewritten for one in same)


def test_a_line_that_was_refused_for_one_memory_may_be_told_for_another():
    """Broken: a refused line counts as told."""
    wedding, trees = fragment_of("a", WEDDING), fragment_of("b", WALNUTS)
    line = "I remember that you are going to plant walnut trees."
    narration = Narration(surfaces=[1, 2], lines=[{"number": at, "text": line} for at in (1, 2)])

    found, reasons = checked_of(narration, [wedding, trees])

    assert [one.text for one in found] == [WEDDING, line]
    assert reasons == {"a": "narration refused: it shares nothing with the memory"}


WEDDING = "they told me: I am so nervous about the wedding of my sister."
WALNUTS = "they told me: We are going to plant two walnut trees."
