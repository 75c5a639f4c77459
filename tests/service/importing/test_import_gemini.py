"""Gemini's activity of Google Takeout becomes turns, oldest first, in words without HTML."""

import json
import zipfile
from datetime import UTC, datetime

import pytest

from consolidation.kernel.errors import ImportUnreadable
from service.importing.formats import format_name, read_conversations
from service.importing.results import FoundTurn, Skipped

ASKED = {
    "header": "Gemini Apps",
    "title": "Prompted Where does my sister live? Attached 2 files.",
    "time": "2026-01-09T18:30:05.123Z",
    "products": ["Gemini Apps"],
    "activityControls": ["Gemini Apps Activity"],
    "safeHtmlItem": [{"html": "<p>In <b>Lyon</b> &amp; around:</p><ul><li>Croix-Rousse</li></ul><script>x()</script>"}],
}
EARLIER = ASKED | {"title": "Asked Bard: Hello", "time": "2026-01-08T08:00:00Z", "safeHtmlItem": [{"html": "Hi!"}]}
RATED = {"header": "Gemini Apps", "title": "Gave feedback", "time": "2026-01-08T08:00:00Z", "products": ["Gemini Apps"]}


def read(path, value, **more):
    path.write_text(json.dumps(value))
    return list(read_conversations(path, **more))


def test_what_was_asked_and_answered_becomes_turns_oldest_first(tmp_path):
    found = read(tmp_path / "MyActivity.json", [ASKED, RATED, EARLIER])
    turns = [one.turn for one in found if isinstance(one, FoundTurn)]
    assert [turn.session_id for turn in turns] == ["gemini:2026-01-08", "gemini:2026-01-09"]
    assert [(one.role.value, one.content) for turn in turns for one in turn.messages] == [
        ("user", "Hello"),
        ("assistant", "Hi!"),
        ("user", "Where does my sister live? [2 files]"),
        ("assistant", "In Lyon & around:\n\n- Croix-Rousse"),
    ]
    assert turns[1].messages[0].timestamp == datetime(2026, 1, 9, 18, 30, 5, 123_000, tzinfo=UTC)
    assert [one.reason for one in found if isinstance(one, Skipped)] == ["an activity without words of the person"]


def test_only_one_day(tmp_path):
    found = read(tmp_path / "MyActivity.json", [ASKED, EARLIER], only="gemini:2026-01-08")
    assert [one.turn.messages[0].content for one in found] == ["Hello"]


def test_the_zip_is_read_as_it_comes(tmp_path):
    path = tmp_path / "takeout.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("Takeout/My Activity/Gemini Apps/MyActivity.json", json.dumps([ASKED]))
        archive.writestr("Takeout/archive_browser.html", "x")
    assert format_name(path) == "gemini"
    assert len(list(read_conversations(path))) == 1


def test_a_takeout_in_html_says_what_to_choose(tmp_path):
    path = tmp_path / "takeout.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("Takeout/My Activity/Gemini Apps/MyActivity.html", "<html>")
    with pytest.raises(ImportUnreadable, match="choose JSON"):
        list(read_conversations(path))


@pytest.mark.parametrize(
    "change",
    [
        {"safeHtmlItem": None},
        {"safeHtmlItem": [None, {"html": 5}, {}]},
        {"safeHtmlItem": [{"html": "<p" * 50 + "&#xffffffff; &#55296; <![CDATA[x"}]},
        {"time": "never"},
        {"title": "\ud800"},
        {"title": ""},
    ],
)
def test_damaged_activities_are_skipped_or_read_as_far_as_they_go(tmp_path, change):
    found = read(tmp_path / "MyActivity.json", [ASKED | change, EARLIER])
    assert "Hello" in {one.content for item in found if isinstance(item, FoundTurn) for one in item.turn.messages}
    for item in found:
        if isinstance(item, FoundTurn):
            assert all(one.content.encode() for one in item.turn.messages)
