"""A line says what its memory says: not the contrary, nor as so what may be or was asked. Each docstring says what was broken."""

import pytest

from consolidation.kernel.turns import Speaker
from service.resonance.retold_sense import fault_of_sense, misattributed, told_of_another
from tests.support.fragments import fragment_of, message_of


def fault(language, memory, line):
    return fault_of_sense(line, fragment_of("a", memory), language=language)


@pytest.mark.parametrize(
    ("language", "memory", "line"),
    [
        (
            "de",
            "mir wurde erzählt: Ich bin nicht allergisch gegen Erdnüsse.",
            "Ich weiß, dass du gegen Erdnüsse allergisch bist.",
        ),
        ("de", "they told me: I am not allergic to peanuts.", "Ich weiß, dass du gegen Erdnüsse allergisch bist."),
        ("es", "me contó: No soy alérgica a los cacahuetes.", "Recuerdo que eres alérgica a los cacahuetes."),
        ("fr", "on m'a dit : Je ne suis pas allergique aux noix.", "Je me souviens que tu es allergique aux noix."),
        ("pt", "me contou: Não como carne.", "Lembro que você come carne."),
        ("pl", "opowiedziano mi: Nie jem mięsa.", "Pamiętam, że jesz mięso."),
        ("ru", "мне рассказали: Я не ем мясо.", "Я помню, что ты ешь мясо."),
        ("zh", "对方告诉我：我不吃花生。", "我记得你吃花生。"),
        ("ja", "聞いたこと：私はピーナッツを食べません。", "あなたはピーナッツを食べると聞きました。"),
        ("ar", "قيل لي: أنا لا آكل الفول السوداني", "أتذكر أنك تأكل الفول السوداني"),
        (
            "en",
            "they told me: My daughter Lea is allergic to nuts and my son Tim is not.",
            "I remember your son Tim is allergic to nuts.",
        ),
    ],
)
def test_a_line_that_denies_what_its_memory_says_or_says_what_it_denies_is_refused(language, memory, line):
    """Broken: ``_denies_alike`` is True; the words of a language are missing."""
    assert fault(language, memory, line) == "only one of it and the memory denies something"


@pytest.mark.parametrize(
    ("language", "memory", "line"),
    [
        ("it", "mi ha detto: Forse vado a vivere a Porto.", "Ricordo che vivi a Porto."),
        ("nl", "mij werd verteld: Misschien verhuis ik naar Porto.", "Ik weet dat je naar Porto bent verhuisd."),
        ("en", "they told me: If Ines ever moved to Porto I would cry.", "I remember Ines moved to Porto."),
    ],
)
def test_what_may_be_is_not_told_as_so(language, memory, line):
    """Broken: ``_supposes`` is False."""
    assert fault(language, memory, line) == "it tells as so what may be"


@pytest.mark.parametrize(
    ("language", "memory", "line"),
    [
        (
            "en",
            "they asked: Should I quit my job at Arup? / I said: Many people quit in spring.",
            "I remember you quit your job at Arup.",
        ),
        (
            "de",
            "gefragt wurde: Mag meine Schwester Ines Erdnüsse?",
            "Ich weiß, dass deine Schwester Ines Erdnüsse mag.",
        ),
        (
            "fr",
            "on m'a demandé : Est-ce que ma sœur Inès aime les noix ?",
            "Je me souviens que ta sœur Inès aime les noix.",
        ),
    ],
)
def test_what_was_asked_is_not_told_as_so(language, memory, line):
    """Broken: questions are not looked for."""
    assert fault(language, memory, line) == "it tells as so what was asked"


