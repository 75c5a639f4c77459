"""WhatsApp's exported chats, as phones of many regions write them, become turns with speakers and times."""

import zipfile
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.kernel.errors import ImportUnreadable
from consolidation.kernel.turns import Speaker
from service.importing.formats import format_name, read_conversations
from service.importing.results import FoundTurn, Skipped
from tests.support.growth import assert_linear, repeated

ANN = datetime(2026, 1, 9, 18, 30, tzinfo=UTC)


def read(path, text, **more):
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return list(read_conversations(path, **more))


def messages(found):
    return [message for one in found if isinstance(one, FoundTurn) for message in one.turn.messages]


def skipped(found):
    return [one.reason for one in found if isinstance(one, Skipped)]


@pytest.mark.parametrize(
    "head",
    [
        "[09.01.26, 18:30:00] ",  # iOS, Germany
        "[09/01/2026, 18:30:00] ",  # iOS, United Kingdom
        "[9/1/26 18:30:00] ",
        "[2026-01-09, 6:30:00\u202fPM] ",  # iOS, Canada
        "[09/01/26, 6:30:00 p.\u00a0m.] ",  # iOS, Mexico
        "\u200e[09.01.26, 18:30:00] ",
        "[9.1.2026 klo 18.30.00] ",  # iOS, Finland
        "[09.01.2026 kl. 18.30.00] ",  # iOS, Denmark
        "09/01/2026, 18:30 - ",  # Android
        "09/01/2026 18:30 - ",
        "09.01.26, 18:30 - ",
        "09.01.26, 18:30 Uhr - ",
        "09-01-2026, 18:30 - ",
        "2026-01-09 18:30 - ",  # Android, Sweden
        "2026/01/09, 18:30 - ",
        "09/01/2026, 6:30\u202fpm - ",
        "09/01/2026 à 18:30 - ",  # Android, France
        "2026. 1. 9. 오후 6:30 - ",  # Android, Korea
        "2026/1/9 下午6:30 - ",  # Android, Taiwan
        "٩/١/٢٠٢٦, ٦:٣٠ م - ",  # Android, Egypt
    ],
)
def test_the_dates_of_all_phones(tmp_path, head):
    (found,) = read(tmp_path / "_chat.txt", f"{head}Ann: I moved to Lyon.\n")
    (said,) = found.turn.messages
    assert (said.role, said.name, said.content, said.timestamp) == (Speaker.USER, "Ann", "I moved to Lyon.", ANN)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["1/9/26, 6:30 PM", "1/13/26, 6:30 PM"], (1, 9)),  # only a month-first date can have a 13 second
        (["9/1/26, 18:30", "13/1/26, 18:30"], (1, 9)),
        (["1/9/26, 6:30 PM"], (1, 9)),  # a half of the day and a short year: the USA
        (["9/1/26, 18:30"], (1, 9)),
        (["9/1/26, 8:00", "10/1/26, 8:00", "9/2/26, 8:00"], (1, 9)),  # time goes on only if the day stands first
        (["2/1/26, 8:00", "2/2/26, 8:00", "3/1/26, 8:00"], (2, 1)),
    ],
)
def test_the_order_of_a_date_is_that_of_the_whole_chat(tmp_path, lines, expected):
    text = "".join(f"{line} - Ann: Hi\n" for line in lines)
    first = messages(read(tmp_path / "_chat.txt", text))[0].timestamp
    assert (first.month, first.day) == expected


def test_midnight_and_noon(tmp_path):
    text = "13/01/2026, 12:05 am - Ann: a\n13/01/2026, 12:05 pm - Ann: b\n"
    assert [one.timestamp.hour for one in messages(read(tmp_path / "_chat.txt", text))] == [0, 12]


def test_times_are_of_the_zone_that_is_named(tmp_path):
    text = "09/01/2026, 18:30 - Ann: Hi\n"
    (said,) = messages(read(tmp_path / "_chat.txt", text, zone=ZoneInfo("Europe/Paris")))
    assert said.timestamp == datetime(2026, 1, 9, 17, 30, tzinfo=UTC)


def test_messages_of_many_lines_files_and_lines_of_whatsapp_itself(tmp_path):
    found = read(
        tmp_path / "WhatsApp Chat with Ann.txt",
        "\ufeff09/01/2026, 18:30 - Messages and calls are end-to-end encrypted. Tap to learn more.\n"
        "09/01/2026, 18:31 - Ann: Three things:\n- bread\n\n- 12:30 at the market: don't forget\n"
        "09/01/2026, 18:32 - Bob: IMG-20260109-WA0001.jpg (file attached)\nLook at this!\n"
        "09/01/2026, 18:33 - Bob: <Media omitted>\n"
        "09/01/2026, 18:34 - Ann: This message was deleted\n"
        '09/01/2026, 18:35 - Ann changed the subject from "a: b" to "c"\n'
        "09/01/2026, 18:36 - Ann: See you <This message was edited>\n"
        "09/01/2026, 18:37 - Bob: Re: the plan: yes\n",
    )
    assert [(one.name, one.content) for one in messages(found)] == [
        ("Ann", "Three things:\n- bread\n\n- 12:30 at the market: don't forget"),
        ("Bob", "[file: IMG-20260109-WA0001.jpg]\nLook at this!"),
        ("Bob", "[attachment]"),
        ("Ann", "See you"),
        ("Bob", "Re: the plan: yes"),
    ]
    assert len(skipped(found)) == 3
    assert {one.turn.session_id for one in found if isinstance(one, FoundTurn)} == {"whatsapp:Ann"}


