"""Themes: each entity in one at most, the same each time, and ids that stay while half of the members do."""

from hypothesis import given
from hypothesis import strategies as st

from service.catalog.theme_file import read_themes, write_themes
from service.catalog.themes import Theme, Themes, adopted, labels_of, named, themes_of

PAIRS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=40)
GROUPS = st.lists(st.lists(st.integers(0, 30).map(str), min_size=1, max_size=8, unique=True), max_size=5).map(
    lambda groups: [
        group
        for at, one in enumerate(groups)
        if (group := tuple(member for member in one if not any(member in earlier for earlier in groups[:at])))
    ]
)


def clique(*members):
    return [(one, other) for one in members for other in members if one < other]


def test_two_closely_joined_groups_are_two_themes():
    joined = [*clique(0, 1, 2, 3), *clique(4, 5, 6, 7), (3, 4)]

    labels = labels_of(8, joined)

    assert len(set(labels[:4])) == len(set(labels[4:])) == 1
    assert labels[0] != labels[7]


def test_a_hub_that_everything_is_tied_to_does_not_make_one_theme_of_all():
    groups = [range(1 + 5 * n, 6 + 5 * n) for n in range(6)]
    joined = [pair for group in groups for pair in clique(*group)]
    joined += [(0, member) for group in groups for member in group]

    labels = labels_of(31, joined)

    assert len({labels[group[0]] for group in groups}) == 6


@given(PAIRS)
def test_labels_are_always_the_same_and_join_only_what_is_joined(pairs):
    labels = labels_of(12, pairs)

    assert labels == labels_of(12, pairs)
    assert len(labels) == 12
    reached = [{at} for at in range(12)]
    for one, other in pairs * 12:
        reached[one] |= reached[other]
        reached[other] |= reached[one]
    for one in range(12):
        assert all(other in reached[one] for other in range(12) if labels[other] == labels[one])


@given(PAIRS)
def test_an_entity_is_in_one_theme_at_most(pairs):
    found = themes_of([str(n) for n in range(12)], pairs, before=Themes(), facts=len(pairs))

    members = [member for theme in found.groups for member in theme.members]
    assert len(members) == len(set(members)) == len(found.by_member())


@given(GROUPS, GROUPS)
def test_a_theme_keeps_its_id_while_half_of_its_members_stay_together(before, after):
    old = named(before, before=Themes(), facts=1)

    new = named(after, before=old, facts=2)

    ids = [theme.id for theme in new.groups]
    assert len(set(ids)) == len(ids) == len(after)
    assert [theme.members for theme in new.groups] == after
    by_id = {theme.id: set(theme.members) for theme in new.groups}
    for theme in old.groups:
        if theme.id in by_id:
            assert 2 * len(by_id[theme.id] & set(theme.members)) >= len(theme.members)
    for theme in new.groups:  # a number is never given again
        known = {one.id for one in old.groups}
        assert theme.id in known or int(theme.id.partition(":")[2]) > old.last


def test_a_theme_goes_on_when_members_come_and_go():
    old = named([("a", "b", "c", "d"), ("e", "f", "g")], before=Themes(), facts=7)

    new = named([("e", "f", "x", "y", "z"), ("a", "b", "q")], before=old, facts=8)

    assert [theme.id for theme in new.groups] == [old.groups[1].id, old.groups[0].id]


def test_an_entity_that_no_theme_knows_goes_with_most_of_its_neighbours():
    entities = ["known", "other", "third", "new", "alone"]
    joined = [(3, 0), (3, 1), (2, 3), (4, 4)]

    found = adopted(entities, joined, {"known": "theme:1", "other": "theme:2", "third": "theme:2"})

    assert found["new"] == "theme:2"
    assert "alone" not in found


def test_themes_are_read_as_they_were_written_and_garbage_is_none(tmp_path):
    file, themes = tmp_path / "derived" / "themes.json", Themes((Theme("theme:4", ("a", "b")),), 12, 4)

    write_themes(file, themes)

    assert read_themes(file) == themes
    for garbage in ("", "[]", "{}", '{"method": 1, "themes": 3}', '{"method": 99}'):
        file.write_text(garbage)
        assert read_themes(file) == Themes()