@pytest.mark.parametrize(
    ("language", "memory", "line"),
    [
        (
            "en",
            "they told me: My sister Ines lives in Porto and doesn't like the rain.",
            "I remember that your sister Ines lives in Porto.",
        ),
        (
            "en",
            "they told me: My sister Ines lives in Porto in a nice flat. She is not allergic to peanuts.",
            "I remember your sister Ines lives in Porto and is not allergic to peanuts.",
        ),
        ("en", "they told me: Ines eats walnuts, but not peanuts.", "I remember Ines eats walnuts but not peanuts."),
        ("en", "they told me: I don't drink coffee any more.", "You told me you no longer drink coffee."),
        (
            "en",
            "they told me: I might move to Porto next year, not sure.",
            "I remember you were thinking of moving to Porto next year.",
        ),
        ("en", "they asked: Does Ines like peanuts?", "You once asked whether Ines likes peanuts."),
        (
            "en",
            "they asked: When is my dentist appointment? / I said: It is on Friday at 10.",
            "Your dentist appointment is on Friday at 10.",
        ),
        (
            "de",
            "they told me: I am not allergic to peanuts.",
            "Ich erinnere mich, dass du nicht gegen Erdnüsse allergisch bist.",
        ),
        (
            "de",
            "mir wurde erzählt: Meine Schwester Ines wohnt in Porto, aber sie mag den Regen nicht.",
            "Ich weiß, dass deine Schwester Ines in Porto wohnt.",
        ),
        ("es", "me contó: Mi hermana Inés no come cacahuetes.", "Recuerdo que tu hermana Inés no come cacahuetes."),
        ("pt", "me contou: Moro no Porto com a minha irmã.", "Lembro que você mora no Porto com a sua irmã."),
        ("fr", "on m'a dit : Je ne mange plus de viande.", "Je me souviens que tu ne manges plus de viande."),
        ("it", "mi ha detto: Non mangio carne.", "Ricordo che non mangi carne."),
        ("nl", "mij werd verteld: Ik eet geen vlees.", "Ik weet nog dat je geen vlees eet."),
        ("pl", "opowiedziano mi: Nie jem mięsa.", "Pamiętam, że nie jesz mięsa."),
        ("ru", "мне рассказали: Я не ем мясо.", "Я помню, что ты не ешь мясо."),
        ("zh", "对方告诉我：我不吃花生。", "我记得你不吃花生。"),
        ("ja", "聞いたこと：私はピーナッツを食べません。", "あなたはピーナッツを食べないと聞きました。"),
        ("ja", "聞いたこと：妹の結婚式がとても楽しみです。", "妹さんの結婚式が楽しみだと聞きました。"),
        ("ar", "قيل لي: أنا لا آكل الفول السوداني", "أتذكر أنك لا تأكل الفول السوداني"),
        ("en", "they told me: No, Ines lives in Porto.", "I remember Ines lives in Porto."),
        ("en", "they told me: I would love to see Ines in May.", "I remember you'd love to see Ines in May."),
        ("en", "they told me: What a day, I met Ines in Porto.", "I remember you met Ines in Porto."),
    ],
)
def test_a_line_that_says_what_its_memory_says_passes(language, memory, line):
    """Broken: whole sentences are compared, not clauses; "no" denies in Portuguese; what was answered counts as asked."""
    assert fault(language, memory, line) == ""


@pytest.mark.parametrize(
    ("line", "is_refused"),
    [
        ("You told me that you stayed at Hotel Alfa.", True),
        ("You went to Hotel Alfa in Rome.", True),
        ("I suggested Hotel Alfa to you.", False),
        ("You asked me where to go in Rome.", False),
    ],
)
def test_a_name_that_the_bot_alone_said_is_not_told_as_the_persons(line, is_refused):
    """Broken: ``misattributed`` finds none; what the bot tells as its own is refused."""
    said = (message_of("Where should I go in Rome?"), message_of("Hotel Alfa is lovely.", Speaker.ASSISTANT))

    found = misattributed(line, fragment_of("a", said=said), named=["Hotel Alfa"] if "Alfa" in line else ["Rome"])

    assert bool(found) == is_refused


BOB = "I hated the concert in Oslo."


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "You hated the concert in Oslo."),
        ("en", "I hated the concert in Oslo."),
        ("en", "I remember you hated the concert in Oslo."),
        ("en", "Your brother hated the concert in Oslo."),
        ("en", "You told me you hated the concert in Oslo."),
        ("de", "Ich weiß noch, dass du das Konzert in Oslo gehasst hast."),
        ("de", "Ich habe das Konzert in Oslo gehasst."),
        ("fr", "Tu détestais le concert à Oslo."),
        ("nl", "Jij haatte het concert in Oslo."),
    ],
)
def test_what_one_says_of_themselves_is_not_told_as_anothers_or_as_the_bots(language, line):
    """Broken: whoever said it, the names in a line are looked at alone."""
    fragment = fragment_of("a", f"Bob told me: {BOB}", said=(message_of(BOB, name="Bob"),))

    assert told_of_another(line, fragment, asker="Ada", language=language)


@pytest.mark.parametrize(
    ("asker", "line"),
    [
        ("Ada", "Bob hated the concert in Oslo."),
        ("Ada", "I remember that Bob told me he hated the concert in Oslo."),
        ("Ada", "He told me that he hated the concert in Oslo."),
        ("Ada", "I was told: “I hated the concert in Oslo.”"),
        ("Ada", "Ich weiß noch, dass Bob das Konzert in Oslo gehasst hat, anders als du."),
        ("Bob", "I remember you hated the concert in Oslo."),
        ("bob", "You told me you hated the concert in Oslo."),
    ],
)
def test_what_is_told_of_who_said_it_passes(asker, line):
    """Broken: every line that says "I" or "you" is refused."""
    fragment = fragment_of("a", f"Bob told me: {BOB}", said=(message_of(BOB, name="Bob"),))

    assert told_of_another(line, fragment, asker=asker, language="en") == ""


def test_of_whoever_has_no_name_you_are_the_one():
    """Broken: a person without a name is another than who asks."""
    fragment = fragment_of("a", f"they told me: {BOB}", said=(message_of(BOB),))

    assert told_of_another("You hated the concert in Oslo.", fragment, asker="", language="en") == ""
