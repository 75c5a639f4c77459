"""Services that share a home: an agent's dream that is owed is made by one of them, and by another when that dies."""

import threading

import psycopg

from tests.support.scripted_models import Brain, provider_of
from tests.support.service_process import env_of, serving
from tests.support.waiting import GIVE_UP, until

AT_ONCE = {"MIND_MEMORY_STORY__THRESHOLD_TOKENS": "1"}  # a mind of which something is untold is never at rest


def saved_up_to(service, sequence):
    """Whether the turns up to this one are in the graph, as this service sees it."""
    return service.http.get("/v1/minds/ada").raise_for_status().json()["graph"]["saved"] >= sequence


def is_at_rest(database_url):
    """Whether every mind was given back: nothing of it is left to do."""
    with psycopg.connect(database_url, autocommit=True) as database:
        return not database.execute("SELECT FROM minds WHERE has_work OR owner IS NOT NULL").fetchall()


def acted(service):
    """An agent that did enough for a dream."""
    calls = [{"kind": "tool_call", "tool": "shell", "id": f"a{at}", "output": f"step {at} done"} for at in range(6)]
    service.http.post("/v1/minds/ada/sessions/c1/actions", json={"actions": calls}).raise_for_status()


def test_a_dream_that_is_owed_is_dreamt_elsewhere_when_its_service_is_killed(env, tmp_path, database_url):
    """Broken: nobody claims a mind that was at rest when its agent fell asleep, or whoever does begins no dream."""
    asked, goes_on = threading.Event(), threading.Event()

    def dream_for_ever(_prompt):
        asked.set()
        goes_on.wait(GIVE_UP)
        return {}

    with provider_of(Brain(dream=dream_for_ever)) as provider, serving(tmp_path / "two", **env, **AT_ONCE) as other:
        with serving(tmp_path / "one", **env, **AT_ONCE, **env_of(provider, role="NARRATIVE")) as one:
            acted(other)
            until(lambda: is_at_rest(database_url))
            one.http.post("/v1/minds/ada/sleep", json={"seconds": 600}).raise_for_status()
            until(asked.is_set)
            one.kill()
        goes_on.set()

        until(lambda: other.http.get("/v1/minds/ada/dreams").json()["dreams"])


def test_an_agent_that_has_dreamt_is_given_back(env, tmp_path, database_url):
    """Broken: whoever ever slept has work for ever."""
    with serving(tmp_path / "one", **env, **AT_ONCE) as service:
        acted(service)
        service.http.post("/v1/minds/ada/sleep", json={"seconds": 600, "wait": True}).raise_for_status()

        until(lambda: is_at_rest(database_url))


def test_a_dream_that_failed_is_not_tried_again_with_each_turn(env, tmp_path, database_url):
    """Broken: whatever is written to a mind begins its dream, so its model is paid again and again while people chat."""
    asked = []

    def fails(_prompt):
        asked.append(None)
        return {"reflection": 7}

    late = env | AT_ONCE | {"MIND_MEMORY_SLEEP__RETRY_SECONDS": "3600"}
    with provider_of(Brain(dream=fails)) as provider:
        with serving(tmp_path / "one", **late, **env_of(provider, role="NARRATIVE")) as one:
            acted(one)
            one.http.post("/v1/minds/ada/sleep", json={"seconds": 600}).raise_for_status()
            until(lambda: one.http.get("/v1/minds/ada/sleep").json()["waiting_for"])
            before = len(asked)
            with serving(tmp_path / "two", **late) as other:
                for number in range(3):
                    kept = other.keep("ada", f"The note {number} is about Lisbon.", turn_id=f"t{number}")
                    until(lambda last=kept["sequence"]: saved_up_to(other, last))  # "one" looks because of others

            assert before and len(asked) == before
