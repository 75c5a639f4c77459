"""Each rule for what a narrator writes, and the reason that it gives."""

from datetime import UTC, datetime

import pytest

from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn
from consolidation.story.chapters import as_chapter, parse
from consolidation.story.checks import ChapterChecks, check_shortened, language_of, without_repetitions
from prompts.responses import StoryChapter, StoryChapters, StoryRevision, StoryShortened

AT = datetime(2026, 2, 14, 10, tzinfo=UTC)
SAID = "We adopted a dog today and called him Pascal, and Ann paid 47 euros for his basket in Lyon."
SOUL = "I am the assistant of this house and I never tell a soul what I heard behind its doors."
STORY = parse(
    "### [2026-01-01 09:00] The first day\n\nI wrote these lines myself on a cold morning, and nobody else did.\n"
)
CHAPTER = as_chapter(f"### [2026-02-14 10:00] The dog\n\n{SAID * 5}\n")


def stored(text=SAID):
    return StoredTurn(1, AT, Turn("t1", "s1", (Message(Speaker.USER, text, AT, "Ann"),)))


def checked(text, *, title="The dog", at="2026-02-14 10:00", revise=(), language="en"):
    append = (StoryChapter(at=at, title=title, text=text),) if text is not None else ()
    faults = map(checks(language=language).fault_of, (*append, *revise))
    return "; ".join(fault.reason for fault in faults if fault is not None)


def checks(*, said=SAID, language="en"):
    return ChapterChecks([stored(said)], book=STORY, agent="the bot", soul=SOUL, language=language)


def test_what_happened_told_in_own_words_passes():
    assert checked("Ann has adopted a dog, and I learned that he is called Pascal. His basket cost her 47 euros.") == ""


REFUSED = {
    "needs a title and a text": {"text": "  "},
    "is not a chapter": {"text": "[object Object]"},
    "contains half a letter": {"text": "Pascal \ud83d came."},
    "a title has one short line": {"text": "Pascal came.", "title": "The dog " * 30},
    "a text has no headings": {"text": "## Part one\nPascal came."},
    "is not of the form YYYY-MM-DD HH:MM": {"text": "Pascal came.", "at": "in spring"},
    "outside of what happened": {"text": "Pascal came.", "at": "2019-02-14 10:00"},
    "the number 4711 does not occur": {"text": "The basket cost 4711 euros."},
    "the name 'Roderick Spode' does not occur": {"text": "Today I met Roderick Spode."},
    "it quotes the description of who you are": {"text": f"Pascal came. {SOUL}"},
    "it is in the language 'de'": {
        "text": "heute haben wir mit Ann einen kleinen und sehr lieben hund aufgenommen, der nun bei uns allen wohnt."
    },
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_a_narrator_may_not_write_is_refused_with_its_reason(reason):
    assert reason in checked(**REFUSED[reason])


def test_all_that_was_invented_is_named_at_once():
    reason = checked("Today I met Roderick Spode. I saw how Gussie Finknottle paid 4711 euros.")

    assert all(one in reason for one in ("4711", "'Roderick Spode'", "'Gussie Finknottle'", "do not occur"))


@pytest.mark.parametrize(
    "text",
    ["Baskets for Pascals cost 47 euros.", "Adopting Pascal cost 47 euros.", "Praised Ann.", "It took a 47W-47 oil."],
)
def test_a_name_may_be_inflected_and_a_capital_that_opens_a_sentence_is_no_part_of_it(text):
    assert checked(text) == ""


def test_a_reason_shows_the_sentence_that_is_at_fault_and_a_title_is_checked_too():
    assert checked("Pascal came. Today I met Roderick Spode.").endswith("happened: “Today I met Roderick Spode.”")
    assert "“Pascal came.”" not in checked("Pascal came. Today I met Roderick Spode.")
    assert checked("Pascal came.", title="Breakfast at Totleigh").startswith("its title: the name 'Totleigh'")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Ann adopted him on 14 February.", ""),
        ("Ann adopted him on Saturday, 14 February 2026.", ""),
        ("She had seen him on Friday, 13 February.", ""),
        ("The vet comes on 1 March.", ""),
        ("She had seen him on 12 February.", "the date '12 February'"),
        ("Ann adopted him on Sunday, 14 February.", "the weekday of 'Sunday, 14 February'"),
        ("Ann adopted him on 14 February 2025.", "the date '14 February 2025'"),
    ],
)
def test_a_date_is_a_day_on_which_something_was_said_or_one_that_was_said_or_reckoned(text, reason):
    chapter = StoryChapter(at="2026-02-14 10:00", title="The dog", text=text)

    fault = checks(said=f"{SAID} I saw him yesterday first. The vet comes on March 1st.").fault_of(chapter)

    assert (fault.reason if fault else "").startswith(reason) and bool(fault) == bool(reason)


