"""What a file says without ids is known again: where words repeat, in whatever zone it is read, and by ids of before."""

import json
import unicodedata
from dataclasses import asdict
from zoneinfo import ZoneInfo

import pytest

from service.importing.formats import read_conversations
from tests.e2e.test_newer_exports import imported, lines, words
from tests.support.cli_process import call, serving
from tests.support.service import running

pytestmark = pytest.mark.anyio

YES = {"role": "user", "content": "yes"}
TRAIN = {"role": "assistant", "content": "Then I book the train to Rome."}
HOTEL = {"role": "assistant", "content": "Then I book the hotel in Rome."}
GROWING = ([YES], [YES, TRAIN, YES], [YES, TRAIN, YES, HOTEL])
SAID = (("Ada", "I like tea."), ("Bob", "Green or black?"))
CHAT = b"28/01/2026, 13:45 - Ada: I like tea.\n28/01/2026, 13:46 - Bob: Green or black?\n"
FIGS = [
    {"role": "user", "content": "I like figs.", "timestamp": "2026-01-09T18:30:00"},
    {"role": "assistant", "content": "Noted.", "timestamp": "2026-01-09T18:30:05"},
]
FILES = {
    "WhatsApp Chat with Ann.txt": CHAT,
    "local.jsonl": lines(*FIGS),
    "zep.json": json.dumps({"messages": [one | {"role_type": one["role"], "created_at": one["timestamp"]} for one in FIGS]}).encode(),
    "memories.json": json.dumps({"memories": [{"content": "Ada likes figs.", "created_at": "2026-01-09T18:30:00"}]}).encode(),
}  # fmt: skip
FORMER = {  # the session and the id that these had, read in Europe/Paris, when ids were made from instants
    "WhatsApp Chat with Ann.txt": ("whatsapp:Ann", "whatsapp:Ann:c00a2260836fa4de"),
    "local.jsonl": ("import:local-1e0bff86858d5e6b", "import:local-1e0bff86858d5e6b:d36e19480b71d8c9"),
}


def said(stored):
    return sorted(one for turn in stored for one in turn)


@pytest.mark.parametrize("ends", [(1, 3), (1, 2, 3), (2, 3)])
async def test_a_file_in_which_words_repeat_loses_nothing_while_it_grows(tmp_path, ends):
    """Broken: two exchanges that begin with the same words were taken for what goes on from one stored turn."""
    async with running(tmp_path) as service:
        for end in ends:
            _, _, refused = await imported(service, lines(*GROWING[end - 1]), filename="s.jsonl")
            assert refused == 0
            assert said(await words(service)) == said([[one["content"] for one in GROWING[end - 1]]])
        again = await imported(service, lines(*GROWING[-1]), filename="s.jsonl")

    assert again[0] == again[2] == 0


def test_the_command_line_loses_nothing_of_a_growing_file_and_knows_it_in_another_zone(tmp_path):
    file, home = tmp_path / "grow.jsonl", tmp_path / "home"
    told = []
    with serving(home):
        for end, more in ((1, ()), (3, ()), (3, ("--timezone", "Europe/Paris"))):
            file.write_bytes(lines(*GROWING[end - 1]))
            told.append(json.loads(call("import", file, "--mind", "ada", "--home", home, "--json", *more).stdout))
        for more in ((), ("--timezone", "America/New_York")):
            file.write_bytes(FILES["local.jsonl"])
            told.append(json.loads(call("import", file, "--mind", "bob", "--home", home, "--json", *more).stdout))

    assert [(one["new"], len(one["conflicts"])) for one in told] == [(1, 0), (2, 0), (0, 0), (1, 0), (0, 0)]


@pytest.mark.parametrize("name", FILES)
async def test_a_file_in_another_zone_is_the_same_file(tmp_path, name):
    """Broken: ids were made from instants, and so every turn came in once more."""
    async with running(tmp_path) as service:
        first = await imported(service, FILES[name], filename=name)
        became = [
            await imported(service, FILES[name], filename=name, timezone=zone)
            for zone in ("Europe/Paris", "America/New_York", "UTC")
        ]

    assert first == (1, 0, 0) and became == [(0, 1, 0)] * 3


