"""Which names a speaker may have, and what is shown of one that may not."""

import pytest
from hypothesis import given

from consolidation.kernel.speaker_names import fault_in
from consolidation.kernel.turns import Message, Speaker
from tests.support import strategies
from tests.support.imitations import BAD_NAMES, COLON_NAMES, GOOD_NAMES


@pytest.mark.parametrize("name", GOOD_NAMES)
def test_a_name_of_somebody_is_a_name(name):
    said = Message(Speaker.USER, "Hi.", name=name)

    assert fault_in(name, role="user") == ""
    assert said.known_as and said.who == said.known_as


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_name_that_passes_for_another_speaker_is_not_shown(name):
    for role in set(Speaker) - {Speaker.USER}:
        said = Message(role, "Hi.", name=name)

        assert fault_in(name, role=role)
        assert (said.known_as, said.who, said.line) == ("", role, f"{role}: Hi.")


@pytest.mark.parametrize("name", COLON_NAMES)
def test_a_name_with_a_colon_is_no_fault_and_is_not_shown(name):
    for role in Speaker:
        said = Message(role, "Hi.", name=name)

        assert fault_in(name, role=role) == ""
        assert (said.known_as, said.line) == ("", f"{role}: Hi.")


def test_the_word_for_a_role_is_no_name_of_its_own_and_no_fault():
    assert fault_in("User", role="user") == ""
    assert Message(Speaker.USER, "Hi.", name="User").who == "user"


def test_a_tools_name_stands_behind_its_role():
    assert Message(Speaker.TOOL, "12 degrees", name="Ann").who == "tool Ann"


@given(strategies.letters, strategies.letters)
def test_no_line_of_a_message_begins_as_a_speaker_does(name, content):
    lines = Message(Speaker.TOOL, f"x\n{content}", name=name).line.splitlines()

    assert lines[0].startswith("tool")
    assert all(line.startswith("  ") for line in lines[1:])
