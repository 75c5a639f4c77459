"""
What is shown of a turn: all of a short one, of a long one the sentences that the queries are about.

Every docstring says what was broken, once, to see the test fail.
"""

import pytest

from consolidation.kernel.turns import Message, Speaker, StoredTurn, Turn
from service.index.remembered_messages import MOST_CHARACTERS
from service.resonance.label_words import VOCABULARIES
from service.retrieval.excerpt import excerpt, plain, query_words
from service.retrieval.lead_words import LEADS, leads
from tests.support.fragments import NOON, kept_of

CHATTER = "The weather was mild and the coffee was hot that morning in the old town. "
LYON, CELLO = "My aunt Carla lives in Lyon.", "She plays the cello every evening."


def shown(turn, *queries, **more):
    return excerpt(turn, wanted=query_words(queries), **({"language": "en"} | more))


def long_turn(*pieces):
    return kept_of(1, " ".join(pieces))


def test_a_short_turn_is_told_whole_on_one_line_and_says_who_told_it():
    """Broken: newlines stay; the lead is left out."""
    assert shown(kept_of(1, "My aunt\nlives in Lyon.")) == "they told me: My aunt lives in Lyon."


def test_nothing_is_looked_for_behind_what_is_remembered_of_a_long_text():
    """Broken: a document of 300,000 letters was read whole before each turn, and three of them came too late."""
    text = LYON + " " + CHATTER * 300
    end = MOST_CHARACTERS[Speaker.USER]

    assert CELLO not in shown(kept_of(1, text[:end] + CELLO), "cello")
    assert CELLO in shown(kept_of(1, text[: end - 100] + CELLO), "cello")


def test_what_the_bot_said_is_left_out_where_the_person_told_something():
    """Broken: ``not tells`` is gone: the bot's small talk becomes a memory."""
    assert shown(kept_of(1, LYON, "Nice!")) == f"they told me: {LYON}"


def test_where_the_person_only_asked_both_the_question_and_the_answer_are_told():
    """Broken: what the bot said is never told; a question is led as if it told something."""
    turn = kept_of(1, "Which book should I read?", "Read Momo.")

    assert shown(turn) == "they asked: Which book should I read? / I said: Read Momo."


@pytest.mark.parametrize(
    ("told", "answer"),
    [
        ("My hair still falls out. How long will that go on", "Often three to six months."),
        ("It's her birthday tomorrow, write us a toast", "May your oven always be warm."),
        ("Callum's come down to 32. Spread over three years. What's that a month", "888.89 a month."),
    ],
)
def test_where_the_person_told_something_and_asked_the_answer_is_told_too(told, answer):
    """Broken: an answer is told only where the person told nothing."""
    assert shown(kept_of(1, told, answer)) == f"they told me: {told} / I said: {answer}"


@pytest.mark.parametrize(
    ("language", "order"),
    [
        ("en", "recipe for a stew please, for 4, no beer"),
        ("nl", "recept voor hachee graag, voor 4, zonder bier"),
        ("de", "Rezept für Gulasch bitte, für 4"),
        ("fr", "une recette de daube s'il te plaît, pour 4"),
        ("es", "receta de cocido por favor, para 4"),
    ],
)
def test_an_order_without_a_verb_is_told_with_what_came_of_it(language, order):
    """Broken: it counts as something told, and the recipe is left out."""
    assert "Brown the onions." in shown(kept_of(1, order, "Brown the onions."), language=language)


@pytest.mark.parametrize("told", ["My son is allergic to nuts, please be careful.", "Mijn dochter komt graag langs."])
def test_who_says_please_may_tell_something(told):
    assert "Noted" not in shown(kept_of(1, told, "Noted, and good luck with it."))


def test_the_bots_own_words_are_told_to_whoever_asks_for_them():
    """Broken: the sum that it worked out is left out, since the person told something, too."""
    turn = kept_of(1, "The van is 8,000 over four years.", "That is 167 pounds a month.")

    assert "167" not in shown(turn)
    assert shown(turn, recalls_answer=True).endswith("I said: That is 167 pounds a month.")


