"""What the nodes of a cluster tell of each other becomes a map of its slots, however they call themselves."""

from redis.crc import key_slot

from service.adapters.falkordb.cluster_map import map_of, nodes_of

ASKED = "rediss://ada:secret@one:7101?ssl_cert_reqs=none"
SLOTS = [
    [5461, 16383, ["two", 7102, "b", []]],
    [0, 99, ["one", 7101, "a", []], ["three", 7103, "c", []]],
    [200, 5460, ["one", 7101, "a", []], ["three", 7103, "c", []]],
]


def test_a_shard_is_known_by_its_slots_and_reached_as_the_node_that_was_asked():
    first, second = map_of(SLOTS, asked=ASKED).shards

    assert (first.name, second.name) == ("slots 0-99 and 1 more", "slots 5461-16383")
    assert first.master == ASKED
    assert first.replicas == ("rediss://ada:secret@three:7103?ssl_cert_reqs=none",)


def test_a_graph_is_of_the_shard_that_has_its_slot_and_of_none_in_a_gap():
    found = map_of(SLOTS, asked=ASKED)
    first, second = found.shards
    graph_in = {key_slot(name.encode()): name for name in (f"mind_{number}" for number in range(200_000))}

    served = {slot: found.shard_of(graph_in[slot]) for slot in (0, 99, 100, 199, 200, 5460, 5461, 16383)}

    assert served == {0: first, 99: first, 100: None, 199: None, 200: first, 5460: first, 5461: second, 16383: second}


def test_a_node_that_does_not_know_its_own_address_is_where_it_was_asked():
    for unknown in (None, "", "?"):
        [shard] = map_of([[0, 16383, [unknown, 7101, "a", []]]], asked="redis://[::1]:7101").shards
        assert shard.master == "redis://[::1]:7101"


def test_nodes_that_are_away_or_serve_nothing_are_known_too_and_each_is_named_once():
    told = (
        "a 10.0.0.1:7101@17101,one myself,master - 0 0 1 connected 0-99 200-5460\n"
        "b 10.0.0.2:7102@17102,two master - 0 0 2 connected 5461-16383\n"
        "d 10.0.0.4:7104@17104 slave,fail a 0 0 1 disconnected\n"
        "e fe80::5:7105@17105 master - 0 0 3 connected\n"
        "f :0@0 master,noaddr - 0 0 4 disconnected\n"
        "g 10.0.0.7:7107@17107 handshake - 0 0 0 connected\n"
    )

    found = nodes_of(told, map_of(SLOTS, asked=ASKED), asked="redis://one:7101")

    assert {address.rpartition("@")[2].rpartition("/")[2].partition("?")[0] for address in found} == {
        *("one:7101", "two:7102", "three:7103", "10.0.0.4:7104", "[fe80::5]:7105")
    }
    assert len(found) == 5
