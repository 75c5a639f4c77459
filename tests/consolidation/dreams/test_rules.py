"""rules.md: what a dream adds and removes; a person's rule stays."""

from consolidation.dreams.rules import MOST_RULES, Rule, changed_rules, read_rules


def changed(text="", *, add=(), remove=(), dream=3, ours=None):
    known = frozenset(rule.digest for rule in read_rules(text) if rule.dream is not None) if ours is None else ours
    return changed_rules(text, add=add, remove=remove, dream=dream, ours=known)


def test_a_rule_stands_with_the_dream_that_made_it():
    text, new = changed(add=["Run the tests before a commit."])

    assert text == "# Rules\n\n- Run the tests before a commit. (dream 3)\n"
    assert new == (Rule("Run the tests before a commit.", 3),)


def test_a_rule_that_begins_like_one_that_stands_is_not_added():
    text, _ = changed(add=["Run the tests before a commit, always and everywhere."])

    assert changed(text, add=["Run the tests before a commit, always, and twice."], dream=4) == (text, ())


def test_a_rule_of_ours_goes_when_a_dream_says_so_and_a_persons_stays():
    text, _ = changed("- Never push on Fridays.\n", add=["Retry a timeout once."])

    left, _ = changed(text, remove=["Never push on Fridays", "retry a timeout"])

    assert read_rules(left) == (Rule("Never push on Fridays."),)


def test_a_byte_order_mark_hides_no_rule():
    """Broken: the first rule of a file that an editor on Windows saved was not seen, and told again by the next dream."""
    text = "\ufeff- Never push on Fridays.\n"

    assert read_rules(text) == (Rule("Never push on Fridays."),)
    assert changed(text, add=["Never push on Fridays."]) == (text, ())


def test_a_rule_that_a_person_reworded_is_a_persons():
    text, _ = changed(add=["Retry a timeout once."])
    ours = frozenset(rule.digest for rule in read_rules(text))
    edited = text.replace("once", "twice")

    assert changed(edited, remove=["Retry a timeout"], ours=ours)[0] == edited


def test_above_fifteen_the_oldest_of_ours_go_first():
    text = "".join(f"- Person's rule number {at} of them.\n" for at in range(5))
    for dream in range(1, 13):
        text, _ = changed(text, add=[f"Rule of the dream number {dream} it is."], dream=dream)

    rules = read_rules(text)

    assert len(rules) == MOST_RULES
    assert [rule.dream for rule in rules if rule.dream] == list(range(3, 13))


def test_what_else_a_person_wrote_stays():
    text, _ = changed("# How I work\n\nThese matter:\n\n- Be kind.\n", add=["Ask Ann first."])

    assert text == "# How I work\n\nThese matter:\n\n- Be kind.\n- Ask Ann first. (dream 3)\n"
