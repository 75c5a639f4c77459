"""What is set for one mind: what its file says, what is wrong with it, and whose change of it wins."""

import os
import threading

import pytest

from consolidation.kernel.errors import SettingsByHand, SettingsChanged
from consolidation.secrets.privacy_filter import PrivacyFilter
from service.mind.own_settings import OwnKind, OwnSettings, OwnSettingsFile, understood

WHOLE = """
relevance = 1
max_fragments = 3
max_tokens = 200
echo_turns = 0
language = "pt-BR"
never_keep = [" my diagnosis "]
timezone = "Europe/Paris"
[[entity_kinds]]
name = "Person"
"""


@pytest.fixture
def file(tmp_path):
    folder = tmp_path / "minds" / "ada"
    folder.mkdir(parents=True)
    return folder / "settings.toml"


def test_every_setting_is_read():
    read = understood(WHOLE)

    assert read.fault is None
    assert read.own == OwnSettings(
        1.0, 3, 200, 0, "pt-BR", (OwnKind("Person"),), ("my diagnosis",), None, "Europe/Paris"
    )


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ("# mine\n\nrelevance = 1.5\n", "relevance", 3),
        ("relevance = nan\n", "relevance", 1),
        ("max_fragments = true\n", "max_fragments", 1),
        ('max_tokens = "7"\n', "max_tokens", 1),
        ("echo_turns = -1\n", "echo_turns", 1),
        ("language = 'german, please'\n", "language", 1),
        ("timezone = 'Mars/Olympus'\n", "timezone", 1),
        ('never_keep = "salary"\n', "never_keep", 1),
        ('never_keep = ["salary", " "]\n', "never_keep", 1),
        ("relevance = 0.5\nrelevence = 0.4\n", "relevence", 2),
        ('[[entity_kinds]]\nname = "Person"\n[[entity_kinds]]\nname = "person"\n', "entity_kinds", 1),
        ("\nrelevance =\n", None, 2),
    ],
)
def test_a_fault_names_its_setting_and_its_line(text, key, line):
    read = understood(text)

    assert (read.fault.key, read.fault.line) == (key, line)
    assert read.own == OwnSettings(never_keep=("salary",) if '["salary"' in text else None)


@pytest.mark.parametrize("mistake", ["relevance = 7", "relevance =", "a = [", "relevance = 1\nrelevance = 1"])
def test_a_mistake_elsewhere_lets_no_word_in_that_is_never_kept(mistake):
    read = understood(f'{mistake}\nnever_keep = ["salary", ""]\n')

    assert read.fault is not None
    assert read.own == OwnSettings(never_keep=("salary",))


def test_a_word_that_is_never_kept_is_one_more_marker():
    service = PrivacyFilter(markers=("#off",))

    assert OwnSettings(never_keep=("salary",)).privacy(service).markers == ("#off", "salary")
    assert OwnSettings().privacy(service) is service


def test_a_file_is_read_again_only_when_it_changed(file):
    own = OwnSettingsFile(file)
    nothing = own.read()
    file.write_text("relevance = 0.4\n")
    first, again = own.read(), own.read()
    file.write_text("relevance = 0.75\n")

    assert nothing.own == OwnSettings()
    assert first is again
    assert own.known.relevance == 0.4
    assert own.read().own.relevance == 0.75
    file.unlink()
    assert own.read().own == OwnSettings()


def test_a_change_is_on_disk_and_known_at_once(file):
    own = OwnSettingsFile(file)

    changed = own.change({"relevance": 0.4, "language": None}, expected=own.read().etag)

    assert file.read_text() == changed.text == "relevance = 0.4\n"
    assert own.known.relevance == 0.4
    assert own.change({"relevance": None}, expected=changed.etag).text == file.read_text() == ""


def test_what_a_person_saved_meanwhile_wins(file):
    own = OwnSettingsFile(file)
    etag = own.read().etag
    file.write_text("relevance = 0.9  # mine\n")

    with pytest.raises(SettingsChanged) as told:
        own.change({"relevance": 0.4}, expected=etag)

    assert told.value.current == file.read_text() == "relevance = 0.9  # mine\n"
    assert own.change({"relevance": 0.4}, expected=told.value.etag).text == "relevance = 0.4  # mine\n"


def test_of_many_changes_of_one_text_one_is_made(file):
    own, made, told = OwnSettingsFile(file), [], []
    etag = own.read().etag

    def change(value):
        try:
            made.append(own.change({"max_fragments": value}, expected=etag))
        except SettingsChanged as changed:
            told.append(changed)

    threads = [threading.Thread(target=change, args=(value,)) for value in range(8)]
    [one.start() for one in threads]
    [one.join() for one in threads]

    assert (len(made), len(told)) == (1, 7)
    assert {one.current for one in told} == {file.read_text()} == {made[0].text}


def test_a_change_mends_a_fault_and_leaves_none_behind(file):
    file.write_text("relevance = 7\n")
    own = OwnSettingsFile(file)

    with pytest.raises(SettingsByHand, match="relevance"):
        own.change({"language": "de"}, expected="*")
    assert file.read_text() == "relevance = 7\n"
    assert own.change({"relevance": 0.7}, expected="*").fault is None


@pytest.mark.parametrize("way", [os.symlink, os.link], ids=["link", "hard link"])
def test_a_link_is_neither_read_nor_written(file, tmp_path, way):
    secret = tmp_path / "keys.json"
    secret.write_text("relevance = 0.1\n")
    way(secret, file)
    own = OwnSettingsFile(file)

    assert "can not be read" in own.read().fault.detail
    assert own.read().text == ""
    with pytest.raises(SettingsByHand):
        own.change({"relevance": 0.4}, expected="*")
    assert secret.read_text() == "relevance = 0.1\n"


@pytest.mark.parametrize("content", [b"# " + b"a" * 70_000, b"# one\n# \xff\n"], ids=["too long", "not UTF-8"])
def test_a_file_that_is_no_text_of_ours_sets_nothing_and_stays(file, content):
    file.write_bytes(content)
    own = OwnSettingsFile(file)

    assert own.read().fault is not None
    with pytest.raises(SettingsByHand):
        own.change({"relevance": 0.4}, expected="*")
    assert file.read_bytes() == content
