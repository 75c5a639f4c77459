"""A newer export of what was imported adds what is new, and tells nothing twice; long exchanges come in whole."""

import asyncio
import json

import pytest

from tests.e2e.test_conversation_import import ended, send
from tests.support.chatgpt_export import chain, message
from tests.support.service import running
from tests.support.waiting import OFTEN

pytestmark = pytest.mark.anyio

ASKED = {"role": "user", "content": "My aunt lives in Ghent.", "session_id": "s", "timestamp": "2026-01-09T18:30:00Z"}
FIRST = {"role": "assistant", "content": "Ghent is lovely.", "session_id": "s", "timestamp": "2026-01-09T18:30:09Z"}
SECOND = {"role": "assistant", "content": "Shall I look up trains?", "session_id": "s"}
EARLIER = {"role": "user", "content": "Good morning.", "session_id": "s"}


def lines(*values):
    return "\n".join(map(json.dumps, values)).encode()


def chat(*said, title="New chat"):
    return json.dumps([chain(*(message(role, words) for role, words in said), title=title)]).encode()


async def imported(service, content, **asked):
    """What became of each turn: how many were stored, were there before, were refused."""
    found = await ended(service, (await send(service, content, **asked))["import_id"])
    assert found["state"] == "done", found
    return found["stored"], found["duplicates"], found["refused"]


async def words(service):
    """What was said, turn by turn, in the order in which it was stored."""
    found = (await service.http.get("/v1/minds/ada/turns", params={"after": 0})).json()["items"]
    return [[one["content"] for one in turn["messages"]] for turn in found]


@pytest.mark.parametrize("ids", [{}, {"id": "m"}], ids=["without ids", "with ids"])
async def test_an_exchange_that_goes_on_gets_what_is_new_of_it_however_often_it_grows(tmp_path, ids):
    said = [one | {key: f"{key}{at}" for key in ids} for at, one in enumerate((EARLIER, ASKED, FIRST, SECOND))]
    async with running(tmp_path) as service:
        became = [await imported(service, lines(*said[:end]), filename="s.jsonl") for end in (2, 3, 4, 4, 2)]
        stored = await words(service)

    assert became[:4] == [(2, 0, 0), (1, 1, 0), (1, 1, 0), (0, 2, 0)]
    assert became[4] == (0, 2, 0)
    assert stored == [[EARLIER["content"]], [ASKED["content"]], [FIRST["content"]], [SECOND["content"]]]


async def test_a_chat_of_whatsapp_that_goes_on_tells_nothing_twice(tmp_path):
    talk = [f"09/01/2026, 18:{at:02} - Ann: Train {at} to Lyon.\n" for at in range(50)]
    async with running(tmp_path) as service:
        for end in (3, 7, 45, 50):
            await imported(service, "".join(talk[:end]).encode(), filename="WhatsApp Chat with Ann.txt")
        stored = [one for turn in await words(service) for one in turn]

    assert stored == [f"Train {at} to Lyon." for at in range(50)]


async def test_the_same_words_as_a_whole_exchange_and_at_the_beginning_of_the_next_are_both_stored(tmp_path):
    async with running(tmp_path) as service:
        became = await imported(service, lines(EARLIER, EARLIER, SECOND), filename="s.jsonl")
        again = await imported(service, lines(EARLIER, EARLIER, SECOND), filename="s.jsonl")
        stored = await words(service)

    assert (became, again) == ((2, 0, 0), (0, 2, 0))
    assert stored == [[EARLIER["content"]], [EARLIER["content"], SECOND["content"]]]


async def test_a_chat_that_was_renamed_and_goes_on_is_the_same_chat(tmp_path):
    asked, answer = ("user", "My dog is Rex."), ("assistant", "Rex! Lovely.")
    async with running(tmp_path) as service:
        first = await imported(service, chat(("user", "Hi."), asked))
        renamed = await imported(service, chat(("user", "Hi."), asked, title="My dog"))
        grown = await imported(service, chat(("user", "Hi."), asked, answer, title="My dog"))
        stored = await words(service)

    assert (first, renamed, grown) == ((2, 0, 0), (0, 2, 0), (1, 1, 0))
    assert stored == [["Hi."], ["My dog is Rex."], ["Rex! Lovely."]]


