"""A line retells its memory, or it is refused. Every docstring says what was broken, once, to see the test fail."""

import pytest

from service.resonance.retelling import fault_of_retelling, say_the_same
from tests.support.fragments import fragment_of

WALNUTS = "they told me: We are going to plant two walnut trees."
POND = "mir wurde erzählt: Wir haben im Garten einen Teich angelegt."
NUTS_ZH = "对方告诉我：我们打算种两棵核桃树。"
WEDDING_JA = "聞いたこと：妹の結婚式がとても楽しみです。"
NUTS_TH = "เราจะปลูกต้นวอลนัทสองต้นในสวน"
NUTS_AR = "قيل لي: سوف نزرع شجرتي جوز في الحديقة"
NUTS_RU = "мне рассказали: мы хотим посадить во дворе два ореха, чтобы было больше тени"


def fault(memory, line, *, language):
    return fault_of_retelling(line, fragment_of("a", memory), language=language)


@pytest.mark.parametrize("line", ["…", "...", "“…”", "- – —", "?!", "👍"])
def test_a_line_without_a_word_retells_nothing(line):
    assert fault(WALNUTS, line, language="en") == "it has no words"


@pytest.mark.parametrize(
    ("language", "memory", "line"),
    [
        ("en", WALNUTS, "I remember the user said …"),
        ("en", WALNUTS, "You told me that..."),
        ("en", "Ann told me: My sister is ill.", "Ann told me: “…”"),
        ("de", POND, "I remember the user said …"),
        ("de", POND, "Ich erinnere mich, dass du gesagt hast …"),
        ("fr", WALNUTS, "Je me souviens que vous m'avez dit…"),
        ("zh", NUTS_ZH, "我记得用户说过……"),
        ("ja", WEDDING_JA, "ユーザーが言っていました…"),
        ("ar", NUTS_AR, "أتذكر أن المستخدم قال …"),
    ],
)
def test_a_lead_that_breaks_off_retells_nothing(language, memory, line):
    """Broken: ``_is_bare`` knows one language; the name in a lead counts as content."""
    assert fault(memory, line, language=language) == "it breaks off before it tells anything"


@pytest.mark.parametrize("line", ["I remember that you plant trees …", "Walnut trees …"])
def test_a_line_that_tells_something_may_break_off(line):
    assert fault(WALNUTS, line, language="en") == ""


@pytest.mark.parametrize(
    ("language", "memory", "line"),
    [
        ("en", WALNUTS, "I remember that she never wants to see her again."),
        ("en", WALNUTS, "You told me that your brother hates the smell of coriander."),
        ("de", POND, "Ich erinnere mich, dass du Hunde überhaupt nicht leiden kannst."),
        ("zh", NUTS_ZH, "我记得用户说过她再也不想见到她。"),
        ("ja", WEDDING_JA, "ユーザーは犬が嫌いだと言っていました。"),
        ("th", NUTS_TH, "ฉันจำได้ว่าเธอเกลียดแมว"),
        ("ar", NUTS_AR, "أتذكر أن أختك لا تحب القطط أبدا"),
        ("ru", NUTS_RU, "Я помню, что твоя сестра очень боится собак."),
    ],
)
def test_a_line_that_shares_nothing_with_its_memory_is_refused(language, memory, line):
    """Broken: ``_shares_content`` is True; the words of the lead count."""
    assert fault(memory, line, language=language) == "it shares nothing with the memory"


