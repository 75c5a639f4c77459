"""What deep sleeps measured is listed, and a person accepts what one of them proposes."""

import json

import pytest

from tests.support.agents import acted, call
from tests.support.api_keys import make_key
from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio

PATH = "/v1/minds/ada/evaluations"
FIGURES = {
    "t": "2026-01-10T09:00:04+00:00",
    "dreams": 10,
    "forced_dreams": 1,
    "actions": 412,
    "failed_share": 0.051,
    "repeated_share": 0.22,
    "surface_rate": 0.75,
    "outcomes": {"acted": 4, "dismissed": 9},
    "observations": {"RED": 3, "YLW": 8, "GRN": 12},
}
HIGHER = {"setting": "relevance", "value": 0.5, "proposed": 0.6, "reason": "9 of 13 were of no use"}


@pytest.fixture
async def service(tmp_path):
    async with running(tmp_path, settings=settings_of(tmp_path)) as found:
        await acted(found, 6)
        yield found


def measured(tmp_path, *proposals):
    lines = [{**FIGURES, "dream": number, "proposal": one} for number, one in enumerate(proposals, 1)]
    text = "".join(f"{json.dumps(one)}\n" for one in lines)
    (tmp_path / "minds/ada/evaluation.jsonl").write_text(text)


async def relevance(service):
    return (await service.http.get("/v1/minds/ada/settings")).json()["settings"]["relevance"]


async def test_evaluations_are_listed_by_page_newest_first(service, tmp_path):
    measured(tmp_path, None, HIGHER, None)

    first = (await service.http.get(PATH, params={"limit": 2})).json()
    rest = (await service.http.get(PATH, params={"limit": 2, "cursor": first["next_cursor"]})).json()

    assert [one["dream"] for one in (*first["items"], *rest["items"])] == [3, 2, 1]
    assert rest["next_cursor"] is None
    assert first["items"][1]["proposal"] == {**HIGHER, "is_acceptable": True}


async def test_what_is_accepted_is_set_once_and_said(service, tmp_path):
    measured(tmp_path, HIGHER)

    accepted = await service.http.post(f"{PATH}/1/accept")
    (tmp_path / "minds/ada/settings.toml").write_text("relevance = 0.9\n")
    again = await service.http.post(f"{PATH}/1/accept")
    [listed] = (await service.http.get(PATH)).json()["items"]

    assert accepted.status_code == again.status_code == 200, accepted.text
    assert accepted.json() == again.json() == listed
    assert listed["accepted_by"] == "local"
    assert await relevance(service) == {"value": 0.9, "source": "mind"}  # the second time changed nothing


async def test_accepting_changes_the_minds_own_settings_and_is_in_the_audit_log(service, tmp_path):
    (tmp_path / "minds/ada/settings.toml").write_text('# mine\nlanguage = "de"\n')
    measured(tmp_path, HIGHER)

    await service.http.post(f"{PATH}/1/accept")

    assert await relevance(service) == {"value": 0.6, "source": "mind"}
    assert (tmp_path / "minds/ada/settings.toml").read_text() == '# mine\nlanguage = "de"\nrelevance = 0.6\n'
    last = json.loads((tmp_path / "audit.jsonl").read_text().splitlines()[-1])
    assert (last["action"], last["mind_id"], last["keys"]) == ("settings.changed", "ada", ["relevance"])


async def test_a_kill_between_the_setting_and_its_note_is_made_good(service, tmp_path):
    (tmp_path / "minds/ada/settings.toml").write_text("relevance = 0.6\n")
    measured(tmp_path, HIGHER)

    assert (await service.http.post(f"{PATH}/1/accept")).json()["accepted_at"] is not None


@pytest.mark.parametrize(
    ("proposal", "own", "status", "why"),
    [
        (HIGHER, "relevance = 0.4\n", 409, "relevance is 0.4 by now, and was 0.5"),
        (None, "", 409, "proposes nothing"),
        (
            {"setting": "SLEEP__WONDER_EVERY", "value": 5, "proposed": 4, "reason": "it repeats itself"},
            "",
            409,
            "set MIND_MEMORY_SLEEP__WONDER_EVERY of the service",
        ),
        ({"setting": "RESONANCE__RELEVANCE", "direction": "higher", "reason": "an old line"}, "", 409, "not a setting"),
    ],
)
async def test_what_can_not_be_accepted_is_said_and_nothing_changes(service, tmp_path, proposal, own, status, why):
    (tmp_path / "minds/ada/settings.toml").write_text(own)
    measured(tmp_path, proposal)

    refused = await service.http.post(f"{PATH}/1/accept")

    assert (refused.status_code, refused.json()["type"]) == (status, "/problems/proposal-conflict")
    assert why in refused.json()["detail"]
    assert (tmp_path / "minds/ada/settings.toml").read_text() == own
    assert (await service.http.get(PATH)).json()["items"][0]["accepted_at"] is None


async def test_an_evaluation_that_there_is_not_is_not_found(service):
    assert (await service.http.get(PATH)).json() == {"items": [], "next_cursor": None}
    assert (await service.http.post(f"{PATH}/1/accept")).status_code == 404


async def test_a_key_of_another_mind_sees_and_accepts_nothing(service, tmp_path):
    measured(tmp_path, HIGHER)
    key = {"Authorization": f"Bearer {make_key(tmp_path, minds=('bob',))}"}

    assert (await service.http.get(PATH, headers=key)).status_code == 404
    assert (await service.http.post(f"{PATH}/1/accept", headers=key)).status_code == 404


async def deep_sleep(service):
    await service.http.post("/v1/minds/ada/dreams", json={"deep": True, "wait": True})
    return (await service.http.get(PATH, params={"limit": 1})).json()["items"][0]


async def ask(service, words="Where does my mother live?"):
    body = {"session_id": "chat", "deadline_ms": 0, "messages": [{"role": "user", "content": words}]}
    return (await service.http.post("/v1/minds/ada/resonance", json=body)).json()


async def test_figures_are_of_the_time_since_the_last_deep_sleep_and_not_of_wonders(service):
    said = {"session_id": "s", "messages": [{"role": "user", "content": "My mother lives in Lyon."}]}
    await service.http.post("/v1/minds/ada/turns", json=said)
    await service.digested("ada")
    found = await ask(service)
    [shown, *_] = found["flashbacks"]
    outcome = {"trace_id": found["trace_id"], "outcomes": [{"id": shown["id"], "outcome": "acted"}]}
    assert (await service.http.post("/v1/minds/ada/outcomes", json=outcome)).status_code < 300

    first = await deep_sleep(service)
    failing = [call(number, ok=False) for number in range(101, 108)]  # an agent wonders at each error
    posted = await service.http.post("/v1/minds/ada/sessions/cycle-1/actions", json={"actions": failing})
    await service.memory.background.drain("ada", seconds=60)
    second = await deep_sleep(service)

    assert posted.status_code == 202
    assert (first["surface_rate"], first["outcomes"]) == (1.0, {"acted": 1})
    assert (second["surface_rate"], second["outcomes"]) == (None, {})
    assert second["actions"] == 7
