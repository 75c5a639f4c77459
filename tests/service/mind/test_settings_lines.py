"""A change of settings.toml touches the lines of its keys and no other, whatever a person wrote around them."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.kernel.errors import SettingsByHand
from service.mind.settings_lines import edited

KEYS = ("relevance", "max_fragments", "language", "never_keep")
words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)
values = st.one_of(
    st.integers(0, 50),
    st.floats(0, 1),
    words,
    st.lists(words, max_size=3),
    st.lists(st.builds(dict, name=words), max_size=2),
)
comments = st.one_of(st.just(""), st.just("   "), words.map(lambda said: f"# {said}"))
by_key = st.dictionaries(st.sampled_from(KEYS), values, max_size=4)


@st.composite
def files(draw):
    """What each key is set to, and the lines of a file that a person wrote, comments between them."""
    said = draw(by_key)
    lines = [draw(comments)]
    for key, value in said.items():
        comment = draw(st.sampled_from(["", "  # so that it # stays", "# close"]))
        lines += [f"{draw(st.sampled_from(['', '  ']))}{edited('', {key: value}).rstrip()}{comment}", draw(comments)]
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return said, lines, end.join(lines) + draw(st.sampled_from(["", end]))


def others(text, keys):
    """The lines that set none of *keys*."""
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    return [line for line in lines if not line.lstrip().startswith(tuple(f"{key} =" for key in keys))]


@given(files(), st.dictionaries(st.sampled_from(KEYS), st.none() | values, min_size=1))
def test_other_lines_never_change_and_the_file_says_what_was_meant(file, changes):
    said, _, text = file

    changed = edited(text, changes)

    meant = {key: value for key, value in {**said, **changes}.items() if value is not None}
    assert tomllib.loads(changed) == meant
    left = [line for line in others(text, changes) if line or text]
    assert others(changed, changes) == left or (not any(left) and not any(others(changed, changes)))


@given(files(), by_key)
def test_the_same_change_again_changes_nothing(file, changes):
    once = edited(file[2], changes)

    assert edited(once, changes) == once


def test_a_comment_behind_a_value_stays_behind_it():
    text = 'language = "d#e" # hers\r\nrelevance = 0.5\r\n'

    assert edited(text, {"language": "fr"}) == 'language = "fr" # hers\r\nrelevance = 0.5\r\n'


def test_a_new_line_stands_above_a_table():
    text = '# kinds\n[[entity_kinds]]\nname = "Person"\n'

    assert edited(text, {"relevance": 0.4}) == '# kinds\nrelevance = 0.4\n[[entity_kinds]]\nname = "Person"\n'


@pytest.mark.parametrize(
    "text",
    [
        'never_keep = [\n  "salary",  # hers\n]\n',
        '[[never_keep]]\nname = "salary"\n',
        '"never\\u005fkeep" = ["salary"]\n',
        "never_keep = [\n",
    ],
    ids=["several lines", "a table", "an escaped key", "not TOML"],
)
@pytest.mark.parametrize("value", [["my diagnosis"], None])
def test_what_is_kept_in_another_form_is_refused(text, value):
    with pytest.raises(SettingsByHand, match="edit the file"):
        edited(text, {"never_keep": value})


def test_a_line_that_only_looks_like_a_setting_is_left_alone():
    text = "never_keep = ['''\nrelevance = 0.5\n''']\nrelevance = 0.5\n"

    assert edited(text, {"relevance": 0.1}) == "never_keep = ['''\nrelevance = 0.5\n''']\nrelevance = 0.1\n"