@pytest.mark.parametrize("name", ["WhatsApp Chat with José.txt", "gespräch.jsonl"])
async def test_a_file_whose_name_is_spelt_with_letters_and_accents_apart_is_the_same_file(tmp_path, name):
    """Broken: a chat that came from the phone, and then from a Mac's disk, was another one, and came in twice."""
    content = CHAT if name.endswith(".txt") else FILES["local.jsonl"]
    composed, apart = (unicodedata.normalize(form, name) for form in ("NFC", "NFD"))
    async with running(tmp_path) as service:
        became = [await imported(service, content, filename=one) for one in (composed, apart)]

    assert became == [(1, 0, 0), (0, 1, 0)]


async def test_what_an_earlier_version_stored_under_a_name_spelt_apart_is_known(tmp_path):
    name = unicodedata.normalize("NFD", "José")
    said = [{"role": "user", "name": who, "content": words} for who, words in SAID]
    before = {"turn_id": "t1", "session_id": f"whatsapp:{name}", "kind": "import", "messages": said}
    async with running(tmp_path) as service:
        (await service.http.post("/v1/minds/ada/turns", json=before)).raise_for_status()
        again = await imported(service, CHAT, filename=f"WhatsApp Chat with {name}.txt")

    assert again == (0, 1, 0)


@pytest.mark.parametrize("is_erased", [False, True], ids=["stored", "erased"])
@pytest.mark.parametrize("name", FORMER)
async def test_what_was_imported_by_ids_made_from_instants_is_known(tmp_path, name, is_erased):
    session, turn_id = FORMER[name]
    file = tmp_path / name
    file.write_bytes(FILES[name])
    (found,) = read_conversations(file, zone=ZoneInfo("Europe/Paris"))
    said = [{key: value for key, value in asdict(one).items() if value} for one in found.turn.messages]
    messages = [one | {"timestamp": one["timestamp"].isoformat()} for one in said]
    before = {"turn_id": turn_id, "session_id": session, "kind": "import", "messages": messages}
    async with running(tmp_path / "home") as service:
        (await service.http.post("/v1/minds/ada/turns", json=before)).raise_for_status()
        if is_erased:
            (await service.http.delete(f"/v1/minds/ada/turns/{turn_id}")).raise_for_status()
        again = await imported(service, FILES[name], filename=name, timezone="Europe/Paris")

    assert again == ((0, 0, 0) if is_erased else (0, 1, 0))


MORE = [
    {"role": "user", "content": "And plums.", "timestamp": "2026-01-09T18:31:00"},
    {"role": "assistant", "content": "Noted.", "timestamp": "2026-01-09T18:31:05"},
]


async def test_an_exchange_that_stands_twice_in_a_file_is_stored_once(tmp_path):
    """Broken: a log that was concatenated with a copy of itself came in twice, since each copy had an id of its own."""
    async with running(tmp_path) as service:
        once = await imported(service, lines(*FIGS, *MORE, *FIGS, *MORE), filename="log.jsonl")
        again = await imported(service, lines(*FIGS, *MORE, *FIGS, *MORE), filename="log.jsonl")
        stored = await words(service)

    assert (once, again) == ((2, 2, 0), (0, 4, 0))
    assert said(stored) == said([[one["content"] for one in (*FIGS, *MORE)]])


async def test_an_exchange_of_which_the_first_copy_was_cut_short_is_stored_once(tmp_path):
    async with running(tmp_path) as service:
        await imported(service, lines(*FIGS, *MORE[:1], *FIGS, *MORE), filename="log.jsonl")
        stored = await words(service)

    assert said(stored) == said([[one["content"] for one in (*FIGS, *MORE)]])


def test_the_command_line_stores_an_exchange_that_stands_twice_once(tmp_path):
    file = tmp_path / "log.jsonl"
    file.write_bytes(lines(*FIGS, *FIGS))

    done = json.loads(call("import", file, "--mind", "ada", "--home", tmp_path / "home", "--json").stdout)

    assert (done["new"], done["known"], done["conflicts"]) == (1, 1, [])
