"""A person's file in a home that several services share: a write that one service refuses changes the file at none."""

import pytest


NEW = {"If-None-Match": "*"}
CONTENT = {"settings.toml": ('timezone = "Europe/Rome"\n', 'timezone = "Asia/Tokyo"\n')}


def put(service, path, text, headers):
    return service.http.put(f"/v1/minds/ada/files/{path}", content=text, headers=headers)


def texts(services, path):
    return [service.http.get(f"/v1/minds/ada/files/{path}").raise_for_status().json()["text"] for service in services]


@pytest.mark.parametrize("writer", [0, 1])
def test_a_new_file_is_refused_where_there_is_one_and_leaves_it_as_it_was_for_every_service(two, writer):
    """Broken: 412 says that nothing was written, and the person's text is gone for all."""
    two[0].keep("ada", "Hello there, I am Ada.")
    templates = {path: texts(two, path) for path in ("MEMORY.md", "SOUL.md")}
    for path in templates:
        assert put(two[writer], path, "Another program's.", NEW).status_code == 412
        assert texts(two, path) == templates[path]

    for path in ("memory/2026-03-01.md", "memory/trips/lyon.md", "settings.toml", "prompts/seeds.md"):
        hers, another = CONTENT.get(path, ("The person's.", "Another program's."))
        first, second = put(two[0], path, hers, NEW), put(two[writer], path, another, NEW)

        assert (first.status_code, second.status_code) == (200, 412), (path, first.text, second.text)
        assert second.json()["current"] == hers
        assert texts(two, path) == [hers, hers]


def never_keeps(service, word):
    """Let the mind never keep a *word*, by the settings of this service."""
    etag = service.http.get("/v1/minds/ada/settings").raise_for_status().headers["etag"]
    path, changes = "/v1/minds/ada/settings", {"never_keep": [word]}
    service.http.patch(path, json=changes, headers={"If-Match": etag}).raise_for_status()


def kept(services, turn_id):
    """The messages of a turn as each service has them stored."""
    found = [service.http.get(f"/v1/minds/ada/turns/{turn_id}").raise_for_status().json() for service in services]
    return [[message["content"] for message in one["messages"]] for one in found]


def test_words_that_a_mind_never_keeps_hold_at_once_for_every_service(two):
    """Broken: a service that has the mind open asks its copy of the settings, as it was before the turn came."""
    one, other = two
    for number, service in enumerate((one, other, other, one)):
        service.keep("ada", "Hello there, I am Ada.", turn_id=f"before-{number}")
        never_keeps(one, f"word{number}")
        posted = other.keep("ada", f"My word{number} is private.", turn_id=f"t{number}")
        assert [dropped["reason"] for dropped in posted["dropped"]] == ["off_the_record"]
        assert kept(two, f"t{number}") == [[""], [""]]
