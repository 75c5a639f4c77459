"""Minds are listed when one came or went, and not read anew for nothing."""

import os

import pytest

from service.mind.mind_listing import MindFolder, MindListing

LATER_NS = 10_000_000_000


@pytest.fixture
def minds(tmp_path):
    (tmp_path / "minds").mkdir()
    return tmp_path / "minds"


@pytest.fixture
def listing(tmp_path, minds):
    return MindListing(tmp_path, now_ns=lambda: minds.stat().st_mtime_ns + LATER_NS)


def add(minds, *names):
    for name in names:
        (minds / name / "transcript").mkdir(parents=True)


def test_minds_are_folders_with_a_transcript_that_are_called_like_one(minds, listing):
    add(minds, "bob", "ada", "Not a mind", ".hidden")
    (minds / "without").mkdir()
    (minds / "file").write_text("")

    assert listing.ids() == ("ada", "bob")


def test_a_home_without_minds_has_none(tmp_path):
    assert MindListing(tmp_path / "nowhere", now_ns=lambda: 0).ids() == ()


def test_one_that_came_and_one_that_went_are_seen(minds, listing):
    add(minds, "ada", "bob")
    assert listing.ids() == ("ada", "bob")

    add(minds, "eve")
    (minds / "bob" / "transcript").rmdir()
    (minds / "bob").rmdir()

    assert listing.ids() == ("ada", "eve")


def test_a_folder_that_becomes_a_mind_later_is_seen(minds, listing):
    (minds / "ada").mkdir()
    assert listing.ids() == ()

    (minds / "ada" / "transcript").mkdir()

    assert listing.ids() == ("ada",)


def test_a_folder_that_did_not_change_is_not_read_again(minds, listing):
    add(minds, "ada")
    first = listing.ids()

    assert listing.ids() is first


def test_one_that_came_within_the_same_tick_of_the_disk_is_seen(tmp_path, minds):
    listing = MindListing(tmp_path, now_ns=lambda: minds.stat().st_mtime_ns)
    add(minds, "ada")
    assert listing.ids() == ("ada",)
    before = minds.stat()

    add(minds, "bob")
    os.utime(minds, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert listing.ids() == ("ada", "bob")


def test_a_mind_that_was_forgotten_is_looked_at_again(minds, listing):
    add(minds, "ada", "bob")
    listing.ids()

    listing.forget("ada")
    (minds / "ada" / "transcript").rmdir()

    assert listing.ids() == ("bob",)


def test_into_folders_that_are_known_to_be_minds_nobody_looks(minds, listing):
    """Broken: a start looks into each of a hundred thousand folders. The one without a transcript would not be listed."""
    add(minds, "bob")
    (minds / "ada").mkdir()

    listing.assume({"ada", "gone"})

    assert listing.ids() == ("ada", "bob")
    assert listing.known() == {"ada", "bob"}


def test_all_that_are_assumed_are_listed_where_no_other_is_there(minds, listing):
    add(minds, "ada", "bob")

    listing.assume({"ada", "bob"})

    assert listing.ids() == ("ada", "bob")


def test_one_that_was_forgotten_before_the_first_list_hides_no_other(minds, listing):
    add(minds, "ada", "bob")
    listing.assume({"ada", "bob"})

    listing.forget("eve")

    assert listing.ids() == ("ada", "bob")


def test_nothing_is_assumed_once_the_minds_were_listed(minds, listing):
    add(minds, "bob")
    (minds / "ada").mkdir()
    listing.ids()

    listing.assume({"ada"})

    assert listing.ids() == ("bob",)


def test_a_folder_that_can_not_be_read_holds_no_names(tmp_path, minds):
    add(minds, "ada")

    assert MindFolder(str(tmp_path), "ada").names == {"transcript"}
    assert MindFolder(str(tmp_path), "bob").names == frozenset()