async def test_an_answer_that_was_made_anew_does_not_replace_the_stored_one(tmp_path):
    async with running(tmp_path) as service:
        await imported(service, chat(("user", "A name for my dog?"), ("assistant", "Rex.")))
        anew = await imported(service, chat(("user", "A name for my dog?"), ("assistant", "Bello.")))
        stored = await words(service)

    assert anew == (0, 0, 1) and stored == [["A name for my dog?", "Rex."]]


async def test_a_fact_of_a_graph_that_has_ended_since_comes_in_with_its_end(tmp_path):
    fact = {"uuid": "f1", "fact": "Ada works at Arup.", "valid_at": "2025-01-01T00:00:00Z", "group_id": "g"}
    over = fact | {"invalid_at": "2026-02-01T00:00:00Z"}
    async with running(tmp_path) as service:
        became = [await imported(service, json.dumps({"edges": [one]}).encode()) for one in (fact, fact, over, over)]
        stored = await words(service)

    assert became == [(1, 0, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0)]
    assert stored[1] == ["Ada works at Arup. (No longer so since 2026-02-01.)"]


async def test_a_fact_that_was_imported_under_its_own_id_is_not_told_twice(tmp_path):
    fact = {"uuid": "f1", "fact": "Ada works at Arup.", "valid_at": "2025-01-01T00:00:00Z", "group_id": "g"}
    before = {"turn_id": "graphiti:g:f1", "session_id": "graphiti:g", "kind": "import"}
    before["messages"] = [{"role": "thought", "content": fact["fact"], "timestamp": fact["valid_at"]}]
    async with running(tmp_path) as service:
        (await service.http.post("/v1/minds/ada/turns", json=before)).raise_for_status()
        became = await imported(service, json.dumps({"edges": [fact]}).encode())

    assert became == (0, 1, 0)


def session(answers):
    """A session of Claude Code: one prompt, and so many texts and results of tools."""
    at = "2026-01-09T18:30:00Z"
    said = {"role": "user", "content": "Please migrate the billing module."}
    yield {"type": "user", "uuid": "u", "sessionId": "S", "timestamp": at, "message": said}
    for number in range(answers):
        text = {"role": "assistant", "content": [{"type": "text", "text": f"Step {number}."}]}
        yield {"type": "assistant", "uuid": f"a{number}", "sessionId": "S", "timestamp": at, "message": text}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": f"ok {number}"}
        done = {"role": "user", "content": [result]}
        yield {"type": "user", "uuid": f"r{number}", "sessionId": "S", "timestamp": at, "message": done}


async def test_an_exchange_with_more_messages_than_a_turn_may_have_is_several_turns_and_may_grow(tmp_path):
    async with running(tmp_path) as service:
        looked = await send(service, lines(*session(140)), status=200, dry_run=True, filename="s.jsonl")
        became = [await imported(service, lines(*session(n)), filename="s.jsonl") for n in (30, 140, 140, 150)]
        stored = await words(service)

    assert (looked["turns"], looked["messages"]) == (2, 281)
    assert became == [(1, 0, 0), (2, 0, 0), (0, 2, 0), (1, 0, 0)]
    everything = [words for turn in stored for words in turn]
    assert len(everything) == len(set(everything)) == 301 and everything[-1] == "ok 149"


async def test_an_exchange_that_was_stored_in_one_longer_turn_is_known(tmp_path):
    *_, last = messages = [{"role": "user", "content": f"{at} is a number."} for at in range(250)]
    whole = {"turn_id": "t", "session_id": "s", "messages": messages}
    async with running(tmp_path) as service:
        (await service.http.post("/v1/minds/ada/turns", json=whole | {"kind": "import"})).raise_for_status()
        again = await imported(service, lines(whole))
        more = await imported(service, lines(whole | {"messages": [*messages, last | {"content": "Done."}]}))
        stored = await words(service)

    assert (again, more) == ((0, 2, 0), (1, 0, 0)) and stored[1:] == [["Done."]]