def test_what_the_bot_put_right_is_told_beside_the_correction():
    """Broken: ``_is_memory`` is False: "that's the old place" without the new one."""
    turn = kept_of(1, "mate. thats the OLD place", "Sorry: come to 3 Mill Lane.")
    noted = kept_of(1, "No, she lives in Lyon.", "Sorry, noted.")
    kind = kept_of(1, "My dog is ill.", "Sorry to hear that, get well soon.")

    assert shown(turn) == "they told me: mate. thats the OLD place / I said: “Sorry: come to 3 Mill Lane.”"
    assert shown(noted) == "they told me: No, she lives in Lyon."
    assert shown(kind) == "they told me: My dog is ill."


def test_a_text_that_the_bot_made_is_told_though_it_was_wanted_without_a_verb():
    """Broken: ``_MADE`` is not asked: "opening line for my speech" without the line."""
    turn = kept_of(1, "opening line for my speech", '"Pat once sold me my own bicycle."')
    talk = kept_of(1, "My speech went well.", '"Well" is a start. What else?')

    assert shown(turn).endswith('/ I said: "Pat once sold me my own bicycle."')
    assert shown(talk) == "they told me: My speech went well."


def test_an_answer_that_knows_nothing_is_left_out():
    """Broken: ``knows_not`` is not asked: "you never told me" surfaces as a memory."""
    turn = kept_of(1, "Where does my aunt live?", "I don't know, you haven't told me.")

    assert shown(turn) == "they asked: Where does my aunt live?"


def test_of_a_turn_that_was_denied_the_bots_words_are_left_out():
    """Broken: ``is_denied`` changes nothing: what was wrong surfaces again."""
    turn = kept_of(1, "Where does my aunt live?", "She lives in Paris.")

    assert shown(turn, is_denied=True) == "they asked: Where does my aunt live?"


def test_a_short_answer_has_the_question_of_the_turn_before_in_front():
    """Broken: ``_FEW_WORDS`` is 0; a statement counts as a question; a long answer has the question as well."""
    asked, remarked = kept_of(1, "Hi!", "Hello. Where does your aunt live?"), kept_of(1, "Hi!", "Nice to see you.")

    assert shown(kept_of(2, "In Lyon."), before=asked) == "I said: Where does your aunt live? / they told me: In Lyon."
    assert shown(kept_of(2, "In Lyon."), before=remarked) == "they told me: In Lyon."
    assert shown(kept_of(2, f"{LYON} {CELLO}"), before=asked) == f"they told me: {LYON} {CELLO}"


def test_a_sentence_without_spaces_is_not_a_short_answer():
    """Broken: words are counted by the spaces between them."""
    asked = kept_of(1, "你好！", "你好。你吃过了吗？")
    told = shown(kept_of(2, "星期六我和妹妹去成都看了外婆，她身体很好。"), before=asked)

    assert "你吃过了吗" not in told
    assert "你吃过了吗" in shown(kept_of(2, "在成都。"), before=asked)


def test_a_speaker_with_a_name_is_named():
    """Broken: ``message.name`` is not asked."""
    turn = StoredTurn(1, NOON, Turn("t1", "s1", (Message(Speaker.USER, LYON, name="Ann"),)))

    assert shown(turn) == f"Ann told me: {LYON}"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", f"mir wurde erzählt: {LYON}"),
        ("es", f"me contó: {LYON}"),
        ("fr", f"on m'a dit : {LYON}"),
        ("zh", f"对方告诉我：{LYON}"),
        ("zh_TW", f"對方告訴我：{LYON}"),
        ("ja", f"聞いたこと：{LYON}"),
        ("ru", f"мне рассказали: {LYON}"),
        ("ar", f"قيل لي: {LYON}"),
        ("pt-BR", f"me contou: {LYON}"),
        ("xx", f"they told me: {LYON}"),
    ],
)
def test_the_lead_is_in_the_language_of_the_reader(language, text):
    """Broken: ``leads`` looks for the tag as it is."""
    assert shown(kept_of(1, LYON), language=language) == text


