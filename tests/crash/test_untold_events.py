"""
A service that is killed between a write and the event that tells of it: webhooks tell of it after the next start.

They read what happened from where it is written, so that they may have told of it even before: once in all.
"""

import json
from contextlib import suppress

import httpx2
import psycopg
import pytest

from service.webhooks.endpoint import SENT_KINDS
from tests.crash.served import Served
from tests.support.scripted_models import Brain, provider_of
from tests.support.service_process import env_of
from tests.support.waiting import until
from tests.twins.webhook_receiver import SECRET, receiving

LYON = "My mother lives in Lyon."
SAY = {"what": "say", "target": {"kind": "fact"}, "to": "Her mother is called Anne."}
ASKS = {"session_id": "s2", "messages": [{"role": "user", "content": "Where does my mother live?"}], "deadline_ms": 0}


@pytest.fixture
def receiver():
    with receiving() as found:
        yield found


@pytest.fixture
def unreadable():
    with provider_of(Brain(extraction=lambda _: "I would rather not say.")) as provider:
        yield env_of(provider)


@pytest.fixture
def service_for(tmp_path, nest, receiver):
    """A service that posts the events of a kind, on the same home each time."""
    made = []

    def begun(kind, *, arm=None, **env):
        endpoint = {"name": "crm", "url": receiver.url, "secret": SECRET, "kinds": [kind]}
        for former in made:
            former.kill()
        made.append(Served(tmp_path, nest, MIND_MEMORY_WEBHOOKS__ENDPOINTS=json.dumps([endpoint]), **env))
        made[-1].start({"step": f"event {arm}", "hit": 1, "deed": "service"} if arm else None)
        return made[-1]

    yield begun
    for one in made:
        one.close()


def status(served):
    return served.http.get("/v1/minds/ada").json()


def kept(served):
    served.http.post("/v1/minds/ada/turns", json={"session_id": "s1", "messages": [{"role": "user", "content": LYON}]})
    until(lambda: not served.is_alive or (status(served)["graph"]["saved"] and not status(served)["graph"]["lag"]))


def asked(served):
    kept(served)
    served.http.post("/v1/minds/ada/resonance", json=ASKS)


def corrected(served):
    kept(served)
    served.http.post("/v1/minds/ada/corrections", json=SAY)


def narrated(served):
    kept(served)
    served.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True})


DEEDS = {"resonance.answered": asked, "correction.made": corrected, "story.told": narrated}


def dies(served, deed):
    """Do *deed* at a service that dies of it."""
    with suppress(httpx2.HTTPError):
        deed(served)
    until(lambda: not served.is_alive, said=lambda: "it did not die")


def by_id(receiver):
    """What was taken, each id once: the killing may come between an answer and its note."""
    return list(dict(receiver.taken).values())


@pytest.mark.parametrize("kind", SENT_KINDS)
def test_an_event_whose_service_died_before_it_is_told_once(service_for, receiver, unreadable, kind):
    env = unreadable if kind == "turn.parked" else {}
    dies(service_for(kind, arm=kind, **env), DEEDS.get(kind, kept))

    service_for(kind, **env)
    until(lambda: receiver.taken)
    again = service_for(kind, **env)  # and no second time
    again.http.get("/v1/minds/ada/turns").raise_for_status()
    again.http.post("/v1/minds/bob/turns", json={"session_id": "s1", "messages": [{"role": "user", "content": LYON}]})
    until(lambda: again.http.get("/v1/minds/bob").json()["graph"]["saved"])

    assert [body["type"] for body in by_id(receiver) if body["data"]["mind_id"] == "ada"] == [kind]


def test_a_correction_whose_service_died_when_it_was_taken_back_is_told(service_for, receiver):
    def takes_back(served):
        [made] = served.http.get("/v1/minds/ada/corrections").json()["items"]
        served.http.delete(f"/v1/minds/ada/corrections/{made['id']}")

    corrected(service_for("correction.made"))
    until(lambda: receiver.taken)
    dies(service_for("correction.made", arm="correction.made"), takes_back)

    service_for("correction.made")
    until(lambda: len(by_id(receiver)) == 2)

    made, undone = by_id(receiver)
    assert made["data"] == undone["data"]


def test_a_parked_turn_that_was_read_when_the_service_died_is_told(service_for, receiver, unreadable):
    served = service_for("turn.read", **unreadable)
    kept(served)
    assert status(served)["graph"]["parked"]
    dies(
        service_for("turn.read", arm="turn.read"), lambda dying: dying.http.post("/v1/minds/ada/parked/retry", json={})
    )

    service_for("turn.read")
    until(lambda: receiver.taken)

    assert [body["type"] for body in by_id(receiver)] == ["turn.read"]


@pytest.fixture
def sharing(tmp_path, nest, receiver, database_url, graph_server):
    """Services that share a home, each on a folder of its own, which post the events of a kind."""
    made = []

    def begun(kind, *, arm=None):
        endpoint = {"name": "crm", "url": receiver.url, "secret": SECRET, "kinds": [kind]}
        env = {
            "MIND_MEMORY_WEBHOOKS__ENDPOINTS": json.dumps([endpoint]),
            "MIND_MEMORY_DATABASE": database_url,
            "FALKORDB_URL": graph_server.url,
            "MIND_MEMORY_GRAPH_PREFIX": f"{database_url.rpartition('/')[2]}_",
        }
        folder = tmp_path / f"machine {len(made)}"
        folder.mkdir()
        made.append(Served(folder, nest, **env))
        made[-1].start({"step": f"event {arm}", "hit": 1, "deed": "service"} if arm else None)
        return made[-1]

    yield begun
    for one in made:
        one.close()


@pytest.mark.parametrize("kind", ["turn.kept", "resonance.answered", "correction.made"])
def test_an_event_whose_service_died_before_it_is_told_by_another_that_shares_the_home(
    sharing, receiver, database_url, kind
):
    """Nobody worked on the mind any more, so that only the write itself can say that there is something to tell."""
    with psycopg.connect(database_url, autocommit=True) as database:
        first = sharing("turn.kept" if kind == "turn.kept" else "turn.parked")
        kept(first)
        until(lambda: not database.execute("SELECT FROM minds WHERE has_work").fetchall())
        first.kill()
    receiver.all, receiver.taken = [], []
    deeds = {"resonance.answered": lambda one: one.http.post("/v1/minds/ada/resonance", json=ASKS)}
    deeds |= {"correction.made": lambda one: one.http.post("/v1/minds/ada/corrections", json=SAY)}
    dies(sharing(kind, arm=kind), deeds.get(kind, kept))

    sharing(kind)
    until(lambda: receiver.taken)

    assert [(body["type"], body["data"]["mind_id"]) for body in by_id(receiver)] == [(kind, "ada")]