async def test_of_a_long_exchange_off_the_record_no_part_is_stored(tmp_path):
    said = [{"role": "user", "content": "The heirloom. #offtherecord", "session_id": "s"}]
    said += [{"role": "assistant", "content": f"Heirloom {at}.", "session_id": "s"} for at in range(300)]
    async with running(tmp_path) as service:
        await imported(service, lines(*said), filename="s.jsonl")
        stored = await words(service)

    assert {one for turn in stored for one in turn} == {""}


async def test_a_message_that_is_longer_than_any_may_be_loses_no_word(tmp_path):
    said = [{"role": "user", "content": f"{'wörd ' * 90_000}\nThe end."}, {"role": "assistant", "content": "Long!"}]
    async with running(tmp_path) as service:
        became = await imported(service, lines({"turn_id": "t", "session_id": "s", "messages": said}))
        again = await imported(service, lines({"turn_id": "t", "session_id": "s", "messages": said}))
        stored = [one for turn in await words(service) for one in turn]

    assert (became[2], again[0]) == (0, 0) and stored[-2].endswith("The end.")
    assert " ".join(stored).split() == f"{said[0]['content']} Long!".split()


async def test_a_dry_run_says_what_can_not_be_stored_and_why(tmp_path):
    fine = {"turn_id": "t1", "session_id": "s", "messages": [{"role": "user", "content": "Hello."}]}
    late = {**fine, "turn_id": "t2", "messages": [{**fine["messages"][0], "timestamp": "2190-01-01T00:00:00Z"}]}
    large = {**fine, "turn_id": "t3", "metadata": {"x": "y" * 20_000}}
    async with running(tmp_path) as service:
        looked = await send(service, lines(fine, late, large), status=200, dry_run=True)

    assert looked["turns"] == 1
    assert sorted(one["reason"] for one in looked["skipped"]) == [
        "a turn that can not be stored: is more than a day in the future",
        "a turn that can not be stored: metadata: is longer than 16384 characters",
        "a turn without any time: it counts as said at the import",
    ]


LOG = [
    {"role": "user", "content": "I have a dog called Rex.", "id": "m1", "timestamp": "2026-01-09T10:00:00Z"},
    {"role": "assistant", "content": "Nice dog!", "id": "m2", "timestamp": "2026-01-09T10:00:03Z"},
    {"role": "user", "content": "He is three.", "id": "m3", "timestamp": "2026-01-09T10:02:00Z"},
]


@pytest.mark.parametrize("without", [(), ("id",), ("id", "timestamp")], ids=["ids", "times", "words"])
@pytest.mark.parametrize("live", [1, 2, 3])
async def test_what_was_told_live_is_not_told_again_by_the_log_of_the_backend(tmp_path, live, without):
    """Broken: a turn of a log is known by its id alone, and live the backend gave it another one."""
    told = [{key: value for key, value in one.items() if key not in without} for one in LOG]
    log = lines(*(one | {"session_id": "s"} for one in LOG))
    async with running(tmp_path) as service:
        (await service.keep("ada", *told[:live], session_id="s", turn_id="live")).raise_for_status()
        first = await imported(service, log, filename="db.jsonl")
        again = await imported(service, log, filename="db.jsonl")
        stored = [one for turn in await words(service) for one in turn]

    assert stored == [one["content"] for one in LOG]
    assert (first[2], again) == (0, (0, 2, 0)) and sum(first) == 2


async def test_what_a_log_has_more_often_than_was_told_live_is_told_as_often(tmp_path):
    said = [{"role": "user", "content": "Good morning!", "session_id": "s"} for _ in range(3)]
    async with running(tmp_path) as service:
        await service.keep("ada", "Good morning!", session_id="s")
        became = [await imported(service, lines(*said[:count]), filename="db.jsonl") for count in (1, 3, 3)]
        stored = await words(service)

    assert became == [(0, 1, 0), (2, 1, 0), (0, 3, 0)] and stored == [["Good morning!"]] * 3


