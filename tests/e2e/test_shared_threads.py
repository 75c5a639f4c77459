"""Zep's API in front of a home that several services share: a thread that one began is found by every other at once."""

from contextlib import ExitStack, contextmanager

import httpx
import psycopg
import pytest
import zep_cloud
from zep_cloud.types import AddMessage

from zep_python import BadRequestError, NotFoundError
from zep_python.client import Zep
from zep_python.types import Message

from tests.support.cli_process import run
from tests.support.postgres import name_for
from tests.support.service_process import serving
from tests.support.waiting import until

TOO_MANY = 101  # minds, to look for a thread in each
ZEP = {"MIND_MEMORY_FACADES__ZEP": "true"}
SEEN_SECONDS = 20  # a look each second, and a busy machine


@contextmanager
def fresh_env(postgres, graph_server, request):
    """Settings of services that share a home of their own, which Zep's API is served from."""
    name = name_for(request.node.nodeid)
    with postgres.fresh(name) as url:
        place = {"FALKORDB_URL": graph_server.url, "MIND_MEMORY_GRAPH_PREFIX": f"{name}_"}
        yield {"MIND_MEMORY_DATABASE": url, **place, **ZEP}


@pytest.fixture
def env(postgres, graph_server, request):
    with fresh_env(postgres, graph_server, request) as found:
        yield found


@pytest.fixture(scope="module")
def env_of_two(postgres, graph_server, request):
    """A home with so many minds of other doors that none is opened to look for a thread."""
    with fresh_env(postgres, graph_server, request) as found:
        with psycopg.connect(found["MIND_MEMORY_DATABASE"]) as database:
            database.execute(
                "INSERT INTO minds (mind_id, last_sequence) SELECT 'other-' || n, 1 FROM generate_series(1, %s) n",
                (TOO_MANY,),
            )
        yield found


@pytest.fixture(scope="module")
def two(env_of_two, tmp_path_factory):
    """Two services for all tests."""
    folder = tmp_path_factory.mktemp("two")
    with serving(folder / "one", **env_of_two) as one, serving(folder / "two", **env_of_two) as two:
        yield one, two


@pytest.fixture
def clients(two):
    with ExitStack() as stack:
        yield tuple(stack.enter_context(client_of(one)) for one in two)


@contextmanager
def client_of(service, *, key="any"):
    """Zep CE's own client, at a service."""
    transport = httpx.HTTPTransport(uds=service.socket)
    with httpx.Client(transport=transport, timeout=60) as http:
        yield Zep(api_key=key, base_url="http://localhost/zep", httpx_client=http)


@contextmanager
def cloud_client_of(service):
    """The newest client of Zep Cloud, at a service."""
    transport = httpx.HTTPTransport(uds=service.socket)
    with httpx.Client(transport=transport, timeout=60) as http:
        yield zep_cloud.Zep(api_key="any", base_url="http://localhost/zep/api/v4", httpx_client=http)


def said(content):
    return [Message(content=content, role_type="user", role="Amy")]


def contents(zep, session_id):
    return [one.content for one in zep.memory.get(session_id).messages]


def test_a_thread_that_one_began_lives_and_ends_at_both(clients):
    one, other = clients
    one.user.add(user_id="amy")
    one.memory.add_session(session_id="chat/1", user_id="amy", metadata={"channel": "web"})

    other.memory.add("chat/1", messages=said("My sister Ines moved to Lyon in March."))
    one.memory.add_session(session_id="chat/2", user_id="amy")
    one.memory.add("chat/2", messages=said("Where does my sister Ines live?"))

    assert contents(one, "chat/1") == ["My sister Ines moved to Lyon in March."]
    assert other.memory.get_session("chat/1").metadata == {"channel": "web"}
    assert "Lyon" in until(lambda: other.memory.get("chat/2").context)

    other.memory.delete("chat/1")
    for zep in clients:
        with pytest.raises(NotFoundError):
            zep.memory.get("chat/1")
        assert contents(zep, "chat/2") == ["Where does my sister Ines live?"]


def test_the_id_of_a_thread_is_taken_at_both_until_its_user_is_erased(clients):
    one, other = clients
    one.user.add(user_id="cy")
    one.user.add(user_id="bo")
    one.memory.add_session(session_id="taken", user_id="cy")
    with pytest.raises(BadRequestError, match="exists already"):
        other.memory.add_session(session_id="taken", user_id="bo")

    other.user.delete("cy")

    with pytest.raises(NotFoundError):
        one.memory.get("taken")
    assert other.memory.add_session(session_id="taken", user_id="bo").user_id == "bo"
    assert one.memory.get_session("taken").user_id == "bo"


def test_a_thread_that_one_began_is_looked_up_at_the_other_by_the_newest_client(two):
    with ExitStack() as stack:
        one, other = (stack.enter_context(cloud_client_of(service)) for service in two)
        user = one.user.create(user_id="jo")
        thread = one.thread.create(user_uuid=user.uuid_)

        assert other.thread.lookup(thread_id=thread.thread_id).uuid_ == thread.uuid_
        other.thread.add_messages(thread.uuid_, messages=[AddMessage(role="user", content="I play the oboe.")])
        assert [kept.content for kept in one.thread.list_messages(thread.uuid_)] == ["I play the oboe."]
        other.thread.delete(thread.uuid_)
        for zep in (one, other):
            with pytest.raises(zep_cloud.NotFoundError):
                zep.thread.lookup(thread_id=thread.thread_id)


