"""FALKORDB_URL names one server or several nodes of a cluster; what is wrong with it is said without its password."""

import pytest

from consolidation.kernel.errors import ConfigurationFault
from service.ports.graph_address import addresses, beside, hosts_of, shown


def test_several_nodes_have_the_user_the_password_and_the_options_in_common():
    found = addresses("falkor://ada:pa,ss@one:7101, two ,[::1]:7103/0?ssl_cert_reqs=none")

    assert found == tuple(
        f"redis://ada:pa,ss@{place}?ssl_cert_reqs=none" for place in ("one:7101", "two", "[::1]:7103")
    )
    assert hosts_of("redis://one,two:7") == ("one", "two")


@pytest.mark.parametrize("url", ["redis://h:1/2?a=b", "rediss://u:p,q@h", "unix:/tmp/a,b", "redis://h"])
def test_one_address_is_taken_as_it_is(url):
    assert addresses(url) == (url,)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("redis://ada:secret@one,,two", "empty"),
        ("redis://ada:secret@one,", "empty"),
        ("redis://ada:secret@one,redis://ada:secret@two", "scheme more than once"),
        ("redis://ada:secret@one,ada:secret@two", "password more than once"),
        ("redis://ada:secret@one:x,two", "no valid port"),
        ("redis://ada:secret@one,two:70000", "no valid port"),
        ("redis://ada:secret@one,two/3", "database besides 0"),
        ("https://ada:secret@one,two", "not an address of a FalkorDB"),
    ],
)
def test_a_wrong_one_is_refused_with_its_reason_and_without_its_password(url, why):
    with pytest.raises(ConfigurationFault, match=why) as refused:
        addresses(url)

    assert "secret" not in str(refused.value) + shown(url)
    assert hosts_of(url) == ()


def test_another_node_is_reached_as_the_one_that_named_it():
    assert beside("rediss://u:p@one:7101?x=1", host="::1", port=7102) == "rediss://u:p@[::1]:7102?x=1"