def test_the_marks_of_ios(tmp_path):
    path = tmp_path / "WhatsApp Chat - Ann.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "_chat.txt",
            "[09.01.26, 18:30:00] Ann: \u200eMessages and calls are end-to-end encrypted. Only people in this chat can read them.\r\n"
            "\u200e[09.01.26, 18:30:01] Ann: \u200e<attached: 00000002-PHOTO-2026-01-09-18-30-01.jpg>\r\n"
            "[09.01.26, 18:30:02] \u202a+33\u00a06\u00a012\u202c: Bonjour\u200e <This message was edited>\r\n"
            "[09.01.26, 18:30:03] Ann: \u200eBild weggelassen\r\n"
            "[09.01.26, 18:30:04] ~ Ann: \u200eThis message was deleted.\r\n",
        )
        archive.writestr("00000002-PHOTO-2026-01-09-18-30-01.jpg", b"x")
        archive.writestr("__MACOSX/._chat.txt", b"x")
    found = list(read_conversations(path))
    assert format_name(path) == "whatsapp"
    assert [(one.name, one.content) for one in messages(found)] == [
        ("Ann", "[file: 00000002-PHOTO-2026-01-09-18-30-01.jpg]"),
        ("+33 6 12", "Bonjour"),
        ("Ann", "[attachment]"),
    ]
    assert len(skipped(found)) == 2
    assert found[-1].turn.session_id == "whatsapp:Ann"


@pytest.mark.parametrize(
    "words",
    [
        *("This message was deleted.", "Diese Nachricht wurde gelöscht.", "Ce message a été supprimé."),
        *("Du hast diese Nachricht gelöscht.", "このメッセージは削除されました。", "تم حذف هذه الرسالة."),
        *(
            "Missed voice call",
            "Appel vocal manqué",
            "Пропущенный аудиозвонок",
            "Llamada perdida",
            "Tämä viesti poistettiin.",
        ),
    ],
)
def test_what_ios_marks_as_whatsapps_own_is_nobodys_words_in_any_language(tmp_path, words):
    """Broken: "[Diese Nachricht wurde gelöscht.]" was what Eva said."""
    text = f"[01.01.26, 00:01:00] Eva: Hi\n[01.01.26, 00:02:00] Eva: \u200e{words}\n"
    found = read(tmp_path / "_chat.txt", text)

    assert [one.content for one in messages(found)] == ["Hi"] and len(skipped(found)) == 1


@pytest.mark.parametrize(
    "words",
    [
        *("image omitted", "Contact card omitted", "imagen omitida", "Bild weggelassen", "Kontaktkarte ausgelassen"),
        *("image absente", "audio omis", "GIF retiré", "immagine omessa", "imagem ocultada", "figurinha omitida"),
        *(
            "图像已省略",
            "画像は含まれていません",
            "لم يتم إدراج الصورة",
            "изображение отсутствует",
            "стикер не добавлен",
        ),
        *("afbeelding weggelaten", "pominięto obraz"),
    ],
)
def test_a_file_that_ios_left_out_is_an_attachment_in_twelve_languages(tmp_path, words):
    text = f"[01.01.26, 00:02:00] Eva: \u200e{words}\n[01.01.26, 00:03:00] Bob: \u200e{words}\nLook!\n"

    said = messages(read(tmp_path / "_chat.txt", text))

    assert [one.content for one in said] == ["[attachment]", "[attachment]\nLook!"]


@pytest.mark.parametrize("words", ["Diese Nachricht wurde gelöscht.", "Ce message a été supprimé", "此消息已被删除"])
def test_a_deleted_message_of_android_is_nobodys_words_and_one_about_it_is(tmp_path, words):
    text = f"09/01/2026, 18:30 - Eva: {words}\n09/01/2026, 18:31 - Eva: {words} Why?\n"

    assert [one.content for one in messages(read(tmp_path / "_chat.txt", text))] == [f"{words} Why?"]