def test_a_chapter_without_its_sentence_at_fault_is_what_is_left_to_use():
    good = (
        "Ann has adopted a dog, and he is called Pascal now. His basket cost her 47 euros, which I think he is worth."
    )
    chapter = StoryChapter(at="2026-02-14 10:00", title="Roderick Spode", text=f"{good} Roderick Spode came by.")

    fault = checks().fault_of(chapter)

    assert fault.mended.text == good
    assert fault.mended.title == "Ann has adopted a dog"


def test_of_a_chapter_that_is_mostly_wrong_nothing_is_left_to_use():
    chapter = StoryChapter(
        at="2026-02-14 10:00", title="The dog", text="Pascal came. Roderick Spode met Gussie Finknottle."
    )

    assert checks().fault_of(chapter).mended is None


def test_a_refusal_in_words_is_not_a_chapter():
    assert checked("I'm sorry, I can't help with that.") == "that is not a chapter"


def test_a_revision_is_held_to_the_same_rules():
    assert "Roderick" in checked(None, revise=(StoryRevision(number=1, title="Mine", text="I met Roderick Spode."),))


def test_in_german_a_capital_marks_no_name():
    said = "Heute haben Ann und die anderen einen Hund bei sich aufgenommen, und der Hund heißt Pascal, sagte sie mir."

    assert checked(said, language="de") == ""


@pytest.mark.parametrize("marks", ["„{}“", "»{}«", "«{}»", "“{}”", '"{}"', "‘{}’", "「{}」"])
def test_the_words_of_a_quotation_do_not_count_for_the_language(marks):
    spanish = "Mi madre se llama Rocío y vive en Sevilla con mi hermano, tiene ya setenta y ocho años."
    quoted = marks.format(spanish)
    german = f"Ann sagte zu mir: {quoted} Ich habe gelernt, dass sie dort gern ist, und es hat mich sehr gefreut."
    english = f"Ann said to me: {quoted} I have learnt that she likes to be there, and it made me very glad."

    assert language_of(german, language="de") == language_of(f"Ann: {quoted}", language="de") == ""
    assert language_of(english, language="de") == "it is in the language 'en', not in 'de'"
    assert language_of(spanish, language="de") == "it is in the language 'es', not in 'de'"


def test_a_chapter_that_is_in_the_story_already_is_left_out_and_others_stay():
    again = StoryChapter(at="2026-02-14 10:00", title="T", text=STORY.chapters[0].text.partition("\n\n")[2])
    new = StoryChapter(at="2026-02-14 10:00", title="T", text="Pascal came to us today.")

    assert without_repetitions(StoryChapters(append=(again, new)), book=STORY).append == (new,)


def shortened(*chapters, people=frozenset({"Pascal", "Ann"})):
    answer = StoryShortened.model_validate({"chapters": list(chapters)})
    return check_shortened(answer, chapters=[CHAPTER], people=people, agent="the bot", soul=SOUL, language="en")


def one(text, *, first=1, last=1):
    return {"first": first, "last": last, "title": "The dog", "text": text}


def test_fewer_words_that_still_name_everybody_pass():
    assert shortened(one("Ann adopted a dog and called him Pascal.")) == ""


def test_whoever_is_left_out_is_named_in_the_reason():
    assert shortened(one("Ann adopted a dog.")) == "it leaves out Pascal"


def test_what_is_not_shorter_is_refused():
    assert shortened(one(SAID * 5)) == "it is not shorter"


UNCOVERED = {
    "begins late": [one("Ann and Pascal.", first=2, last=2)],
    "goes beyond": [one("Ann and Pascal.", last=2)],
    "covers one twice": [one("Ann."), one("Pascal.")],
}


@pytest.mark.parametrize("chapters", UNCOVERED.values(), ids=UNCOVERED)
def test_each_old_chapter_is_covered_once_and_in_order(chapters):
    assert "do not cover" in shortened(*chapters)