@pytest.mark.parametrize(
    ("language", "memory", "line"),
    [
        ("en", WALNUTS, "I remember that you planned some planting."),
        ("en", "they told me: My dad passed away in the hospital in spring.", "I remember that your father died."),
        ("en", "they told me: I adopted a stray puppy from the shelter.", "I remember you took in a homeless dog."),
        ("en", "they told me: The flat costs us 1620 every single month.", "You pay 1620 for where you live."),
        ("en", "they told me: I got sacked on a Monday in the rain.", "I remember that Monday when they fired you."),
        ("en", "I like jazz", "I remember that you never miss a concert."),
        ("de", POND, "Ich weiß, dass ihr einen Gartenteich habt."),
        ("zh", NUTS_ZH, "我记得你们想种核桃。"),
        ("zh", "对方告诉我：我爱猫。", "我记得你喜欢猫。"),
        ("ja", WEDDING_JA, "妹さんが結婚すると聞きました。"),
        ("ja", "聞いたこと：すしがすきです。", "寿司が好きだと言っていました。"),
        ("th", NUTS_TH, "ฉันจำได้ว่าคุณจะปลูกต้นวอลนัท"),
        ("ar", NUTS_AR, "أتذكر أنكم ستزرعون أشجار الجوز"),
        ("ru", NUTS_RU, "Помню, вы собирались сажать орехи у дома."),
        ("ko", "우리는 정원에 호두나무 두 그루를 심을 거예요", "호두를 심는다고 들었어요"),
    ],
)
def test_a_line_that_says_the_same_by_other_words_passes(language, memory, line):
    """Broken: words are compared as they are written; texts that say little are compared; hiragana counts."""
    assert fault(memory, line, language=language) == ""


@pytest.mark.parametrize(
    ("language", "memory", "line"),
    [
        ("de", WALNUTS, "Ich erinnere mich, dass ihr zwei Walnussbäume pflanzen wollt."),
        ("en", POND, "I remember that you have dug a pond in the garden."),
        ("en", NUTS_ZH, "I remember that you are going to plant two walnut trees."),
        ("zh", WALNUTS, "我记得你们打算种两棵核桃树。"),
        ("pt-BR", WALNUTS, "Lembro que vocês vão plantar duas nogueiras no jardim."),
        ("en", "I said: We plant trees. / they told me: Wir haben im Garten einen Teich.", "I know you have a pond."),
    ],
)
def test_a_line_in_the_language_asked_for_may_retell_a_memory_in_another(language, memory, line):
    """Broken: words are compared across languages."""
    assert fault(memory, line, language=language) == ""


@pytest.mark.parametrize(
    ("language", "memory", "line", "told_in"),
    [
        ("en", WALNUTS, "Ich erinnere mich, dass du Walnüsse nicht magst.", "de"),
        (
            "es",
            "me contó: Vamos a plantar dos nogales en el jardín.",
            "I remember that you want to plant two walnut trees.",
            "en",
        ),
        ("en-GB", WALNUTS, "我记得你们打算种两棵核桃树。", "zh"),
        ("en", "they told me: I love Lyon.", "Ich liebe Lyon.", "de"),
    ],
)
def test_a_line_in_another_language_than_the_one_asked_for_is_refused(language, memory, line, told_in):
    """Broken: ``_is_another`` is False; ``_by_function_words`` finds none."""
    assert fault(memory, line, language=language) == f"it is told in another language: {told_in}"


@pytest.mark.parametrize(
    ("language", "memory", "line"),
    [
        ("en", "they told me: Ich mag keine Walnüsse.", "Du magst keine Walnüsse, das weiß ich noch sehr gut."),
        ("en", WALNUTS, "Zwei Walnussbäume."),
        ("en", WALNUTS, "Walnut trees, as in “核桃树”."),
        ("nb", "they told me: Jeg bor i Oslo med mor.", "Jeg husker at du bor i Oslo sammen med din mor."),
        ("sk", "they told me: Chceme zasadiť orechy.", "Pamätám si, že chcete v záhrade zasadiť dva orechy."),
        ("", WALNUTS, "Ich erinnere mich, dass du Walnussbäume pflanzen wolltest."),
    ],
)
def test_no_line_is_refused_for_a_language_that_is_not_sure_or_the_memorys_own(language, memory, line):
    """Broken: ``_may_be_in`` is False; a short text is sure; a language that can not be detected is taken for another."""
    assert fault(memory, line, language=language) == ""


def test_lines_that_differ_in_marks_and_capitals_say_the_same():
    assert say_the_same("I know: the Pond!", "i know the pond")
    assert not say_the_same("I know the pond", "I know a pond")