def test_every_language_of_the_labels_has_every_lead():
    """Broken: a language or a lead is taken out of ``LEADS``."""
    assert LEADS.keys() == VOCABULARIES.keys()
    for words in LEADS.values():
        assert words.keys() == LEADS["en"].keys()
        assert "{name}" in words["named"]
    assert leads("zh-Hant") != leads("zh") != leads("en")


def test_the_marks_of_markdown_are_not_told():
    """Broken: ``plain`` leaves them."""
    assert (
        plain("# Plan\n- **Carla** lives in [Lyon](https://lyon.fr)\n1. `cello`") == "Plan Carla lives in Lyon; cello"
    )


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("interest is rest * 1.04**years", None),
        ("the sample was 3**4, so 81 mice", None),
        ("put dist/**/*.js into it", None),
        ("a ** b ** c, and ~5 ~~ 6", None),
        ("`__call__` wraps `__init__` and takes `**kwargs`", "__call__ wraps __init__ and takes **kwargs"),
        ("Like this:\n```python\nx = 2 ** i\n__all__ = ['a']\n```", "Like this: x = 2 ** i __all__ = ['a']"),
        ("- **`foo`**: bar, **b**, __very much__, ~~gone~~", "foo: bar, b, very much, gone"),
        ("这是**重要**的", "这是重要的"),
    ],
)
def test_what_only_looks_like_a_mark_is_told_as_it_was_said(said, told):
    """Broken: every ``**`` and ``__`` is taken away: "3**4" is 34."""
    assert plain(said) == (told or said)


def test_numbers_and_dashes_in_a_sentence_stay():
    """Broken: the marks of a list are taken out wherever they stand."""
    told = "A press from 1890. It stands in berth 9. The agent reckons 285. Open 2 - 3 pm."

    assert plain(told) == told


def test_of_a_long_turn_the_sentence_with_the_words_of_the_query_is_shown():
    """Broken: ``order`` is that of the text: then the aunt is cut off."""
    text = shown(long_turn(CHATTER * 8, LYON, CHATTER * 8), "Where does Carla live?")

    assert LYON in text
    assert len(text) <= 440


def test_what_is_left_out_before_between_and_after_is_marked():
    """Broken: ``_joined`` sets no ellipsis, or sets one where nothing is missing."""
    middle = shown(long_turn(CHATTER * 8, LYON, CHATTER * 8), "Carla aunt Lyon")
    start = shown(long_turn(LYON, CHATTER * 12), "Carla aunt Lyon")

    assert middle.endswith(f" … {LYON} {CHATTER.strip()} …")
    assert start.startswith(f"they told me: {LYON} {CHATTER.strip()}")
    assert start.endswith(" …")
    assert "…" not in shown(long_turn(LYON, CHATTER * 2), "Carla aunt Lyon")


def test_what_stands_right_behind_a_sentence_that_fits_is_told_with_it():
    """Broken: ``_NEXT_SHARE`` is 0: then the first sentences of the turn fill the room."""
    text = shown(long_turn(CHATTER * 8, LYON, CELLO, CHATTER * 8), "Where is aunt Carla of Lyon?")

    assert f"{LYON} {CELLO}" in text


def test_chosen_sentences_stay_in_their_order_though_the_later_one_fits_better():
    """Broken: ``chosen`` is not sorted."""
    text = shown(long_turn(LYON, CHATTER * 8, CELLO), "cello every evening", "aunt")

    assert text.index(LYON) < text.index(CELLO)


def test_who_said_it_is_told_once_a_message_however_many_of_its_sentences_are_shown():
    """Broken: every sentence has its lead in front, or none has."""
    asks = f"What of Carla? Where is her cello? {'Why is the sky blue? ' * 20}"
    text = shown(kept_of(1, asks, f"Her cello is old. {CHATTER * 8}"), "Carla cello lives")

    assert text.count("they asked: ") == 1
    assert text.count("I said: ") == 1


def test_a_first_sentence_that_is_too_long_is_shown_all_the_same():
    """Broken: ``chosen and`` is gone: then nothing would be shown."""
    endless = "word " * 300

    assert "word word word" in shown(long_turn(endless), "word")


