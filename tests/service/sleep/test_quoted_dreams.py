"""What a dream without a model keeps, over HTTP: every order of a person, and every kind of failure."""

import json

import pytest

from tests.support.agents import act, acted, call, slept
from tests.support.scripted_models import Brain, hosted, provider_of
from tests.support.service import running
from tests.twins.provider import Fails

pytestmark = pytest.mark.anyio

PLAIN = {
    "observations": [{"level": "GRN", "at": "09:31", "text": "The shell answers as it should", "supersedes": []}],
    "reflection": "I worked on the steps and each of them went well, so I get on.",
    "priority": "Go on with the next step.",
}


def message(text):
    return {"kind": "message", "text": text}


async def observed(service, level=None):
    params = {"level": level} if level is not None else {}
    found = (await service.http.get("/v1/minds/ada/observations", params=params)).json()["observations"]
    return [one["text"] for one in found]


@pytest.mark.parametrize("calls", [3, 6])
@pytest.mark.parametrize("order", ["Do not deploy today.", "Stop all trading.", "周五之前不要部署到生产环境。"])
async def test_a_short_order_of_a_person_is_kept(tmp_path, order, calls):
    async with running(tmp_path) as service:
        await acted(service, calls)
        await act(service, message(order))
        await slept(service)

        assert await observed(service, "RED") == [f"user: “{order}”"]


async def test_a_mere_thanks_is_not_an_order(tmp_path):
    async with running(tmp_path) as service:
        await acted(service, 6)
        await act(service, message("Ok, thanks!"), message("👍"))
        await slept(service)

        assert await observed(service, "RED") == []


async def test_no_order_is_lost_where_many_came_before_one_dream(tmp_path):
    orders = [f"Never pay invoice {number}." for number in range(101, 131)]
    async with running(tmp_path) as service:
        await acted(service, 6)
        await act(service, *map(message, orders))
        await slept(service)
        critical, important = await observed(service, "RED"), await observed(service, "YLW")

    assert critical == [f"user: “{order}”" for order in orders[-20:]]
    assert important == [f"user: “{order}”" for order in orders[:10]]


async def test_a_short_order_that_a_model_does_not_tell_is_quoted(tmp_path):
    with provider_of(Brain(dream=PLAIN)) as provider:
        async with running(tmp_path, settings=hosted(tmp_path, provider, "narrative", "chat")) as service:
            await acted(service, 6)
            await act(service, message("Stop all trading."))
            await slept(service)

            assert "user: “Stop all trading.”" in await observed(service, "RED")


async def test_each_error_is_kept_and_of_each_tool_the_newest_failure(tmp_path):
    errors = ("The password of the importer was refused.", "The disk of the backup is full.", "The mail limit was hit.")
    async with running(tmp_path) as service:
        await act(service, *(call(n, ok=False, output=f"step {n} failed") for n in range(1, 4)))
        await acted(service, 3, first=10)
        await act(service, *({"kind": "error", "text": text} for text in (*errors, errors[0])))
        await slept(service)

        found = await observed(service, "YLW")

    assert sorted(found) == sorted([*errors, 'shell: {"n": 3} → FAIL: step 3 failed'])


async def test_of_many_failures_the_newest_are_kept(tmp_path):
    async with running(tmp_path) as service:
        await act(service, *({"kind": "error", "text": f"Pump {n} stopped."} for n in (1, 2, 3, 4, 5, 6, 7, 1)))
        await acted(service, 6)
        await slept(service)

        found = await observed(service, "YLW")

    assert sorted(found) == [f"Pump {n} stopped." for n in (1, 3, 4, 5, 6, 7)]


INVENTED = PLAIN | {"reflection": "I met Klaus in Berlin, who laughed.", "priority": "Call Klaus."}
DIARY = {"priorities": ["Ask Klaus."], "diary": "I met Klaus in Berlin, who laughed."}


async def dream_of(service, **more):
    """Have the agent dream now, and wait for the try; the newest dream, None while there is none."""
    await service.http.post("/v1/minds/ada/dreams", json={"wait": True, **more})
    found = (await service.http.get("/v1/minds/ada/dreams")).json()["dreams"]
    return found[0] if found else None


async def test_what_a_model_never_dreams_as_it_should_is_quoted_in_the_third_try_also_over_a_restart(tmp_path):
    """Broken: it is refused for ever, the agent never has a dream, and it stays tired."""
    answers = [INVENTED] * 8 + [PLAIN, *[INVENTED] * 2]
    with provider_of(Brain(dream=lambda _: answers.pop(0))) as provider:
        settings = hosted(tmp_path, provider, "narrative", "chat", sleep={"retry_seconds": 3600})
        async with running(tmp_path, settings=settings) as service:
            await act(service, message("Do not deploy today."))
            await acted(service, 6)
            first = [await dream_of(service), await dream_of(service)]
        async with running(tmp_path, settings=settings) as service:
            quoted = await dream_of(service)
            critical = await observed(service, "RED")
            tired = (await service.http.get("/v1/minds/ada/sleep")).json()
            later = []
            for at in (10, 20, 30):
                await acted(service, 6, first=at)
                later.append(await dream_of(service))

    assert first == [None, None] and quoted["dream"] == 1 and quoted["is_quoted"]
    assert critical == ["user: “Do not deploy today.”"] and "Klaus" not in json.dumps([quoted, *later])
    assert (tired["actions"], tired["waiting_for"]) == (0, None)
    # The model is asked first each time. Where it can dream after all, it has its tries again.
    assert [(one["dream"], one["is_quoted"]) for one in later] == [(2, True), (3, False), (3, False)]
    assert answers == []


async def test_a_deep_sleep_that_a_model_never_ends_as_it_should_is_quoted(tmp_path):
    """Broken: it is refused for ever, and the agent has neither priorities nor a diary."""
    with provider_of(Brain(dream=PLAIN, deep_sleep=DIARY)) as provider:
        settings = hosted(tmp_path, provider, "narrative", "chat", sleep={"retry_seconds": 3600})
        async with running(tmp_path, settings=settings) as service:
            await acted(service, 6)
            for _ in range(3):
                await dream_of(service, deep=True)
            waits_for = (await service.http.get("/v1/minds/ada/sleep")).json()["waiting_for"]

    folder = tmp_path / "minds/ada"
    assert waits_for is None and PLAIN["priority"] in (folder / "priorities.md").read_text()
    assert PLAIN["reflection"] in (folder / "diary.md").read_text()


async def test_a_model_that_does_not_answer_is_waited_for(tmp_path):
    with provider_of(Brain(dream=Fails(503))) as provider:
        settings = hosted(tmp_path, provider, "narrative", "chat", sleep={"retry_seconds": 3600})
        async with running(tmp_path, settings=settings) as service:
            await acted(service, 6)
            tries = [await dream_of(service) for _ in range(4)]

    assert tries == [None] * 4
