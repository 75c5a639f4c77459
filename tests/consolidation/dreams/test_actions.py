"""What an agent did becomes a turn and comes back as it was; memory shows the beginning of what a tool printed."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from consolidation.dreams.actions import SHOWN_OUTPUT, Action, action_of, action_turn
from consolidation.kernel.turns import Speaker, StoredTurn, TurnKind

NOW = datetime(2026, 2, 12, 9, 32, tzinfo=UTC)
WORDS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=80)


def stored(action):
    return StoredTurn(1, NOW, action_turn(action, session_id="cycle-1", turn_id="a1"))


@given(tool=WORDS, output=WORDS, is_ok=st.booleans(), given=st.none() | st.dictionaries(WORDS, WORDS | st.integers()))
def test_a_tool_call_comes_back_as_it_was(tool, output, is_ok, given):
    action = Action("tool_call", tool=tool, input=given, is_ok=is_ok, output=output, timestamp=NOW)

    assert action_of(stored(action)) == action


@given(words=WORDS, kind=st.sampled_from(["thought", "message"]))
def test_what_was_thought_or_said_comes_back_as_it_was(words, kind):
    action = Action(kind, text=words, timestamp=NOW)

    assert action_of(stored(action)) == action


def test_memory_shows_the_beginning_of_what_a_tool_printed_and_the_turn_holds_all_of_it():
    action = Action("tool_call", tool="shell", input={"command": "ls"}, output="x" * 5_000)

    kept = stored(action)

    assert kept.text.startswith('tool shell: shell({"command": "ls"}) → ok')
    assert kept.text.count("x") == SHOWN_OUTPUT
    assert action_of(kept).output == "x" * 5_000


def test_each_kind_has_its_role_and_only_a_tool_call_tires():
    kinds = {
        "tool_call": Action("tool_call", tool="shell"),
        "thought": Action("thought", text="Try again."),
        "message": Action("message", text="Please stop."),
        "error": Action("error", text="Timeout", is_ok=False),
    }

    turns = {kind: stored(action) for kind, action in kinds.items()}

    assert {kind: one.turn.messages[0].role for kind, one in turns.items()} == {
        "tool_call": Speaker.TOOL,
        "thought": Speaker.THOUGHT,
        "message": Speaker.USER,
        "error": Speaker.TOOL,
    }
    assert [kind for kind, one in turns.items() if one.is_tool_call] == ["tool_call"]
    assert all(one.turn.kind is TurnKind.ACTION and one.is_remembered for one in turns.values())


def test_the_outcome_is_the_first_and_the_last_line_with_words():
    """Broken: the first line alone, so that a traceback never said what was wrong."""
    printed = {
        "\n  \nKeyError: 'date'\n  at row 17\n": ("KeyError: 'date'", "at row 17"),
        "42": ("42",),
        "done\n\ndone\n": ("done",),
        "": (),
        "…": ("…",),
        "===== test session starts =====\n\n.F [100%]\n\n===== 1 failed, 41 passed in 2.31s =====\n": (
            "test session starts",
            "1 failed, 41 passed in 2.31s",
        ),
        "Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 'DATABASE_URL'": (
            "Traceback (most recent call last):",
            "KeyError: 'DATABASE_URL'",
        ),
        "\x1b[32mok\x1b[0m\n--- a/b.py\n-1": ("ok", "-1"),
    }

    for output, ends in printed.items():
        assert Action("tool_call", tool="shell", is_ok=False, output=output).outcome == ends, output