def test_of_a_long_list_the_item_that_is_asked_for_is_shown():
    """Broken: the lines are joined before sentences are looked for: one sentence, whose end is cut off."""
    packed = "\n".join(f"- {thing} in the grey bag on the left" for thing in ("socks", "hats", "knives", "ropes") * 9)
    turn = kept_of(1, f"My packing list:\n{packed}\n- passports in the drawer of the desk")

    assert "passports in the drawer of the desk" in shown(turn, "Where are the passports in my packing list?")


def test_of_a_dictated_text_without_full_stops_what_is_asked_for_is_shown():
    """Broken: it is one sentence, of which the beginning is shown."""
    talk = "and then we went on to the market where it was quite cold and full of people "
    turn = long_turn(talk * 12, "and my knee operation is on the ninth of March ", talk * 3)

    told = shown(turn, "When is my knee operation?")
    assert "my knee operation is on the ninth of March" in told
    assert len(told) < 500


def test_a_sentence_is_not_chosen_for_words_that_say_nothing():
    """Broken: the words of the query that every sentence has count as much as those that tell something."""
    diary = [
        f"In the morning I had the soup that I have in the small place of the old town, number {n}." for n in range(9)
    ]
    turn = long_turn(*diary, "Locker code: 4471.", *diary)

    assert "Locker code: 4471." in shown(turn, "What is the code of the locker that I have in the gym?")


def test_of_a_turn_of_many_messages_those_that_are_asked_for_are_shown():
    """Broken: the first ones are shown until there is no room."""
    said = [f"{n}: {CHATTER * 3}" for n in range(10)]
    messages = [one for text in said for one in (text, "Fine.")]
    turn = kept_of(1, *messages, "The padlock of the shed opens with 3312.", "Fine.")

    told = shown(turn, "How does the padlock open?")
    assert "they told me: The padlock of the shed opens with 3312." in told
    assert " / … / " in told
    assert len(told) < 1_300


def test_tools_and_system_messages_are_shown_only_where_nobody_spoke():
    """Broken: every role is told; the fallback to all messages is gone."""
    tool = Message(Speaker.TOOL, "exit code 0")
    spoken = Message(Speaker.USER, LYON)

    assert shown(StoredTurn(1, NOON, Turn("t1", "s1", (spoken, tool)))) == f"they told me: {LYON}"
    assert shown(StoredTurn(1, NOON, Turn("t1", "s1", (tool,)))) == "I read: “exit code 0”"


def test_what_a_tool_showed_is_told_where_only_it_has_the_words_that_are_wanted():
    """Broken: a tool's output is told only where nobody said a word; it is told whenever it is there."""
    thought = Message(Speaker.THOUGHT, "The provider refuses us again, so I wait.", NOON)
    output = Message(Speaker.TOOL, "HTTP/1.1 429 Too Many Requests", NOON, "curl")
    turn = StoredTurn(1, NOON, Turn("t1", "s1", (thought, output)))

    assert "429" in shown(turn, "status 429")
    assert "429" not in shown(turn, "provider refuses")
    assert "wait" in shown(turn, "status 429")


def test_what_is_wanted_is_found_behind_what_is_remembered_of_tool_output_and_of_a_thought():
    """Broken: of these, only as much was read as is remembered, 600 and 4,000 characters."""
    spoken = Message(Speaker.USER, "The deploy did not go through.")
    output = Message(Speaker.TOOL, "step done\n" * 200 + "HTTP/1.1 429 Too Many Requests", NOON, "deploy")
    diary = Message(Speaker.THOUGHT, CHATTER * 60 + CELLO, NOON)

    assert "429" in shown(StoredTurn(1, NOON, Turn("t1", "s1", (spoken, output))), "deploy status 429")
    assert CELLO in shown(StoredTurn(1, NOON, Turn("t1", "s1", (diary,))), "cello")


def test_a_long_turn_is_told_anew_for_each_query():
    """Broken: what is wanted is not asked for where the turn is remembered."""
    turn = long_turn(LYON, CHATTER * 6, CELLO)

    assert "cello" in shown(turn, "Who plays the cello?")
    assert "Lyon" in shown(turn, "Who lives in Lyon?")
