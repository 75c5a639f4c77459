"""Where a database is may be shown; who calls it, with which password and how, may not."""

import pytest

from service.ports.database_address import database_hosts, password_in, shown_database


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://db/memory", "postgresql://db/memory"),
        ("postgresql://me:hush@one,two:6432/memory?password=hush", "postgresql://one,two:6432/memory"),
        ("postgres://me:hu@sh@one/memory", "postgres://one/memory"),
        ("postgresql://me:hu@s#h@one/memory", "postgresql://one/memory"),
        ("postgresql://me:hu/sh@one/memory", "postgresql://one/memory"),
        ("postgresql://me:hu?sh@one/memory", "postgresql://…"),
        ("postgresql://me:hu@s?h@one/memory", "postgresql://…"),
        ("host=one password=hu://s@h dbname=memory", "postgresql://one/memory"),
        ("host=one,two port=6432 dbname=memory user=me password=hush", "postgresql://one,two:6432/memory"),
        ("dbname=memory password='hush hush'", "postgresql:///memory"),
        ("", "postgresql:///"),
    ],
)
def test_hosts_and_database_alone_are_shown(address, shown):
    assert shown_database(address) == shown


def test_a_password_is_found_so_that_it_can_be_hidden_and_nothing_else_is():
    """Broken: with `sslmode=require`, each "required" in the log is hidden."""
    address = "postgresql://me:h%40sh@one/memory?sslmode=require&application_name=memory&sslpassword=secret"
    assert password_in(address) == ("h%40sh", "h@sh", "secret")
    assert password_in("postgresql://me:hu@s#h@one/memory") == ("hu@s#h",)
    assert password_in("host=one password='hush hush'") == ("hush hush",)
    assert password_in(r"host=one password='it\'s us'") == (r"it\'s us", "it's us")
    assert password_in("host=one password=hu://s@h") == ("hu://s@h",)
    assert password_in("host=one") == ()
    assert password_in("postgresql://me@one/memory") == ()


@pytest.mark.parametrize(
    ("address", "hosts"),
    [
        ("postgresql://me:hush@one,two:6432/memory", ("one", "two")),
        ("postgresql://me:h@sh@[::1]:6432/memory", ("::1",)),
        ("postgresql://localhost/memory?hostaddr=10.0.0.7", ("10.0.0.7",)),
        ("postgresql://%2Fvar%2Frun%2Fpostgresql/memory", ("/var/run/postgresql",)),
        ("postgresql:///memory?host=/tmp", ("/tmp",)),
        ("postgresql:///memory", ()),
        ("postgresql://[::1/memory", ()),
        ("host=localhost,10.0.0.7 dbname=memory", ("localhost", "10.0.0.7")),
        ("host=localhost password=hu://s@h", ("localhost",)),
        ("host=localhost hostaddr=10.0.0.7", ("10.0.0.7",)),
        ("service=memory", ()),
    ],
)
def test_every_host_of_an_address_is_known(address, hosts):
    assert database_hosts(address) == hosts