@pytest.mark.parametrize(
    ("file", "session"),
    [
        ("WhatsApp Chat with Ann.txt", "Ann"),
        ("WhatsApp Chat with Ann (1).txt", "Ann"),  # a second download, of Chrome
        ("WhatsApp Chat with Ann(12).txt", "Ann"),  # of Firefox
        ("WhatsApp Chat with Alps (2026).txt", "Alps (2026)"),
        ("WhatsApp Chat - Ann/_chat.txt", "Ann"),  # unzipped
        ("WhatsApp Chat - Ann (1)/_chat.txt", "Ann"),
        ("Downloads/_chat.txt", "chat"),
        ("Downloads/_chat (1).txt", "chat"),
    ],
)
def test_a_chat_is_called_by_its_file_or_by_the_folder_that_was_unzipped(tmp_path, file, session):
    """Broken: a second download is another chat, and each chat of an iPhone is the same one."""
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (found,) = read(tmp_path / file, "09/01/2026, 18:30 - Ann: Hi\n")
    assert found.turn.session_id == f"whatsapp:{session}"


@pytest.mark.parametrize(
    ("name", "member", "session"),
    [
        ("WhatsApp Chat - Ann.zip", "_chat.txt", "Ann"),
        ("WhatsApp Chat - Ann (1).zip", "_chat.txt", "Ann"),
        ("Archive.zip", "WhatsApp Chat - Ann/_chat.txt", "Ann"),
        ("Archive.zip", "WhatsApp Chat with Ann (2).txt", "Ann"),
    ],
)
def test_a_chat_in_a_zip_is_called_by_its_file_its_folder_or_the_zip(tmp_path, name, member, session):
    with zipfile.ZipFile(tmp_path / name, "w") as archive:
        archive.writestr(member, "09/01/2026, 18:30 - Ann: Hi\n")
    (found,) = read_conversations(tmp_path / name)
    assert found.turn.session_id == f"whatsapp:{session}"


def test_what_follows_within_a_quarter_of_an_hour_is_one_turn(tmp_path):
    text = "".join(f"09/01/2026, {time} - Ann: {time}\n" for time in ("18:00", "18:10", "18:24", "18:40", "19:00"))
    found = read(tmp_path / "_chat.txt", text)
    assert [len(one.turn.messages) for one in found] == [3, 1, 1]


def test_a_longer_export_of_the_same_chat_renames_no_turn_of_a_talk_that_had_ended(tmp_path):
    text = "".join(f"{day:02}/01/2026, 18:00 - Ann: Day {day}\n" for day in range(1, 20))
    before = {one.turn.turn_id for one in read(tmp_path / "_chat.txt", text)}
    after = {one.turn.turn_id for one in read(tmp_path / "_chat.txt", text + "20/01/2026, 18:00 - Ann: Day 20\n")}
    assert before < after
    assert len(after) == 20


@pytest.mark.parametrize("name", ["Bot", "You", "x" * 80, "assistant"])
def test_a_speaker_who_can_not_be_called_so_here_is_named_in_the_words(tmp_path, name):
    (said,) = messages(read(tmp_path / "_chat.txt", f"09/01/2026, 18:30 - {name}: Hi\n"))
    assert (said.name, said.content) == (None, f"{name}: Hi")


def test_a_date_that_no_calendar_has_gives_a_message_without_a_time(tmp_path):
    found = read(tmp_path / "_chat.txt", "31/02/2026, 18:30 - Ann: Hi\n32/13/2026, 18:30 - Ann: Ho\n")
    assert [(one.content, one.timestamp) for one in messages(found)] == [("Hi", None), ("Ho", None)]
    assert [one.value for one in found if isinstance(one, Skipped)] == ["31/2/2026", "32/13/2026"]


@pytest.mark.parametrize(
    "text",
    ["", "\n\n", "Dear diary: nothing.\n", "25:61 - x: y\n", "[09.01.26] Ann: no time\n", "09/01/2026 - Ann: x\n"],
)
def test_another_text_is_unreadable(tmp_path, text):
    with pytest.raises(ImportUnreadable, match="can not be imported"):
        read(tmp_path / "_chat.txt", text)


def test_of_a_folder_chats_are_read_and_other_texts_and_hidden_files_are_not(tmp_path):
    for name in ("WhatsApp Chat with Ann.txt", "notes.txt", ".WhatsApp Chat with Eve.txt", ".cache/_chat.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("09/01/2026, 18:30 - Ann: Hi\n")
    found = list(read_conversations(tmp_path))
    assert [one.turn.session_id for one in found] == ["whatsapp:Ann"]


@given(st.lists(st.text(alphabet=st.sampled_from("1/9:, -[]AP M.\n\u200e\u202fxé٩"), max_size=60), max_size=6))
def test_no_text_crashes_it(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("chat") / "_chat.txt"
    found = read(path, "09/01/2026, 18:30 - Ann: Hi\n" + "\n".join(lines))
    assert messages(found)[0].content.startswith("Hi")
    assert all(one.content.strip() for one in messages(found))


def test_a_long_chat_takes_a_time_that_grows_with_it(tmp_path):
    assert_linear(lambda text: read(tmp_path / "_chat.txt", text), repeated("09/01/2026, 18:30 - Ann: Hi\n"))
