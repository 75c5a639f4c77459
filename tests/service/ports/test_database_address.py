"""Where a database is may be shown; who calls it, with which password and how, may not."""

import pytest

from service.ports.database_address import password_in, shown_database


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://db/memory", "postgresql://db/memory"),
        ("postgresql://me:hush@one,two:6432/memory?password=hush", "postgresql://one,two:6432/memory"),
        ("postgres://me:hu@sh@one/memory", "postgres://one/memory"),
        ("host=one,two port=6432 dbname=memory user=me password=hush", "postgresql://one,two:6432/memory"),
        ("dbname=memory password='hush hush'", "postgresql:///memory"),
        ("", "postgresql:///"),
    ],
)
def test_hosts_and_database_alone_are_shown(address, shown):
    assert shown_database(address) == shown


def test_the_password_of_words_is_found_so_that_it_can_be_hidden():
    assert password_in("host=one password='hush hush'") == ("hush hush",)
    assert password_in("host=one") == ()
    assert password_in("postgresql://me:hush@one/memory") == ()