def test_a_session_without_a_user_that_both_are_told_of_is_one(clients):
    one, other = clients
    one.memory.add("chat", messages=said("My bicycle is red."))
    other.memory.add("chat", messages=said("My boat is green."))

    for zep in clients:
        assert contents(zep, "chat") == ["My bicycle is red.", "My boat is green."]


def test_a_copy_that_may_lack_a_thread_is_not_believed(clients, two, env_of_two):
    one, other = clients
    one.user.add(user_id="di")
    one.memory.add_session(session_id="first", user_id="di")
    other.memory.get("first")
    one.memory.add_session(session_id="second", user_id="di")
    with psycopg.connect(env_of_two["MIND_MEMORY_DATABASE"]) as database:
        database.execute("LOCK TABLE turns IN ACCESS EXCLUSIVE MODE")  # what is new of a mind is not to be had
        asked = two[1].http.get("/zep/api/v2/sessions/second/memory")

    assert asked.status_code == 503
    assert until(lambda: two[1].http.get("/zep/api/v2/sessions/second/memory").status_code == 200)


def test_a_key_finds_the_threads_of_its_own_minds_alone(env, tmp_path):
    words = ("keys", "create", "--name", "A bot", "--home", tmp_path / "three")
    done = [run(*words, *more, **env) for more in ((), ("--mind", "mine"))]
    assert [one.returncode for one in done] == [0, 0], done
    every, mine = (one.stdout.strip() for one in done)
    with (
        serving(tmp_path / "one", **env) as one,
        serving(tmp_path / "two", **env) as other,
        client_of(one, key=every) as theirs,
        client_of(other, key=mine) as zep,
    ):
        theirs.user.add(user_id="theirs")
        theirs.memory.add_session(session_id="chat", user_id="theirs")
        with pytest.raises(NotFoundError):
            zep.memory.get("chat")
        zep.user.add(user_id="mine")

        assert zep.memory.add_session(session_id="chat", user_id="mine").user_id == "mine"
        assert zep.memory.get_session("chat").user_id == "mine"


def test_a_user_that_one_erased_is_in_no_list_of_the_other(env, tmp_path):
    with (
        serving(tmp_path / "one", **env) as service,
        serving(tmp_path / "two", **env) as another,
        client_of(service) as one,
        client_of(another) as other,
    ):
        for user_id in ("amy", "bo"):
            one.user.add(user_id=user_id)
            one.memory.add_session(session_id=f"of {user_id}", user_id=user_id)
        until(lambda: set(threads_of(other)) == {"of amy", "of bo"}, seconds=SEEN_SECONDS)

        one.user.delete("amy")

        assert [found.user_id for found in other.user.list_ordered().users] == ["bo"]
        assert threads_of(other) == ["of bo"]


def test_a_thread_that_was_brought_over_from_files_is_found_at_each(env, graph_server, tmp_path):
    on_files = {"FALKORDB_URL": graph_server.url, "MIND_MEMORY_GRAPH_PREFIX": "files_", **ZEP}
    with serving(tmp_path / "files", **on_files) as service, client_of(service) as zep:
        zep.user.add(user_id="amy")
        zep.memory.add_session(session_id="chat", user_id="amy")
        zep.memory.add("chat", messages=said("My sister Ines moved to Lyon."))
        archive = service.http.get("/v1/minds/amy/export").raise_for_status().content
    with serving(tmp_path / "one", **env) as one, serving(tmp_path / "two", **env) as other:
        one.http.post("/v1/minds/amy/import", content=archive).raise_for_status()
        for service in (other, one):
            with client_of(service) as zep:
                found = until(lambda zep=zep: threads_of(zep) and contents(zep, "chat"), seconds=SEEN_SECONDS)
                assert found == ["My sister Ines moved to Lyon."]


def threads_of(zep):
    """The ids of all sessions, as a service knows them that lists the minds each second."""
    return [one.session_id for one in zep.memory.list_sessions().sessions]


@pytest.fixture
def on_pair(pair, graph_server, tmp_path, request):
    """A service on the pair of servers that a test may hurt."""
    name = name_for(request.node.nodeid)
    pair.primary.create_database(name)
    place = {"FALKORDB_URL": graph_server.url, "MIND_MEMORY_GRAPH_PREFIX": f"{name}_"}
    with serving(tmp_path / "one", **{"MIND_MEMORY_DATABASE": pair.url(name), **place, **ZEP}) as service:
        yield service
    pair.mend()
    pair.primary.drop_database(name)


def test_while_the_database_is_away_a_thread_in_use_is_answered_and_nothing_else(on_pair, pair):
    http, path = on_pair.http, "/zep/api/v2/sessions"
    sent = {"messages": [{"content": "My boat is green.", "role_type": "user"}]}
    http.post(f"{path}/chat/memory", json=sent).raise_for_status()
    pair.primary.kill()

    kept = http.get(f"{path}/chat/memory")
    refused = [
        http.get(f"{path}/never-heard-of/memory"),
        http.post(f"{path}/never-heard-of/memory", json=sent),
        http.post(f"{path}/chat/memory", json=sent),
    ]

    assert [one["content"] for one in kept.raise_for_status().json()["messages"]] == ["My boat is green."]
    assert [one.status_code for one in refused] == [503, 503, 503]
    assert all(int(one.headers["retry-after"]) > 0 and "database" in one.json()["message"] for one in refused)

    pair.promote(is_strict=False)
    until(lambda: http.get(f"{path}/never-heard-of/memory").status_code == 404)
    assert http.post(f"{path}/chat/memory", json=sent).status_code == 200