async def test_what_was_off_the_record_live_is_not_told_by_the_log_of_the_backend(tmp_path):
    log = lines(*(one | {"session_id": "s"} for one in LOG[:2]))
    async with running(tmp_path) as service:
        live = (LOG[0], {"role": "assistant", "content": "Nice dog!"})
        (await service.keep("ada", *live, session_id="s", off_the_record=True)).raise_for_status()
        await imported(service, log, filename="db.jsonl")
        stored = await words(service)

    assert {one for turn in stored for one in turn} == {""}


async def stored_of(service, mind, content, **asked):
    """The sessions of all turns of a mind, after a file was imported into it."""
    conversations = f"/v1/minds/{mind}/import/conversations"
    begun = (await service.http.post(conversations, content=content, params=asked)).json()
    while (await service.http.get(f"{conversations}/{begun['import_id']}")).json()["state"] == "running":
        await asyncio.sleep(OFTEN)
    return [one["session_id"] for one in (await service.http.get(f"/v1/minds/{mind}/turns")).json()["items"]]


async def test_a_second_download_of_a_chat_is_the_same_chat_and_what_is_in_a_mind_called_whatsapp_too(tmp_path):
    """Broken: a browser's mark in the file's name, or the folder of an upload, makes another session."""
    chat = b"[09/01/2026, 18:30:00] Ann: I moved to Lyon.\n"
    async with running(tmp_path) as service:
        named = [f"WhatsApp Chat with Ann{mark}.txt" for mark in ("", " (1)")]
        became = [await imported(service, chat, filename=name) for name in named]
        minds = [await stored_of(service, mind, chat, filename="_chat.txt") for mind in ("whatsapp-bot",) * 2]

    assert became == [(1, 0, 0), (0, 1, 0)] and minds == [["whatsapp:chat"]] * 2


async def test_after_an_erasure_the_rest_of_its_exchange_is_not_told_twice(tmp_path):
    """Broken: the beginning is gone, so the exchange is not known, and all of it but what was erased comes again."""
    said = [f"[09/01/2026, 18:{at}:00] Ann: Train {at} to Lyon.\n" for at in range(30, 34)]
    async with running(tmp_path) as service:
        for end in (1, 3):
            await imported(service, "".join(said[:end]).encode(), filename="_chat.txt")
        [first, _] = (await service.http.get("/v1/minds/ada/turns", params={"after": 0})).json()["items"]
        (await service.http.delete(f"/v1/minds/ada/turns/{first['turn_id']}")).raise_for_status()
        same = await imported(service, "".join(said[:3]).encode(), filename="_chat.txt")
        grown = await imported(service, "".join(said).encode(), filename="_chat.txt")
        stored = [one for turn in await words(service) for one in turn]

    assert (same, grown) == ((0, 1, 0), (1, 0, 0))
    assert stored == [f"Train {at} to Lyon." for at in (31, 32, 33)]


def answer_of_zep(*numbers, own=True):
    """What ``memory.get`` answers: the last messages, without the name of their session."""
    said = [{"role_type": ("user", "assistant")[at % 2], "content": f"Number {at}."} for at in numbers]
    times = [{"created_at": f"2026-01-09T18:00:{at:02}Z"} | ({"uuid": f"u{at}"} if own else {}) for at in numbers]
    return json.dumps({"messages": [one | time for one, time in zip(said, times, strict=True)]})


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("first", [2, 3])
async def test_answers_of_zep_that_overlap_tell_nothing_twice(tmp_path, first, own):
    """Broken: an answer names no session, and by its first message it is another one than the answer before."""
    answers = [answer_of_zep(*range(4), own=own), answer_of_zep(*range(first, 6), own=own)]
    async with running(tmp_path) as service:
        for one in (*answers, *answers):
            await imported(service, one.encode(), filename="memory.json")
        stored = [one for turn in await words(service) for one in turn]
    async with running(tmp_path / "other") as service:
        await imported(service, "\n".join(answers).encode(), filename="memory.jsonl")
        at_once = [one for turn in await words(service) for one in turn]

    assert stored == at_once == [f"Number {at}." for at in range(6)]
